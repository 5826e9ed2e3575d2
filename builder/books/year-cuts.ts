/**
 * A fiscal year that begins inside a month: on that month's end, results before its first day are of years before. They are
 * moved there by two cells that cancel each other: one takes them out of current-year earnings, as a closing entry of a
 * year's last day does, the other puts them into the prior years not closed. Where no month is cut there are none.
 */
import { firstDay, monthOf } from '../contract/calendar.ts'
import { cuttingStarts } from './fiscal.ts'
import { type Frame, isEarnings, notClosedCode } from './frame.ts'
import { KIND } from './postings.ts'

/** Kinds of postings that current-year earnings are made of. */
const OF_CURRENT_YEAR: readonly number[] = [KIND.activity, KIND.transfer, KIND.closingCurrent]

export const isOfCurrentYear = (frame: Frame, account: number, kind: number): boolean =>
  OF_CURRENT_YEAR.includes(kind) && isEarnings(frame, account)

/** What is moved, as the two cells: kind, and the sign of the amount. */
export const MOVES = [
  { kind: KIND.closingCurrent, sign: -1 },
  { kind: KIND.closingPrior, sign: 1 },
] as const

/** SQL: the postings, and beside them what the starts inside a month move. */
export function withMovedResults(frame: Frame): string {
  const starts = cuttingStarts(frame.fiscalYears)
  if (starts.length === 0) return 'posting'
  const days = starts.map((start) => `(day >= DATE '${firstDay(monthOf(start))}' AND day < DATE '${start}')`)
  const others = frame.accounts.flatMap((_, code) => (isEarnings(frame, code) ? [] : [code]))
  const columns = 'basis, class, department'
  const moved = MOVES.map(
    ({ kind, sign }) => `
      UNION ALL SELECT ${columns}, ${notClosedCode(frame)} AS account, month, ${kind} AS kind, ${sign} * amount AS amount
      FROM posting WHERE (${days.join(' OR ')}) AND kind IN (${OF_CURRENT_YEAR.join(', ')}) AND account NOT IN (${others.join(', ')})`,
  )
  return `(SELECT ${columns}, account, month, kind, amount FROM posting ${moved.join('')})`
}
