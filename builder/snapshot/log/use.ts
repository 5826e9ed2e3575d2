/** Carries out what a person decides about published snapshots: which one is current, and which ones are held. */
import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { SnapshotDamagedError } from '../files/damage.ts'
import { checkManifest } from '../files/files.ts'
import { parseSnapshotId, snapshotFolder } from '../files/layout.ts'
import type { Pointer, Restatement } from '../files/manifest.ts'
import { readPointer } from '../files/open.ts'
import { checkPublished } from '../files/published.ts'
import { waitFor } from './candidates.ts'
import { type Change, type ChangeOptions, changing, movePointer } from './change.ts'
import { isSamePointer } from './history.ts'
import { type EventDetails, parseRecord } from './log-record.ts'
import { settleChange } from './settle.ts'

export interface Used {
  /** False if it was current already, or awaits approval. */
  readonly changed: boolean
  /** Id of the snapshot that the pointer named before; null if there was none. */
  readonly before: string | null
  /** What is or would be restated of closed months; null if nothing. */
  readonly restatement: Restatement | null
  /** The hash of the candidate that awaits approval; null where no approval is required. */
  readonly candidate: string | null
}

export interface UseOptions extends ChangeOptions {
  /** Compares the closed months of two snapshots. It is called if months are closed. */
  readonly compare?: (before: Pointer, now: Pointer, closedThrough: string) => Promise<Restatement | null>
}

/** The default refuses, because a rollback without a comparison would change closed months unnoticed. */
const notCompared: NonNullable<UseOptions['compare']> = async () => {
  throw new TypeError('months are closed: what a rollback changes of them must be compared')
}

/**
 * Makes another published snapshot, older or newer, the current one. All its files are verified first. Throws
 * {@link ChangeRefusedError} if there is no such snapshot, and {@link SnapshotDamagedError} if it is damaged.
 */
export async function useSnapshot(
  root: string,
  company: string,
  id: string,
  reason: string | null,
  { compare = notCompared, ...options }: UseOptions = {},
): Promise<Used> {
  return changing(root, company, options, async (change) => {
    // A pointer that was moved by hand is accepted here, because this command corrects it.
    await settleChange(change)
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
    const restatement =
      closed && logged && !isEntered ? await compare(logged, pointer, closed.ClosedThrough) : null
    const facts = factsOf(restatement)
    const stated = options.approved === undefined ? facts : parseRecord(options.approved)
    if (!isEntered && !isDeepStrictEqual(stated?.Restatement, facts.Restatement))
      throw new ChangeRefusedError(
        `what was proposed does not say what it restates in closed months: propose the use of ${id} again`,
      )
    const candidate = isEntered ? null : await waitFor(change, 'use', pointer, reason, facts)
    if (candidate !== null) return { changed: false, before, restatement, candidate }
    await change.together(async () => {
      // The log comes before the pointer, so that an interrupted rollback does not look like one made by hand.
      if (!isEntered) await change.record('use', pointer, reason, facts)
      change.confirm()
      movePointer(root, company, pointer, change.effects)
    })
    return { changed: true, before, restatement, candidate: null }
  })
}

/** The restatement as a line of the log states it. Names are counted only, because there may be thousands in one line. */
export function factsOf(restatement: Restatement | null): EventDetails {
  if (restatement === null) return {}
  const { Reason: _reason, First: _first, Labels = [], ...facts } = restatement
  return { Restatement: { ...facts, ...(Labels.length > 0 ? { Labels: Labels.length } : {}) } }
}

/**
 * Places a legal hold on a snapshot, damaged or not, or, if `id` is null, on all past and future snapshots of the company. Held
 * snapshots are not pruned until they are released, whatever the policy says. Throws {@link ChangeRefusedError} if it is held
 * already.
 */
export async function holdSnapshots(
  root: string,
  company: string,
  id: string | null,
  reason: string,
  options: ChangeOptions = {},
): Promise<void> {
  await changing(root, company, options, async (change) => {
    await settleChange(change)
    const pointer = id === null ? await currentOf(change) : await publishedPointer(change, id)
    const held = heldBy(change, id)
    if (held)
      throw new ChangeRefusedError(`${id ?? company} is held since ${held.At} by ${held.By}: ${held.Reason}`)
    await change.record(id === null ? 'hold-all' : 'hold', pointer, reason)
  })
}

/** Releases a hold, of one snapshot or, if `id` is null, of the company. Throws {@link ChangeRefusedError} if there is none. */
export async function releaseSnapshots(
  root: string,
  company: string,
  id: string | null,
  reason: string | null,
  options: ChangeOptions = {},
): Promise<void> {
  await changing(root, company, options, async (change) => {
    await settleChange(change)
    const held = heldBy(change, id)
    if (!held)
      throw new ChangeRefusedError(id === null ? `${company} is not held` : `${id} of ${company} is not held`)
    await change.record(id === null ? 'release-all' : 'release', held, reason)
  })
}

const heldBy = ({ history }: Change, id: string | null) =>
  id === null ? history.allHeld : (history.held.get(id) ?? null)

/** The current snapshot. A line of the log must name a snapshot, so one about the whole company names the current one. */
async function currentOf({ root, company }: Change): Promise<Pointer> {
  const pointer = await readPointer(root, company)
  if (pointer === null) throw new ChangeRefusedError(`nothing is published of company "${company}"`)
  return pointer
}

/** Throws {@link ChangeRefusedError} if there is no snapshot with that id. */
function refuseAbsent({ root, company, history }: Change, id: string): void {
  const pruned = history.pruned.get(id)
  if (!pruned && parseSnapshotId(id) !== null && existsSync(snapshotFolder(root, company, id))) return
  throw new ChangeRefusedError(
    pruned
      ? `${id} was pruned on ${pruned.At.slice(0, 10)} by ${pruned.By}`
      : `${company} has no snapshot "${id}"; "tieout snapshots list ${company}" lists them`,
  )
}

/** The pointer to a snapshot as the log has it, or else with the present hash of its manifest. */
async function publishedPointer(change: Change, id: string): Promise<Pointer> {
  refuseAbsent(change, id)
  const { root, company, history } = change
  const { manifestHash, damages } = await checkManifest(snapshotFolder(root, company, id), null)
  const ManifestSha256 = history.published.get(id)?.ManifestSha256 ?? manifestHash
  if (ManifestSha256 === null)
    throw new SnapshotDamagedError(
      `${id} of ${company} is damaged: ${damages.map(({ message }) => message).join('; ')}`,
    )
  return { SnapshotId: id, ManifestSha256 }
}
