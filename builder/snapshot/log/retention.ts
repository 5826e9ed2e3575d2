/** Decides which snapshots a retention policy keeps, and why. It reads no files and no clock. */
import { byCodePoint } from '../../contract/vocabulary.ts'
import type { Retention } from '../../workspace/workspace.ts'

interface Retained {
  readonly snapshotId: string
  /** `2026-10` */
  readonly month: string
  /** ISO 8601 */
  readonly publishedAt: string
  /** Position among the publications, for snapshots with the same time, as after the clock was set back. */
  readonly order: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The reasons to keep each snapshot, by its id. A snapshot without a reason may be removed. */
export function reasonsToKeep(
  snapshots: readonly Retained[],
  { keepLast, keepDays, keepMonthEnds, minimumYears }: Retention,
  now: Date,
): Map<string, string[]> {
  const newestFirst = [...snapshots].sort(
    (a, b) => byCodePoint(b.publishedAt, a.publishedAt) || b.order - a.order,
  )
  const monthEnds = new Map<string, string>()
  for (const { month, snapshotId } of newestFirst) if (!monthEnds.has(month)) monthEnds.set(month, snapshotId)
  return new Map(
    newestFirst.map(({ snapshotId, month, publishedAt }, i) => {
      const age = now.getTime() - Date.parse(publishedAt)
      const reasons = [
        keepLast !== undefined && i < keepLast && `of the last ${keepLast}`,
        minimumYears !== undefined &&
          publishedAt > yearsBefore(now, minimumYears) &&
          `less than ${minimumYears} ${minimumYears === 1 ? 'year' : 'years'} old`,
        keepDays !== undefined && age <= keepDays * DAY_MS && `of the last ${keepDays} days`,
        keepMonthEnds !== undefined &&
          monthEnds.get(month) === snapshotId &&
          month >= monthYearsBefore(now, keepMonthEnds.years) &&
          `end of ${month}`,
      ]
      return [snapshotId, reasons.filter((reason) => reason !== false)]
    }),
  )
}

/** The same day and time `years` years ago, ISO 8601. The 29th of February becomes the 1st of March in other years. */
function yearsBefore(now: Date, years: number): string {
  const then = new Date(now)
  then.setUTCFullYear(now.getUTCFullYear() - years)
  return then.toISOString()
}

const monthYearsBefore = (now: Date, years: number): string =>
  `${String(now.getUTCFullYear() - years).padStart(4, '0')}${now.toISOString().slice(4, 7)}`

/** A policy on one line, as the log records it: `keepLast 30, keepMonthEnds 10 years`. */
export function policyText({ keepLast, keepDays, keepMonthEnds, minimumYears }: Retention): string {
  const rules = [
    keepLast !== undefined && `keepLast ${keepLast}`,
    keepDays !== undefined && `keepDays ${keepDays}`,
    keepMonthEnds !== undefined && `keepMonthEnds ${keepMonthEnds.years} years`,
    minimumYears !== undefined && `minimumYears ${minimumYears}`,
  ]
  return rules.filter((rule) => rule !== false).join(', ')
}
