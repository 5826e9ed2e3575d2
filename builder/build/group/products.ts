/** SQL for products of amounts and fractions, exact and rounded half away from zero. */

/** An amount times num / den. */
export const product = (amount: string): string =>
  `(sign(${amount}) * ((2 * abs(${amount})::HUGEINT * num + den) // (2 * den)))::BIGINT`

/** An amount as its share of the product of a running total: all shares add up to the rounded product of the whole. */
export const share = (partition: string, order: string, amount = 'amount'): string => {
  const upTo = `sum(${amount}) OVER (PARTITION BY ${partition} ORDER BY ${order} ROWS UNBOUNDED PRECEDING)`
  return `${product(upTo)} - ${product(`(${upTo} - ${amount})`)}`
}
