/**
 * How much of a document's deferred lines is recognised once part of it is settled (accounting.md §7). Whole minor
 * units throughout: shares are rounded by largest remainder over the document's lines, so that they always add up.
 */

/**
 * `amounts` × settled / gross, each whole, adding up to the rounded share of their sum. `settled` lies between 0 and
 * `gross`, in its sign; at `gross` every line is recognised in full. Ties go to the earlier line.
 */
export function recognised(amounts: readonly number[], settled: number, gross: number): number[] {
  if (settled === gross) return [...amounts]
  if (settled === 0) return amounts.map(() => 0)
  // A document and its mirror image are recognised alike: an invoice as the bill that its buyer has.
  const mirrored = amounts.reduce((sum, amount) => sum + amount, 0) < 0
  const own = mirrored ? amounts.map((amount) => -amount) : amounts
  const shares = largestRemainder(own, BigInt(Math.abs(settled)), BigInt(Math.abs(gross)))
  return shares.map((share) => (mirrored ? 0 - share : share))
}

/** Floors of amount × p / g, and one more for those with the largest remainders until the rounded total is reached. */
function largestRemainder(amounts: readonly number[], p: bigint, g: bigint): number[] {
  // Products of two amounts leave the range in which doubles are exact.
  const exact = amounts.map((amount) => BigInt(amount) * p)
  const floors = exact.map((product) => floorDivide(product, g))
  const total = floorDivide(2n * exact.reduce((sum, product) => sum + product, 0n) + g, 2n * g)
  let missing = Number(total - floors.reduce((sum, floor) => sum + floor, 0n))
  const shares = floors.map(Number)
  const byRemainder = exact
    .map((product, line) => ({ line, remainder: product - floors[line]! * g }))
    .sort((a, b) => (a.remainder === b.remainder ? a.line - b.line : a.remainder < b.remainder ? 1 : -1))
  for (const { line } of byRemainder) {
    if (missing-- === 0) break
    shares[line] = shares[line]! + 1
  }
  return shares
}

/** For a positive divisor. */
const floorDivide = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b))
