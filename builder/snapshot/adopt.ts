/**
 * Adoption: one signed line of the log that vouches for what was published before it, by the hash of every manifest and, by
 * its `Before`, of every line. The first change after an upgrade from format 1 writes one, so that whatever of that
 * history is changed later is seen; a person writes one where history is unsigned or its log was lost, and says why.
 */
import { join } from 'node:path'
import { namesIn } from '../workspace/durable.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { beginChange, type Change, type ChangeOptions } from './change.ts'
import { lostLog } from './check-log.ts'
import { type CheckedSnapshot, checkManifest } from './files.ts'
import { closingBy } from './history.ts'
import { LOG, PRUNED, parseSnapshotId, snapshotFolder } from './layout.ts'
import { lockDateOf } from './lock-date.ts'
import type { Pointer } from './manifest.ts'
import { readPointer } from './open.ts'

/** Writes the line where the log is of format 1 throughout. */
export async function adoptFormat1(change: Change): Promise<void> {
  if (change.isOfFormat1)
    await adopt(change, null, await manifestsIn(change.folder, change.signer?.known ?? null))
}

/**
 * What a person adopts: unsigned manifests and lines too, and all of it where there is no log any more. Gives the number of
 * manifests. Throws where something else is wrong with one of them.
 */
export async function adoptHistory(
  root: string,
  company: string,
  reason: string,
  options: ChangeOptions,
): Promise<number> {
  const change = await beginChange(root, company, { ...options, adopts: true })
  try {
    const found = await manifestsIn(change.folder, change.signer?.known ?? null)
    const damages = found.flatMap((each) => each.damages).filter(({ kind }) => kind !== 'unsigned')
    if (damages.length > 0)
      throw new FindingsError(
        damages.map(({ snapshotId, message }) =>
          error('history-damaged', `${snapshotId}: ${message}`, {
            file: LOG,
            remedy: 'restore the snapshot from an archive or a backup, then adopt',
          }),
        ),
      )
    await adopt(change, reason, found)
    return found.length
  } finally {
    change.release()
  }
}

async function adopt(
  change: Change,
  reason: string | null,
  found: readonly CheckedSnapshot[],
): Promise<void> {
  const current = await readPointer(change.root, change.company)
  if (current === null) return
  const Adopted = found
    .filter(({ damages }) => damages.every(({ kind }) => kind === 'unsigned'))
    .map(({ id, manifestHash }): Pointer => ({ SnapshotId: id, ManifestSha256: manifestHash! }))
  await change.record('adopt', current, reason, {
    Adopted,
    ...closingBy(change.history, closedIn(change, current, found)),
  })
}

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

/** Of the snapshots that lie there, and of the pruned ones. */
async function manifestsIn(folder: string, known: ReadonlySet<string> | null): Promise<CheckedSnapshot[]> {
  const folders = [folder, join(folder, PRUNED)].flatMap((each) =>
    namesIn(each)
      .filter((name) => parseSnapshotId(name))
      .sort()
      .map((name) => join(each, name)),
  )
  return Promise.all(folders.map((each) => checkManifest(each, known)))
}
