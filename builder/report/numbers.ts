/** Figures of statements as text. Whole units are rounded figure by figure and never added. */
import { displayMinor } from '../contract/currency.ts'
import type { Cell } from './columns.ts'
import type { ShownLine } from './report.ts'

/** Stands for zero; a figure that is not there is an empty text. */
const ZERO = '–'

/** As published: `1,234.50`. */
export const exactText = (cell: Cell, decimals: number): string =>
  cell === null ? '' : cell === 0 ? ZERO : displayMinor(cell, decimals)

/** In whole units, rounded half away from zero. Exact, since figures are integers of minor units. */
export function wholeText(cell: Cell, decimals: number): string {
  if (cell === null) return ''
  const unit = 10 ** decimals
  const size = Math.abs(cell)
  const rest = size % unit
  const whole = (size - rest) / unit + (2 * rest >= unit ? 1 : 0)
  return whole === 0 ? ZERO : displayMinor(cell < 0 ? -whole : whole, 0)
}

/** Tenths of a percent: `12.5`. */
export const percentText = (cell: Cell): string => (cell === null ? '' : displayMinor(cell, 1))

/** Whether a difference is good for the result; null where there is none, or where that cannot be said. */
export function judged(
  { better, cells }: Pick<ShownLine, 'better' | 'cells'>,
  i: number,
): 'better' | 'worse' | null {
  const cell = cells[i] ?? null
  if (better === null || cell === null || cell === 0) return null
  return cell > 0 === (better === 'more') ? 'better' : 'worse'
}

/** Colour is never alone: a sign says the same. */
export const MARKS = { better: '▲', worse: '▼' } as const
export const MARKS_EXPLAINED = '▲ better for the result than compared with, ▼ worse'
