/**
 * Adoption: one signed line of the log that vouches for what was published before it, by the hash of every manifest and, by
 * its `Before`, of every line. The first change after an upgrade from format 1 writes one, so that whatever of that
 * history is changed later is seen; a person writes one where history is unsigned or its log was lost, and says why.
 */
import { dirname, join } from 'node:path'
import { error, FindingsError } from '../workspace/finding.ts'
import type { Approver } from './approval.ts'
import { waitFor } from './candidates.ts'
import { beginChange, type Change, type ChangeOptions, movePointer } from './change.ts'
import { SnapshotDamagedError } from './damage.ts'
import { lostLog, snapshotFoldersIn } from './damaged-log.ts'
import { type CheckedSnapshot, checkManifest } from './files.ts'
import { closingBy, isAfter } from './history.ts'
import { companyFolder, LOG, snapshotFolder } from './layout.ts'
import { lockDateOf } from './lock-date.ts'
import type { EventDetails } from './log.ts'
import type { Pointer } from './manifest.ts'
import { readPointer } from './open.ts'

/** Writes the line where the log is of format 1 throughout. */
export async function adoptFormat1(change: Change): Promise<void> {
  if (!change.isOfFormat1) return
  const adoption = await adoptionOf(change, await manifestsIn(change.folder, change.signer?.known ?? null))
  if (adoption) await change.record('adopt', adoption.current, null, adoption.details)
}

export interface Adoption {
  /** How many manifests. */
  readonly adopted: number
  /** What waits for approval, by its hash; null where nobody has to approve it. */
  readonly candidate: string | null
}

/**
 * What a person adopts: unsigned manifests and lines too, and all of it where there is no log any more. Throws where something else is wrong with one of them.
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
    const found = await manifestsIn(change.folder, change.signer?.known ?? null)
    const damages = found.flatMap((each) => each.damages).filter(({ kind }) => kind !== 'unsigned')
    if (damages.length > 0)
      throw new FindingsError(
        damages.map(({ snapshotId, message }) =>
          error('history-damaged', `${snapshotId}: ${message}`, {
            file: join(change.folder, LOG),
            remedy: 'restore the snapshot from an archive or a backup, then adopt',
          }),
        ),
      )
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

interface Adopting {
  readonly current: Pointer
  readonly details: EventDetails
}

/** Null where nothing is published. */
async function adoptionOf(change: Change, found: readonly CheckedSnapshot[]): Promise<Adopting | null> {
  const current = (await pointerHere(change)) ?? newestOf(change, found)
  if (current === null) return null
  const Adopted = found
    .filter(({ damages }) => damages.every(({ kind }) => kind === 'unsigned'))
    .map(({ id, manifestHash }): Pointer => ({ SnapshotId: id, ManifestSha256: manifestHash! }))
  const closing = closingBy(change.history, closedIn(change, current, found))
  return { current, details: { Adopted, ...closing } }
}

/** The pointer is lost with the log: the newest snapshot of those that lie there. */
function newestOf({ folder }: Change, found: readonly CheckedSnapshot[]): Pointer | null {
  const newest = found
    .filter((each) => dirname(each.folder) === folder && each.manifestHash !== null)
    .reduce<CheckedSnapshot | null>((last, each) => (last && !isAfter(each.id, last.id) ? last : each), null)
  return newest && { SnapshotId: newest.id, ManifestSha256: newest.manifestHash! }
}

/**
 * The snapshot that an adoption names is current from then on where the pointer was lost with the log. Gives the pointer, null
 * where there is none and nothing was adopted.
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

/** Null also where it cannot be read any more. */
const pointerHere = ({ root, company }: Change): Promise<Pointer | null> =>
  readPointer(root, company).catch((problem: unknown) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })

/** With a log what it had closed is lost: then all that was published counts as closed, and a person reopens what is not. */
function closedIn(
  { root, company, logHead }: Change,
  { SnapshotId }: Pointer,
  found: readonly CheckedSnapshot[],
): string | null {
  const isLost = logHead === null && found.some((each) => lostLog(each) !== null)
  const { manifest } = found.find(({ id }) => id === SnapshotId) ?? {}
  return isLost && manifest
    ? manifest.Coverage.EndDate
    : lockDateOf(snapshotFolder(root, company, SnapshotId))
}

/** Whom the newest manifest names, so that a log that was lost takes nobody's approval away; null where it names nobody. */
async function approversIn(folder: string): Promise<readonly Approver[] | null> {
  const manifests = (await manifestsIn(folder, null)).flatMap(({ manifest }) => manifest ?? [])
  const newest = manifests.sort((a, b) => (a.Build.At < b.Build.At ? -1 : 1)).at(-1)
  return newest?.Build.Approvers ?? null
}

/** Of the snapshots that lie there, and of the pruned ones. */
async function manifestsIn(folder: string, known: ReadonlySet<string> | null): Promise<CheckedSnapshot[]> {
  return Promise.all(snapshotFoldersIn(folder).map((each) => checkManifest(each, known)))
}
