/**
 * Does arithmetic on figures of periods, in plain loops, since every figure of a build passes here several
 * times. Reading beyond the end of an array gives NaN (no figure), which ties out with nothing, so that a
 * mistake never passes for a zero.
 */
import type { Figures } from './document.ts'

/** The figure at an index, of a period or of an account code; NaN outside the array. */
export const figureAt = (figures: Figures, at: number): number => figures[at] ?? Number.NaN

/** Adds `factor` times the figures from index `from` on to each element of `sum`. */
export function addFigures(sum: Figures, figures: Figures, factor = 1, from = 0): void {
  for (let p = 0; p < sum.length; p++) sum[p] = figureAt(sum, p) + factor * figureAt(figures, from + p)
}

/** Adds figures to a sum, counting NaN (no figure) as zero. */
export function addStated(sum: Figures, figures: Figures): void {
  for (let p = 0; p < sum.length; p++) sum[p] = figureAt(sum, p) + (figureAt(figures, p) || 0)
}

/** Turns movements into balances at the end of each period, in place, starting from the opening balance. */
export function accumulate(figures: Figures, opening: number): Figures {
  let balance = opening
  for (let p = 0; p < figures.length; p++) {
    balance += figureAt(figures, p)
    figures[p] = balance
  }
  return figures
}
