/** Finds the day through which the books of a company are closed, as its snapshots state it. */
import { dirname, join } from 'node:path'
import { isCalendarDate } from '../../contract/calendar.ts'
import { parseJson } from '../../contract/json.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { INFO } from '../files/layout.ts'
import { type History, historyOf } from './history.ts'
import { readLog } from './log.ts'

/**
 * The lock date (`YYYY-MM-DD`) that the snapshot in a folder states, or null. A damaged snapshot is read too, because its
 * statement is better than to take no month for closed. It is read from info.json, because manifests of format 1 lack it.
 */
export function statedLockDate(folder: string): string | null {
  try {
    const { LockedThrough } = parseJson(readFileSync(join(folder, INFO), 'utf8')) as {
      LockedThrough: unknown
    }
    return typeof LockedThrough === 'string' && isCalendarDate(LockedThrough) ? LockedThrough : null
  } catch {
    return null
  }
}

/** The day through which the log closes the books; if it has no closing yet, the lock date of the current snapshot in `folder`. */
export const closedThroughOf = ({ closed }: History, folder: string | null): string | null =>
  closed?.ClosedThrough ?? (folder === null ? null : statedLockDate(folder))

/** The day through which the books are closed now: months are closed and opened after a snapshot is published. `folder` is that of a snapshot. */
export const closedThroughNow = async (folder: string): Promise<string | null> =>
  closedThroughOf(historyOf((await readLog(dirname(folder))).records), folder)
