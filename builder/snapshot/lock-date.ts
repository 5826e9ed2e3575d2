/** Through which day the books of a company are closed, as its snapshots state it. */
import { join } from 'node:path'
import { isCalendarDate } from '../contract/calendar.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import type { History } from './history.ts'
import { INFO } from './layout.ts'

/**
 * The lock date that the snapshot in a folder states; also of a damaged one, whose word is better than to take nothing for
 * closed. Manifests of format 1 do not have it: hence from info.json.
 */
export function lockDateOf(folder: string): string | null {
  try {
    const { LockedThrough } = JSON.parse(readFileSync(join(folder, INFO), 'utf8')) as {
      LockedThrough: unknown
    }
    return typeof LockedThrough === 'string' && isCalendarDate(LockedThrough) ? LockedThrough : null
  } catch {
    return null
  }
}

/** What the log says; where it does not speak of closing yet, the lock date of the current snapshot, which lies in `folder`. */
export const closedThroughOf = ({ closed }: History, folder: string | null): string | null =>
  closed?.ClosedThrough ?? (folder === null ? null : lockDateOf(folder))
