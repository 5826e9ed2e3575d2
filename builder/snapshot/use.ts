/** What a person decides about published snapshots: which one is in use, and which ones are held. */
import { existsSync } from 'node:fs'
import { ChangeRefusedError } from '../workspace/refusals.ts'
import { waitFor } from './candidates.ts'
import { type Change, type ChangeOptions, changing, movePointer } from './change.ts'
import { SnapshotDamagedError } from './damage.ts'
import { checkManifest } from './files.ts'
import { isSamePointer } from './history.ts'
import { parseSnapshotId, snapshotFolder } from './layout.ts'
import type { EventDetails } from './log.ts'
import type { Pointer, Restatement } from './manifest.ts'
import { readPointer } from './open.ts'
import { checkPublished } from './published.ts'
import { settle } from './settle.ts'

export interface Used {
  /** False where it was current already. */
  readonly changed: boolean
  /** What was current before, as far as the pointer said. */
  readonly before: string | null
  /** What closed months state differently from now on, or would; null where nothing. */
  readonly restatement: Restatement | null
  /** What waits for approval, by its hash; null where nobody has to approve it. */
  readonly candidate: string | null
}

export interface UseOptions extends ChangeOptions {
  /** What the second snapshot states differently of months that are closed through a day; asked where some are. */
  readonly compare?: (before: Pointer, now: Pointer, closedThrough: string) => Promise<Restatement | null>
}

/** Without it a rollback would change closed months unseen. */
const notCompared: NonNullable<UseOptions['compare']> = async () => {
  throw new TypeError('months are closed: what a rollback changes of them must be compared')
}

/**
 * Makes another published snapshot the current one, forwards or back. All its files are verified before. Throws
 * {@link ChangeRefusedError} where there is no such snapshot, {@link SnapshotDamagedError} where it is damaged.
 */
export async function useSnapshot(
  root: string,
  company: string,
  id: string,
  reason: string | null,
  { compare = notCompared, ...options }: UseOptions = {},
): Promise<Used> {
  return changing(root, company, options, async (change) => {
    // Also where somebody moved the pointer by hand: this is how it is corrected.
    await settle(change)
    refuseAbsent(change, id)
    const { pointer, problem } = await checkPublished(
      change,
      id,
      change.history.published.get(id)?.ManifestSha256,
    )
    if (problem !== null) throw new SnapshotDamagedError(problem)
    const current = await readPointer(root, company).catch(() => null)
    const before = current?.SnapshotId ?? null
    if (isSamePointer(current, pointer) && isSamePointer(change.history.current, pointer))
      return { changed: false, before, restatement: null, candidate: null }
    const { current: logged, closed } = change.history
    const isEntered = isSamePointer(logged, pointer)
    // A line that was approved says so itself.
    const restatement =
      closed && logged && !isEntered && !change.isApproved
        ? await compare(logged, pointer, closed.ClosedThrough)
        : null
    const facts = factsOf(restatement)
    const candidate = isEntered ? null : await waitFor(change, 'use', pointer, reason, facts)
    if (candidate !== null) return { changed: false, before, restatement, candidate }
    await change.together(async () => {
      // Before the pointer: a rollback that was interrupted must not look like one that nobody is named for.
      if (!isEntered) await change.record('use', pointer, reason, facts)
      change.confirm()
      movePointer(root, company, pointer, change.effects)
    })
    return { changed: true, before, restatement, candidate: null }
  })
}

/** Of the names their number: there may be thousands, and a line is read as a whole. */
export function factsOf(restatement: Restatement | null): EventDetails {
  if (restatement === null) return {}
  const { Reason: _reason, First: _first, Labels = [], ...facts } = restatement
  return { Restatement: { ...facts, ...(Labels.length > 0 ? { Labels: Labels.length } : {}) } }
}

/**
 * A legal hold on a snapshot, also on a damaged one; without an id on all of the company, those to come too. What is held is
 * not pruned until it is released, whatever the policy says.
 */
export async function holdSnapshots(
  root: string,
  company: string,
  id: string | null,
  reason: string,
  options: ChangeOptions = {},
): Promise<void> {
  await changing(root, company, options, async (change) => {
    await settle(change)
    const pointer = id === null ? await currentOf(change) : await publishedPointer(change, id)
    const held = heldBy(change, id)
    if (held)
      throw new ChangeRefusedError(`${id ?? company} is held since ${held.At} by ${held.By}: ${held.Reason}`)
    await change.record(id === null ? 'hold-all' : 'hold', pointer, reason)
  })
}

export async function releaseSnapshots(
  root: string,
  company: string,
  id: string | null,
  reason: string | null,
  options: ChangeOptions = {},
): Promise<void> {
  await changing(root, company, options, async (change) => {
    await settle(change)
    const held = heldBy(change, id)
    if (!held)
      throw new ChangeRefusedError(id === null ? `${company} is not held` : `${id} of ${company} is not held`)
    await change.record(id === null ? 'release-all' : 'release', held, reason)
  })
}

const heldBy = ({ history }: Change, id: string | null) =>
  id === null ? history.allHeld : (history.held.get(id) ?? null)

/** Each line of the log names a snapshot: one over all of them names the one that was current. */
async function currentOf({ root, company }: Change): Promise<Pointer> {
  const pointer = await readPointer(root, company)
  if (pointer === null) throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  return pointer
}

/** Throws where no snapshot lies there under that id. */
function refuseAbsent({ root, company, history }: Change, id: string): void {
  if (parseSnapshotId(id) !== null && existsSync(snapshotFolder(root, company, id))) return
  const pruned = history.pruned.get(id)
  throw new ChangeRefusedError(
    pruned
      ? `${id} was pruned on ${pruned.At.slice(0, 10)} by ${pruned.By}`
      : `${company} has no snapshot "${id}"; "tieout snapshots list ${company}" lists them`,
  )
}

/** As the log names it; else as its manifest is. */
async function publishedPointer(change: Change, id: string): Promise<Pointer> {
  refuseAbsent(change, id)
  const { root, company, history } = change
  const { manifestHash, damages } = await checkManifest(snapshotFolder(root, company, id), null)
  const ManifestSha256 = history.published.get(id)?.ManifestSha256 ?? manifestHash
  if (ManifestSha256 === null)
    throw new SnapshotDamagedError(`${id} of ${company} is damaged: ${damages[0]!.message}`)
  return { SnapshotId: id, ManifestSha256 }
}
