/**
 * Handles fiscal years that begin inside a month. At the end of that month, results before the first day of the year belong to
 * prior years. Two cells that cancel each other move them: one takes them out of current-year earnings, like a closing
 * entry on a year's last day, and the other adds them to prior years not closed.
 */
import { firstDay, monthOf } from '../../contract/calendar.ts'
import { KIND } from '../post/postings.ts'
import { cuttingStarts } from '../reference/fiscal.ts'
import { type Frame, isEarnings, notClosedCode } from '../reference/frame.ts'

/** The kinds of postings that make up current-year earnings. */
const OF_CURRENT_YEAR: readonly number[] = [KIND.activity, KIND.transfer, KIND.closingCurrent]

/** Whether postings of the account and kind are part of current-year earnings. */
export const isOfCurrentYear = (frame: Frame, account: number, kind: number): boolean =>
  OF_CURRENT_YEAR.includes(kind) && isEarnings(frame, account)

/** The kinds of the two cells, and the sign with which each takes the amount. */
export const MOVES = [
  { kind: KIND.closingCurrent, sign: -1 },
  { kind: KIND.closingPrior, sign: 1 },
] as const

/**
 * SQL for the postings with the cells that move results where a fiscal year begins inside a month. `from` are the postings, or sums of
 * them that have a day and the further columns `more`.
 */
export function withMovedResults(frame: Frame, from = 'posting', more: readonly string[] = []): string {
  const starts = cuttingStarts(frame.fiscalYears)
  if (starts.length === 0) return from
  const days = starts.map((start) => `(day >= DATE '${firstDay(monthOf(start))}' AND day < DATE '${start}')`)
  const others = frame.accounts.flatMap((_, code) => (isEarnings(frame, code) ? [] : [code]))
  const columns = ['basis', 'class', 'department', ...more].join(', ')
  const moved = MOVES.map(
    ({ kind, sign }) => `
      UNION ALL SELECT ${columns}, ${notClosedCode(frame)} AS account, month, ${kind} AS kind, ${sign} * amount AS amount
      FROM ${from} WHERE (${days.join(' OR ')}) AND kind IN (${OF_CURRENT_YEAR.join(', ')}) AND account NOT IN (${others.join(', ')})`,
  )
  return `(SELECT ${columns}, account, month, kind, amount FROM ${from} ${moved.join('')})`
}
