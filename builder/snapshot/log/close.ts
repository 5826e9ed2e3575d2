/** Closes and reopens months, as a person decides. Both are lines of the log; nothing is published. */
import { addDays, firstDay, lastDay, monthOf } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { SnapshotDamagedError } from '../files/damage.ts'
import { snapshotFolder } from '../files/layout.ts'
import type { Manifest, Pointer } from '../files/manifest.ts'
import { checkPublished } from '../files/published.ts'
import { waitFor } from './candidates.ts'
import { type Change, type ChangeOptions, changing } from './change.ts'
import { isClosedByPerson } from './history.ts'
import { closedThroughOf } from './lock-date.ts'
import { settled } from './settle.ts'

export interface Closing {
  /** False where the books were closed through that day already. */
  readonly changed: boolean
  readonly closedThrough: string
  /** The books were closed through this day before; null where no month was closed. */
  readonly before: string | null
  readonly snapshotId: string
  /** SHA-256 of the last line of the log. */
  readonly logHead: string
  /** The hash of the candidate that awaits approval; null where no approval is required. */
  readonly candidate: string | null
}

interface CloseOptions extends ChangeOptions {
  /** `YYYY-MM-DD`. A month that ends after this day cannot be closed. */
  readonly today: string
  /** The name of the month's commentary, where a month without notes on its material changes may not be closed; else null. */
  readonly commentary?: string | null
}

/**
 * Closes a month (`YYYY-MM`) and all before it, as the current snapshot states them. All files of the snapshot are verified
 * first. Throws {@link ChangeRefusedError} if the month is not covered, not over, or before the closed months' end.
 */
export async function closeMonth(
  root: string,
  company: string,
  month: string,
  { today, commentary = null, ...options }: CloseOptions,
): Promise<Closing> {
  return changing(root, company, options, async (change) => {
    const { pointer, manifest, before } = await currentOf(change)
    const through = lastDay(monthOf(`${month}-01`))
    if (before !== null && through < before)
      throw new ChangeRefusedError(
        `${month} of ${company} is closed already: the books are closed through ${before}${becauseOf(change)}. To open it: ${reopenCommand(company, month)}`,
      )
    refuseUncovered(company, month, manifest)
    if (commentary !== null) refuseUnexplained(month, commentary, manifest)
    if (through > today)
      throw new ChangeRefusedError(
        `${month} is not over: it ends on ${through}, and today is ${today}; close it then`,
      )
    const changed = through !== before || !isClosedByPerson(change.history)
    if (changed) await change.record('close', pointer, null, { ClosedThrough: through })
    return closing(change, pointer, { changed, closedThrough: through, before, candidate: null })
  })
}

/**
 * Reopens a month (`YYYY-MM`) and all after it, so that the books are closed through the month before. Throws
 * {@link ChangeRefusedError} if the month is not covered or not closed.
 */
export async function reopenMonth(
  root: string,
  company: string,
  month: string,
  reason: string,
  options: ChangeOptions,
): Promise<Closing> {
  return changing(root, company, options, async (change) => {
    const { pointer, manifest, before } = await currentOf(change)
    const first = firstDay(monthOf(`${month}-01`))
    if (before === null) throw new ChangeRefusedError(`no month of ${company} is closed`)
    if (first > before)
      throw new ChangeRefusedError(`${month} of ${company} is open: the books are closed through ${before}`)
    refuseUncovered(company, month, manifest)
    const closedThrough = addDays(first, -1)
    const details = { ClosedThrough: closedThrough }
    const candidate = await waitFor(change, 'reopen', pointer, reason, details)
    if (candidate !== null)
      return closing(change, pointer, { changed: false, closedThrough: before, before, candidate })
    await change.record('reopen', pointer, reason, details)
    return closing(change, pointer, { changed: true, closedThrough, before, candidate: null })
  })
}

/** The command that reopens a month, as it can be typed. */
export const reopenCommand = (company: string, month: string): string =>
  `tieout reopen ${company} ${month} --reason "…"`

interface Current {
  readonly pointer: Pointer
  readonly manifest: Manifest
  readonly before: string | null
}

async function currentOf(change: Change): Promise<Current> {
  await settled(change)
  const { root, company, history } = change
  if (history.current === null) throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  const { SnapshotId, ManifestSha256 } = history.current
  const { pointer, manifest, problem } = await checkPublished(change, SnapshotId, ManifestSha256)
  if (problem !== null) throw new SnapshotDamagedError(problem)
  return { pointer, manifest, before: closedThroughOf(history, snapshotFolder(root, company, SnapshotId)) }
}

function refuseUncovered(company: string, month: string, { SnapshotId, Coverage }: Manifest): void {
  const [from, to] = [Coverage.StartDate.slice(0, 7), Coverage.EndDate.slice(0, 7)]
  if (month > to)
    throw new ChangeRefusedError(
      `${month} of ${company} is not published: ${SnapshotId} covers ${from} to ${to}. Build it first: tieout build ${company}`,
    )
  if (month < from)
    throw new ChangeRefusedError(
      `${month} lies before the books of ${company}: ${SnapshotId} covers ${from} to ${to}`,
    )
}

/** The last month is always looked at; an earlier one is where it has commentary. */
function refuseUnexplained(month: string, file: string, { Warnings, Inputs, Coverage }: Manifest): void {
  const missing = Warnings.filter((found) => found.code === 'commentary-missing' && found.file === file)
  if (missing.length > 0)
    throw new ChangeRefusedError(
      `${month} cannot be closed: closing requires commentary, and ${missing.length === 1 ? 'a line has' : `${missing.length} lines have`} no note:\n${missing.map(({ message }) => `  ${message}`).join('\n')}\nWrite ${file}, and build again`,
    )
  if (Coverage.EndDate.slice(0, 7) !== month && !Inputs.some(({ File }) => File === file))
    throw new ChangeRefusedError(
      `${month} cannot be closed: closing requires commentary, and ${file} was not there when the snapshot was built`,
    )
}

/** ` (close, 2026-03-04, anna@office)` */
const becauseOf = ({ history: { closed } }: Change): string =>
  closed ? ` (${closed.Event}, ${closed.At.slice(0, 10)}, ${closed.By})` : ''

const closing = (
  { logHead }: Change,
  { SnapshotId }: Pointer,
  result: Omit<Closing, 'snapshotId' | 'logHead'>,
): Closing => ({
  ...result,
  snapshotId: SnapshotId,
  logHead: present(logHead, 'line in the log'),
})
