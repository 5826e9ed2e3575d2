/**
 * Arithmetic on figures of periods. Plain loops: every figure of a build passes here several times. A figure that is not there
 * is no figure (NaN), which ties out with nothing, so that no mistake passes for a zero.
 */
import type { Figures } from './document.ts'

/** The figure of a period, or the amount of a code. */
export const figureAt = (figures: Figures, at: number): number => figures[at] ?? Number.NaN

/** Adds figures, times `factor`, to a sum of as many; they stand in `figures` from `from` on. */
export function addFigures(sum: Figures, figures: Figures, factor = 1, from = 0): void {
  for (let p = 0; p < sum.length; p++) sum[p] = figureAt(sum, p) + factor * figureAt(figures, from + p)
}

/** The same where "no figure" (NaN) adds nothing. */
export function addStated(sum: Figures, figures: Figures): void {
  for (let p = 0; p < sum.length; p++) sum[p] = figureAt(sum, p) + (figureAt(figures, p) || 0)
}

/** Movements become balances at each period's end. */
export function accumulate(figures: Figures, opening: number): Figures {
  let balance = opening
  for (let p = 0; p < figures.length; p++) {
    balance += figureAt(figures, p)
    figures[p] = balance
  }
  return figures
}
