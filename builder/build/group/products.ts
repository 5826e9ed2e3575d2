/** SQL for products of amounts and fractions, exact and rounded half away from zero. */

/** The types of what is multiplied: the smaller one is several times as fast, and for products below 2^62. */
export type Whole = 'BIGINT' | 'HUGEINT'
export const wholeFor = (largest: bigint): Whole => (largest < 2n ** 62n ? 'BIGINT' : 'HUGEINT')

/** An amount times num / den, which are of the same type. */
export const product = (amount: string, type: Whole = 'HUGEINT'): string =>
  `(sign(${amount}) * ((2 * abs(${amount})::${type} * num + den) // (2 * den)))::BIGINT`

/** An amount as its share of the product of a running total: all shares add up to the rounded product of the whole. */
export const share = (partition: string, order: string, amount = 'amount', type?: Whole): string => {
  const upTo = `sum(${amount}) OVER (PARTITION BY ${partition} ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  return `${product(upTo, type)} - ${product(`(${upTo} - ${amount})`, type)}`
}
