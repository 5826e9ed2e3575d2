/** Plans and carries out `tieout prune`: which snapshots of a company the policy keeps and why, and the removal of the others. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { byCodePoint } from '../../contract/vocabulary.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import type { Retention } from '../../workspace/workspace.ts'
import { SnapshotDamagedError } from '../files/damage.ts'
import { membersNamed } from '../files/input-state.ts'
import { companyFolder, inputPath, MANIFEST_FILES, parseSnapshotId } from '../files/layout.ts'
import type { Manifest, Pointer } from '../files/manifest.ts'
import { openSnapshot, readPointer, type Snapshot } from '../files/open.ts'
import { candidatesIn, manifestOf, waitFor } from './candidates.ts'
import { beginChange, type Change, type ChangeOptions } from './change.ts'
import { type History, readHistory } from './history.ts'
import {
  finishRemovals,
  freedBytes,
  pruningOf,
  removeInputs,
  removeSnapshots,
  unnamedInputs,
} from './remove.ts'
import { settled } from './settle.ts'
export interface PruneRequest {
  readonly company: string
  readonly policy: Retention
  /** Ids of the snapshots that clients are reading. It is called under the lock, when nothing can be published. */
  readonly inUse: () => Promise<ReadonlySet<string>>
  readonly now?: Date
  /** Gives the folder with the snapshots of groups, which may be made from those of the company; by default the one in which the company lies. */
  readonly groups?: () => Promise<string>
}

export interface PlannedSnapshot {
  readonly snapshotId: string
  readonly publishedAt: string
  /** Total size of the files in its manifest, including files that it shares with other snapshots. */
  readonly bytes: number
  /** The reasons to keep it; without any it is removed. */
  readonly keep: readonly string[]
}

export interface PrunePlan {
  readonly company: string
  /** Oldest first. */
  readonly snapshots: readonly PlannedSnapshot[]
  /** The number of kept sources that no remaining snapshot names. */
  readonly inputs: number
  /** Disk space that becomes free, in bytes. */
  readonly freedBytes: number
  /** The hash of the candidate that awaits approval, in which case nothing was removed; null where no approval is required. */
  readonly candidate: string | null
}

/** What {@link prune} would do now. It changes nothing and takes no lock. */
export async function planPruning(root: string, request: PruneRequest): Promise<PrunePlan> {
  return (await plan(root, request, await readHistory(root, request.company))).told
}

/** Removes the snapshots that the policy does not keep, one after the other. Each is entered in the log before its removal. */
export async function prune(
  root: string,
  request: PruneRequest,
  reason: string | null,
  options: ChangeOptions = {},
): Promise<PrunePlan> {
  const change = await beginChange(root, request.company, options)
  try {
    await settled(change)
    await finishRemovals(change)
    const { told, doomed, inputs } = await plan(root, request, change.history)
    const rules = policyText(request.policy)
    const because = reason === null ? `retention: ${rules}` : `${reason} (${rules})`
    const pointers = doomed.map(({ id, manifestHash }) => ({ SnapshotId: id, ManifestSha256: manifestHash }))
    const [first, ...others] = pointers
    const candidate = first ? await waitFor(change, 'prune', first, because, pruningOf(others)) : null
    if (candidate !== null) return { ...told, candidate }
    for (const pointer of pointers) {
      change.confirm()
      await removeSnapshots(change, [pointer], because)
    }
    removeInputs(change, inputs)
    return told
  } finally {
    change.release()
  }
}

/**
 * Removes snapshots as approved. Throws {@link ChangeRefusedError} if clients are reading one of them, if a group was made from one, or if
 * one of them is never removed.
 */
export async function pruneApproved(
  change: Change,
  pointers: readonly Pointer[],
  reason: string | null,
  { inUse, groups = async () => change.root }: Pick<PruneRequest, 'inUse' | 'groups'>,
): Promise<void> {
  const { root, company, folder, history } = change
  if (new Set(pointers.map(({ SnapshotId }) => SnapshotId)).size < pointers.length)
    throw new ChangeRefusedError(`what was proposed removes a snapshot of ${company} twice: reject it`)
  const reading = await inUse()
  const read = pointers.find(({ SnapshotId }) => reading.has(SnapshotId))
  if (read)
    throw new ChangeRefusedError(
      `a client is reading ${read.SnapshotId} of ${company}: approve it again in a while`,
    )
  const current = await readPointer(root, company)
  const named = await namedByGroups(await groups(), company)
  for (const { SnapshotId, ManifestSha256 } of pointers) {
    const why = neverRemoved(SnapshotId, current, history)[0] ?? named.get(SnapshotId)
    if (why !== undefined) throw new ChangeRefusedError(`${SnapshotId} of ${company} is not removed: ${why}`)
    await openSnapshot(root, company, SnapshotId, ManifestSha256)
  }
  change.confirm()
  await removeSnapshots(change, pointers, reason)
  const ids = readdirSync(folder).filter((name) => parseSnapshotId(name))
  const left = await Promise.all(ids.map((id) => openOrWhy(root, company, id, history)))
  const manifests = left.flatMap(({ snapshot }) => snapshot?.manifest ?? [])
  if (manifests.length === left.length) removeInputs(change, unnamedInputs(folder, manifests))
}

