/**
 * Archives a published snapshot: checks it, and writes it as a bag that needs no other file to be verified. First
 * file of the room that owns bags (BagIt) of snapshots and of evidence, as folder and zip. Must not trust a path or
 * size that it read, nor know accounting.
 */
import { existsSync } from 'node:fs'
import { andMore } from '../../contract/listed.ts'
import { SnapshotDamagedError } from '../../snapshot/files/damage.ts'
import { checkSnapshot } from '../../snapshot/files/files.ts'
import { checkInputsOf } from '../../snapshot/files/inputs.ts'
import { checkedOnce, checkMemberSnapshots } from '../../snapshot/files/member-snapshots.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import type { KnownKeys } from '../../snapshot/keys/sign.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { type BagRequest, bagContents } from './contents.ts'
import { type BytesWritten, isZipPath, writeBag } from './write.ts'

export interface ArchiveRequest extends BagRequest {
  /** Absolute path; a zip where it ends in `.zip`, else a folder. */
  readonly to: string
  /** Ids of the keys that may have signed; null where none are known. */
  readonly known: KnownKeys
  readonly written?: BytesWritten
}

export interface Archived {
  readonly company: string
  readonly snapshotId: string
  readonly path: string
  readonly kind: 'folder' | 'zip'
  readonly bagItVersion: string
  /** Files and bytes of the snapshot and its kept sources, without the pages that the bag adds. */
  readonly payload: { readonly files: number; readonly bytes: number }
  readonly keptInputs: number
  readonly manifestSha256: string
  readonly keyId: string | null
}

/**
 * Writes the bag. Throws {@link SnapshotDamagedError} where the snapshot is not as published, PlaceError where `to`
 * cannot be written.
 */
export async function archiveSnapshot(snapshot: Snapshot, request: ArchiveRequest): Promise<Archived> {
  return archiveNow(snapshot, request).catch((problem) => {
    if (existsSync(snapshot.folder)) throw problem
    throw new ChangeRefusedError(
      `${snapshot.id} of ${snapshot.company} was pruned meanwhile; nothing was archived`,
      { cause: problem },
    )
  })
}

async function archiveNow(
  snapshot: Snapshot,
  { to, known, written = () => {}, ...request }: ArchiveRequest,
): Promise<Archived> {
  const checked = await checkSnapshot(snapshot.folder, known)
  const inputs = await checkInputsOf(snapshot.folder, checked)
  const members = await checkMemberSnapshots(checked, checkedOnce(known))
  const [first, ...more] = [...checked.damages, ...inputs.damages, ...members.damages]
  if (first)
    throw new SnapshotDamagedError(
      `${first.message}${andMore(more.length)}; nothing was archived: tieout verify ${snapshot.company} says all`,
    )
  const bag = await bagContents(snapshot, request)
  await writeBag(bag, to, written)
  return {
    company: snapshot.company,
    snapshotId: snapshot.id,
    path: to,
    kind: isZipPath(to) ? 'zip' : 'folder',
    bagItVersion: request.version,
    payload: bag.payload,
    keptInputs: bag.inputs,
    manifestSha256: snapshot.manifestHash,
    keyId: bag.keyId,
  }
}
