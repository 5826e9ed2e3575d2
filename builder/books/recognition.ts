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
  const [p, g] = gross < 0 ? [BigInt(-settled), BigInt(-gross)] : [BigInt(settled), BigInt(gross)]
  // Products of two amounts leave the range in which doubles are exact.
  const exact = amounts.map((amount) => BigInt(amount) * p)
  const floors = exact.map((product) => floorDivide(product, g))
  const total = roundDivide(
    exact.reduce((sum, product) => sum + product, 0n),
    g,
  )
  let missing = Number(total - floors.reduce((sum, floor) => sum + floor, 0n))
  const byRemainder = exact
    .map((product, line) => ({ line, remainder: product - floors[line]! * g }))
    .sort((a, b) => (a.remainder === b.remainder ? a.line - b.line : a.remainder < b.remainder ? 1 : -1))
  const result = floors.map(Number)
  for (const { line } of byRemainder) {
    if (missing === 0) break
    result[line] = result[line]! + 1
    missing--
  }
  return result
}

/** Both roundings need a positive divisor. */
const floorDivide = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b))
/** To the nearest; halves away from zero, so that a document and its mirror image are recognised alike. */
const roundDivide = (a: bigint, b: bigint): bigint =>
  a >= 0n ? (2n * a + b) / (2n * b) : -((-2n * a + b) / (2n * b))