interface Plan {
  readonly told: PrunePlan
  readonly doomed: readonly Snapshot[]
  readonly inputs: readonly string[]
}

async function plan(root: string, request: PruneRequest, history: History): Promise<Plan> {
  const { company, policy, inUse, now = new Date(), groups = async () => root } = request
  const folder = companyFolder(root, company)
  const ids = readdirSync(folder).filter((name) => parseSnapshotId(name) && !history.pruned.has(name))
  const pointer = await readPointer(root, company)
  const pinned = await inUse()
  const named = await namedByGroups(await groups(), company)
  const opened = await Promise.all(ids.map((id) => openOrWhy(root, company, id, history)))
  const readable = opened.flatMap(({ snapshot }) => snapshot ?? [])
  const publishedAt = ({ id, manifest }: Snapshot) => history.publishedAt.get(id) ?? manifest.Build.At
  const order = [...history.published.keys()]
  const byPolicy = reasonsToKeep(
    readable.map((snapshot) => ({
      snapshotId: snapshot.id,
      month: snapshot.manifest.Month,
      publishedAt: publishedAt(snapshot),
      order: order.indexOf(snapshot.id),
    })),
    policy,
    now,
  )
  const snapshots = opened
    .map(({ id, snapshot, why }): PlannedSnapshot => {
      const keep = [
        ...neverRemoved(id, pointer, history),
        pinned.has(id) && 'a client is reading it',
        named.get(id),
        why,
        ...(byPolicy.get(id) ?? []),
      ]
      return {
        snapshotId: id,
        publishedAt: snapshot ? publishedAt(snapshot) : '',
        bytes: snapshot?.manifest.Files.reduce((sum, { Bytes }) => sum + Bytes, 0) ?? 0,
        keep: keep.filter((reason) => typeof reason === 'string'),
      }
    })
    .sort((a, b) => byCodePoint(a.publishedAt, b.publishedAt))
  const going = new Set(snapshots.filter(({ keep }) => keep.length === 0).map(({ snapshotId }) => snapshotId))
  const doomed = readable.filter(({ id }) => going.has(id))
  const staying: Manifest[] = [
    ...readable.filter(({ id }) => !going.has(id)).map(({ manifest }) => manifest),
    // A candidate may use sources that are kept already.
    ...(await candidatesIn(folder)).flatMap((candidate) => manifestOf(candidate) ?? []),
  ]
  // A manifest that cannot be read may name any source, so none is removed then.
  const inputs = readable.length < opened.length ? [] : unnamedInputs(folder, staying)
  const paths = doomed.flatMap((snapshot) => contentsOf(snapshot.folder))
  const told = {
    company,
    snapshots,
    inputs: inputs.length,
    candidate: null,
    freedBytes: freedBytes([...paths, ...inputs.map((hash) => inputPath(folder, hash))]),
  }
  return { told, doomed, inputs }
}

/** Why a snapshot is never removed, whatever the policy says and whoever approves it; empty where it may be. */
function neverRemoved(id: string, current: Pointer | null, { head, held, allHeld }: History): string[] {
  const hold = held.get(id)
  const reasons = [
    id === current?.SnapshotId && 'current',
    id === head?.SnapshotId && id !== current?.SnapshotId && 'the newest',
    hold && `held: ${hold.Reason}`,
    allHeld && `the company is held: ${allHeld.Reason}`,
  ]
  return reasons.filter((reason) => typeof reason === 'string')
}

/** The snapshots of a company that kept snapshots of groups were made from, with the reason to keep each. */
async function namedByGroups(root: string, company: string): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>()
  for (const group of readdirSync(root)) {
    const current = group === company ? null : await readPointer(root, group).catch(() => null)
    if (current === null) continue
    // A company whose current snapshot has no members has none in earlier ones either.
    if ((await namedIn(root, group, current.SnapshotId))?.length === 0) continue
    for (const id of readdirSync(companyFolder(root, group)).filter((name) => parseSnapshotId(name)))
      for (const member of (await namedIn(root, group, id)) ?? [])
        if (member.company === company) named.set(member.snapshotId, `${group} ${id} was made from it`)
  }
  return named
}

/** The snapshots of members that one was made from; null where its manifest cannot be read, which verification reports. */
const namedIn = (root: string, group: string, id: string) =>
  openSnapshot(root, group, id)
    .then(({ manifest }) => membersNamed(manifest))
    .catch(() => null)

/** The paths in a snapshot's folder that pruning removes; the manifest and the files that vouch for it stay. */
const contentsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !MANIFEST_FILES.includes(name))
    .map((name) => join(folder, name))

interface Opened {
  readonly id: string
  readonly snapshot: Snapshot | null
  /** Why the policy does not apply to it; null if it does. */
  readonly why: string | null
}

/** Opens a snapshot, or says why it cannot be pruned: a damaged snapshot is evidence and stays until somebody has examined it. */
async function openOrWhy(root: string, company: string, id: string, history: History): Promise<Opened> {
  try {
    const snapshot = await openSnapshot(root, company, id, history.published.get(id)?.ManifestSha256)
    return { id, snapshot, why: null }
  } catch (problem) {
    if (problem instanceof SnapshotDamagedError || problem instanceof SyntaxError)
      return { id, snapshot: null, why: `damaged: see "tieout verify ${company}"` }
    throw problem
  }
}

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
