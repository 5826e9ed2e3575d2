/**
 * Does arithmetic on figures of periods, in plain loops, since every figure of a build passes here several
 * times. Reading beyond the end of an array gives NaN (no figure), which ties out with nothing, so that a
 * mistake never passes for a zero.
 *
 * Loops over all figures read arrays themselves instead of through {@link figureAt}: V8 optimizes each place that
 * reads an array by what it met there, and one place for all of them makes these loops take up to four times as long.
 */
import type { Figures } from './document.ts'

/** Stands for a figure beyond the end of an array. */
export const NONE = Number.NaN

/** The figure at an index, of a period or of an account code; NaN outside the array. */
export const figureAt = (figures: Figures, at: number): number => figures[at] ?? NONE

/** Sets each element of `into` to `factor` times the figures from index `from` on; adding 0 avoids a negative zero. */
export function setFigures(into: Figures, figures: Figures, factor: number, from: number): void {
  for (let p = 0; p < into.length; p++) into[p] = 0 + factor * (figures[from + p] ?? NONE)
}

/** Adds `factor` times the figures from index `from` on to each element of `sum`. */
export function addFigures(sum: Figures, figures: Figures, factor = 1, from = 0): void {
  for (let p = 0; p < sum.length; p++) sum[p] = (sum[p] ?? NONE) + factor * (figures[from + p] ?? NONE)
}

/** Adds figures to a sum, counting NaN (no figure) as zero. */
export function addStated(sum: Figures, figures: Figures): void {
  for (let p = 0; p < sum.length; p++) {
    const figure = figures[p] ?? NONE
    if (!Number.isNaN(figure)) sum[p] = (sum[p] ?? NONE) + figure
  }
}

/** Turns movements into balances at the end of each period, in place, starting from the opening balance. */
export function accumulate(figures: Figures, opening: number): Figures {
  let balance = opening
  for (let p = 0; p < figures.length; p++) {
    balance += figures[p] ?? NONE
    figures[p] = balance
  }
  return figures
}
