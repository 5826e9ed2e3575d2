/**
 * Decides through which day a company's books are closed: the later of what the log says and `lockDate` in
 * company.yaml. A setting can close months but not open them; reopening needs a reason, in the log.
 */
import { addDays } from '../../contract/calendar.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { snapshotFolder } from '../files/layout.ts'
import { readPointer } from '../files/open.ts'
import { reopenCommand } from '../log/close.ts'
import { type History, isClosedByPerson } from '../log/history.ts'
import { closedThroughOf } from '../log/lock-date.ts'

export interface LockDate {
  /** Last closed day (YYYY-MM-DD); null where no month is closed. */
  readonly through: string | null
  /** The last closed day according to the log alone; null where it closed nothing. */
  readonly logged: string | null
  /** Whether the setting closes more than the log does; the next publication enters that in the log. */
  readonly isNew: boolean
  /** An error where the setting closes less than the log. */
  readonly findings: readonly Finding[]
  /** The place that a finding names: `lockDate` in company.yaml, or the date alone where the log closed it. */
  readonly place: Pick<Finding, 'file' | 'column' | 'text'>
}

/**
 * Determines the lock date of a company. `root` is the folder of all snapshots, `history` what the log says.
 */
export async function lockDateOf(root: string, company: Company, history: History): Promise<LockDate> {
  const { id, lockDate: stated = null } = company
  const pointer = history.current ?? (await readPointer(root, id).catch(() => null))
  const known = closedThroughOf(history, pointer && snapshotFolder(root, id, pointer.SnapshotId))
  const logged = history.closed?.ClosedThrough ?? null
  const setting = { file: COMPANY_FILE, column: 'lockDate', text: stated }
  if (stated !== null && (known === null || stated >= known))
    return {
      through: stated,
      logged,
      isNew: logged === null || stated > logged,
      findings: [],
      place: setting,
    }
  if (known === null) return { through: null, logged, isNew: false, findings: [], place: setting }
  return {
    through: known,
    logged,
    isNew: false,
    findings: stated === null && isClosedByPerson(history) ? [] : [movedBack(company, known, history)],
    place: { file: null, column: null, text: known },
  }
}

function movedBack({ id, lockDate: stated }: Company, logged: string, { closed }: History): Finding {
  const lockDate = stated ?? null
  const by = closed
    ? ` (${closed.Event} of ${closed.SnapshotId}, ${closed.At.slice(0, 10)}, ${closed.By})`
    : ''
  const last = logged.slice(0, 7)
  const first = lockDate === null ? last : addDays(lockDate, 1).slice(0, 7)
  return error(
    'lock-date-moved-back',
    `the books are closed through ${logged}${by}, but ${lockDate === null ? 'lockDate was removed' : `lockDate says ${lockDate}`}: closed months are not opened by a setting`,
    {
      file: COMPANY_FILE,
      column: 'lockDate',
      text: lockDate,
      remedy:
        lockDate === null
          ? `write lockDate: ${logged} again, or keep the lock date in the log alone: tieout close ${id} ${last}; or, where months are to be opened again: ${reopenCommand(id, first)}`
          : `write lockDate: ${logged}, or take it out where the months were closed by "tieout close"; or, where they are to be opened again: ${reopenCommand(id, first)}`,
    },
  )
}

/** Reports an error where another process closed or reopened months while this build was running. */
export const closedMeanwhile = (before: LockDate, now: LockDate): Finding[] =>
  before.through === now.through
    ? []
    : [
        error(
          'closed-meanwhile',
          `the books were closed through ${before.through ?? 'no day'} when this build began, and through ${now.through ?? 'no day'} now`,
          { remedy: 'build again' },
        ),
      ]
