/**
 * Computes how much of a document's deferred lines is recognised when part of it is settled (accounting.md §7). All amounts
 * are whole minor units. Shares are rounded by the largest remainder method, so that they always add up.
 */

/**
 * Each of `amounts` × settled / gross as a whole number; together they are the rounded share of the total. `settled` lies
 * between 0 and `gross` and has its sign; at `gross` every line is recognised in full. On equal remainders the earlier line
 * is rounded up.
 */
export function recognised(amounts: readonly number[], settled: number, gross: number): number[] {
  if (settled === gross) return [...amounts]
  if (settled === 0) return amounts.map(() => 0)
  // A document and its mirror image must be recognised alike: an invoice in the seller's books and in the buyer's.
  const mirrored = amounts.reduce((sum, amount) => sum + amount, 0) < 0
  const own = mirrored ? amounts.map((amount) => -amount) : amounts
  const shares = largestRemainder(own, BigInt(Math.abs(settled)), BigInt(Math.abs(gross)))
  return shares.map((share) => (mirrored ? 0 - share : share))
}

/** Rounds each amount × p / g down, then raises those with the largest remainders by one until the rounded total is reached. */
function largestRemainder(amounts: readonly number[], p: bigint, g: bigint): number[] {
  // Products of two amounts can exceed the range in which doubles are exact.
  const shares = amounts.map((amount) => {
    const product = BigInt(amount) * p
    const floor = floorDivide(product, g)
    return { product, floor, remainder: product - floor * g, share: Number(floor) }
  })
  const total = floorDivide(2n * shares.reduce((sum, { product }) => sum + product, 0n) + g, 2n * g)
  const missing = Number(total - shares.reduce((sum, { floor }) => sum + floor, 0n))
  // The sort is stable: equal remainders keep the order of the lines.
  const byRemainder = [...shares].sort((a, b) =>
    a.remainder === b.remainder ? 0 : a.remainder < b.remainder ? 1 : -1,
  )
  for (const each of byRemainder.slice(0, missing)) each.share += 1
  return shares.map(({ share }) => share)
}

/** a / b, rounded towards minus infinity. `b` is positive. */
const floorDivide = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b))
