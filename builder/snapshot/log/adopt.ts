/**
 * Writes adoptions. An adoption is a signed line of the log that vouches for what was published before it: for every
 * manifest by its hash, and for every earlier line by `Before`. The first change after an upgrade from format 1 writes one, so
 * that later changes of that history are detected. A person writes one, with a reason, where history is unsigned or the
 * log was lost.
 */
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import type { Approver } from '../approval/approval.ts'
import { SnapshotDamagedError } from '../files/damage.ts'
import { type CheckedSnapshot, checkManifest } from '../files/files.ts'
import { companyFolder, LOG, snapshotFolder } from '../files/layout.ts'
import type { Pointer } from '../files/manifest.ts'
import { readPointer } from '../files/open.ts'
import { waitFor } from './candidates.ts'
import { beginChange, type Change, type ChangeOptions, movePointer } from './change.ts'
import { lostLog, snapshotFoldersIn } from './damaged-log.ts'
import { closingBy, isAfter } from './history.ts'
import { statedLockDate } from './lock-date.ts'
import type { EventDetails, LogRecord } from './log-record.ts'

/** Writes an adoption if all lines of the log are of format 1. */
export async function adoptFormat1(change: Change): Promise<void> {
  if (!change.isOfFormat1) return
  const adoption = await adoptionOf(change, await manifestsIn(change.folder, change.signer?.known ?? null))
  if (adoption) await change.record('adopt', adoption.current, null, adoption.details)
}

interface Adoption {
  /** The number of manifests. */
  readonly adopted: number
  /** The hash of the candidate that awaits approval; null where no approval is required. */
  readonly candidate: string | null
}

/**
 * Adopts, for a person, unsigned manifests and lines as well, or the whole history where the log is lost. Throws
 * {@link FindingsError} if a manifest has any other damage.
 */
export async function adoptHistory(
  root: string,
  company: string,
  reason: string,
  options: ChangeOptions,
): Promise<Adoption> {
  const approvers = await approversIn(companyFolder(root, company))
  const change = await beginChange(root, company, {
    ...options,
    ...(approvers ? { approvers } : {}),
    adopts: true,
  })
  try {
    const found = await soundManifests(change)
    const adoption = await adoptionOf(change, found)
    if (adoption === null) return { adopted: 0, candidate: null }
    const { current, details } = adoption
    const candidate = await waitFor(change, 'adopt', current, reason, details)
    if (candidate === null) await change.record('adopt', current, reason, details)
    await pointToAdopted(change)
    return { adopted: found.length, candidate }
  } finally {
    change.release()
  }
}

/** The manifests of the company. Throws {@link FindingsError} if one has any damage but that nobody signed it. */
async function soundManifests(change: Change): Promise<CheckedSnapshot[]> {
  const found = await manifestsIn(change.folder, change.signer?.known ?? null)
  const damages = found.flatMap((each) => each.damages).filter(({ kind }) => kind !== 'unsigned')
  if (damages.length === 0) return found
  throw new FindingsError(
    damages.map(({ snapshotId, message }) =>
      error('history-damaged', `${snapshotId}: ${message}`, {
        file: join(change.folder, LOG),
        remedy: 'restore the snapshot from an archive or a backup, then adopt',
      }),
    ),
  )
}

/** Throws {@link ChangeRefusedError} unless a proposed adoption is the one that what lies here gives. */
export async function refuseOtherAdoption(change: Change, proposed: LogRecord): Promise<void> {
  const adoption = await adoptionOf(change, await soundManifests(change))
  if (adoption && isDeepStrictEqual(proposed, { ...proposed, ...adoption.current, ...adoption.details }))
    return
  throw new ChangeRefusedError(
    `the adoption that was proposed is not of the snapshots of ${change.company} as they lie here: propose it again`,
  )
}

interface Adopting {
  readonly current: Pointer
  readonly details: EventDetails
}

/** The pointer and details of the adoption; null where nothing is published. */
async function adoptionOf(change: Change, found: readonly CheckedSnapshot[]): Promise<Adopting | null> {
  const current = (await pointerHere(change)) ?? newestOf(change, found)
  if (current === null) return null
  const Adopted = found
    .filter(({ damages }) => damages.every(({ kind }) => kind === 'unsigned'))
    .flatMap(pointersTo)
  const closing = closingBy(change.history, closedIn(change, current, found))
  return { current, details: { Adopted, ...closing } }
}

/** The pointer to a snapshot, as a list; empty where its manifest is missing. */
const pointersTo = ({ id, manifestHash }: CheckedSnapshot): Pointer[] =>
  manifestHash === null ? [] : [{ SnapshotId: id, ManifestSha256: manifestHash }]

/** The newest snapshot in the folder, which becomes current where the pointer is lost with the log. */
const newestOf = ({ folder }: Change, found: readonly CheckedSnapshot[]): Pointer | null =>
  found
    .filter((each) => dirname(each.folder) === folder)
    .flatMap(pointersTo)
    .reduce<Pointer | null>(
      (last, each) => (last && !isAfter(each.SnapshotId, last.SnapshotId) ? last : each),
      null,
    )

/**
 * Where the pointer was lost with the log, makes the snapshot that the adoption names current. Returns the pointer, or null
 * if there is none and nothing was adopted.
 */
export async function pointToAdopted(change: Change): Promise<Pointer | null> {
  const { root, company, effects, history } = change
  const pointer = await pointerHere(change)
  const { current, adoptedAs } = history
  if (pointer !== null || current !== null || adoptedAs === null) return pointer
  change.confirm()
  movePointer(root, company, adoptedAs, effects)
  return adoptedAs
}

/** The pointer of the company; null where it is missing or unreadable. */
const pointerHere = ({ root, company }: Change): Promise<Pointer | null> =>
  readPointer(root, company).catch((problem: unknown) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })

/**
 * The day through which the books are closed. A lost log no longer says so: then everything published counts as closed, and a
 * person reopens what should be open.
 */
function closedIn(
  { root, company, logHead }: Change,
  { SnapshotId }: Pointer,
  found: readonly CheckedSnapshot[],
): string | null {
  const isLost = logHead === null && found.some((each) => lostLog(each) !== null)
  const { manifest } = found.find(({ id }) => id === SnapshotId) ?? {}
  return isLost && manifest
    ? manifest.Coverage.EndDate
    : statedLockDate(snapshotFolder(root, company, SnapshotId))
}

/** The approvers that the newest manifest names, so that the loss of the log does not lift the approval rule; null if it names none. */
async function approversIn(folder: string): Promise<readonly Approver[] | null> {
  const manifests = (await manifestsIn(folder, null)).flatMap(({ manifest }) => manifest ?? [])
  const newest = manifests.sort((a, b) => (a.Build.At < b.Build.At ? -1 : 1)).at(-1)
  return newest?.Build.Approvers ?? null
}

/** The manifests of the snapshots in the folder and of the pruned ones, each checked. */
async function manifestsIn(folder: string, known: ReadonlySet<string> | null): Promise<CheckedSnapshot[]> {
  return Promise.all(snapshotFoldersIn(folder).map((each) => checkManifest(each, known)))
}
