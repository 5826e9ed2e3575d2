/** What a person decides about months: they are closed, or open again. Publishes nothing: both are lines of the log. */
import { addDays, firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import { ChangeRefusedError } from '../workspace/refusals.ts'
import { waitFor } from './candidates.ts'
import { type Change, type ChangeOptions, changing } from './change.ts'
import { SnapshotDamagedError } from './damage.ts'
import { isClosedByPerson } from './history.ts'
import { snapshotFolder } from './layout.ts'
import { closedThroughOf } from './lock-date.ts'
import type { Manifest, Pointer } from './manifest.ts'
import { checkPublished } from './published.ts'
import { settled } from './settle.ts'

export interface Closing {
  /** False where the books were closed through that day already. */
  readonly changed: boolean
  /** The books are closed through this day. */
  readonly closedThrough: string
  /** Through which day they were closed; null where no month was. */
  readonly before: string | null
  /** The snapshot that was current. */
  readonly snapshotId: string
  /** SHA-256 of the last line of the log. */
  readonly logHead: string
  /** What waits for approval, by its hash; null where nobody has to approve it. */
  readonly candidate: string | null
}

export interface CloseOptions extends ChangeOptions {
  /** `YYYY-MM-DD`: a month that is not over by then is not closed. */
  readonly today: string
}

/**
 * Closes a month (`YYYY-MM`) and all before it, as the current snapshot states them. All files of that are verified before.
 * Throws {@link ChangeRefusedError} where the month is not covered, not over or closed long since.
 */
export async function closeMonth(
  root: string,
  company: string,
  month: string,
  { today, ...options }: CloseOptions,
): Promise<Closing> {
  return changing(root, company, options, async (change) => {
    const { pointer, manifest, before } = await currentOf(change)
    const through = lastDay(monthOf(`${month}-01`))
    if (before !== null && through < before)
      throw new ChangeRefusedError(
        `${month} of ${company} is closed already: the books are closed through ${before}${becauseOf(change)}. To open it: ${reopenCommand(company, month)}`,
      )
    refuseUncovered(company, month, manifest)
    if (through > today)
      throw new ChangeRefusedError(
        `${month} is not over: it ends on ${through}, and today is ${today}; close it then`,
      )
    if (through === before && isClosedByPerson(change.history)) return closing(change, pointer, before, false)
    await change.record('close', pointer, null, { ClosedThrough: through })
    return closing(change, pointer, before, true)
  })
}

/** Opens a month (`YYYY-MM`) and all after it again: the books are closed through the month before. */
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
    const details = { ClosedThrough: addDays(first, -1) }
    const candidate = await waitFor(change, 'reopen', pointer, reason, details)
    if (candidate !== null)
      return {
        changed: false,
        closedThrough: before,
        before,
        snapshotId: pointer.SnapshotId,
        logHead: change.logHead!,
        candidate,
      }
    await change.record('reopen', pointer, reason, details)
    return closing(change, pointer, before, true)
  })
}

/** The command that opens a month again, as it can be typed. */
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

/** ` (close, 2026-03-04, anna@office)` */
const becauseOf = ({ history: { closed } }: Change): string =>
  closed ? ` (${closed.Event}, ${closed.At.slice(0, 10)}, ${closed.By})` : ''

const closing = (
  { history, logHead }: Change,
  { SnapshotId }: Pointer,
  before: string | null,
  changed: boolean,
): Closing => ({
  changed,
  closedThrough: history.closed!.ClosedThrough,
  candidate: null,
  before,
  snapshotId: SnapshotId,
  logHead: logHead!,
})
