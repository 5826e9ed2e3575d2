/** Copies a company's published snapshots from their folder into a bucket. */

import { join } from 'node:path'
import { sha256 } from '../../../system/hash.ts'
import { inParallel } from '../../../system/parallel.ts'
import { readFile } from '../../../system/plain-file.ts'
import { ChangeRefusedError } from '../../../system/refusals.ts'
import { LOG, lockPath } from '../../files/layout.ts'
import { type FileEntry, readManifest } from '../../files/manifest.ts'
import { takeLock } from '../../log/lock.ts'
import type { Bucket, Deadline } from './bucket.ts'
import {
  encodeCompany,
  getObject,
  type HeldCompany,
  putObject,
  readHeld,
  swapHeld,
} from './company-object.ts'
import { listedIn, type PublishedFolder, readPublishedFolder } from './folder.ts'
import { claim } from './marks.ts'
export interface Copied {
  readonly company: string
  /** The snapshot that is current at both places. */
  readonly current: string | null
  /** The files that were copied; what is at the other place is not copied again. */
  readonly files: number
  readonly bytes: number
}

export type CopyProgress = (done: number, total: number) => void

/** How many files are on their way at once. */
export const AT_ONCE = 16

/**
 * Brings a bucket to the state of a folder. Throws {@link ChangeRefusedError} if the bucket has publications that the folder lacks, or
 * if another writer was first, and {@link SnapshotDamagedError} if a file is not as its manifest says. Nothing but unreferenced objects is there
 * before the last request, which swaps the company's object.
 */
export async function sendCompany(
  bucket: Bucket,
  root: string,
  company: string,
  progress: CopyProgress = () => {},
): Promise<Copied> {
  const lock = takeLock(lockPath(root, company))
  try {
    const [held, published] = [await readHeld(bucket, company), await readPublishedFolder(root, company)]
    const { object } = published
    const copied = { company, current: object.Current?.SnapshotId ?? null, files: 0, bytes: 0 }
    if (held !== null && encodeCompany(held.object).equals(encodeCompany(object))) return copied
    if (held !== null) await refuseOtherHistory(bucket, held, join(root, company))
    const lacking = await lackingIn(bucket, held, published)
    const { bytes, by } = await sendFiles(bucket, join(root, company), lacking, progress)
    lock.confirm()
    if (!(await swapHeld(bucket, object, held, by)))
      throw new ChangeRefusedError(
        `somebody else changed ${company} in ${bucket.name} meanwhile; nothing was changed there. Run it again`,
      )
    return { ...copied, files: lacking.length, bytes }
  } finally {
    lock.release()
  }
}

interface Sent {
  /** The bytes of the files that were not there. */
  readonly bytes: number
  /** Hashes of files that the bucket had already, although no object of a company names them. */
  readonly found: readonly string[]
  /** What names the files must be published by then; they are not deleted before. */
  readonly by: Deadline
}

/** Sends files of a company's folder, each once for its content. Throws {@link SnapshotDamagedError} if one was changed. */
export async function sendFiles(
  bucket: Bucket,
  folder: string,
  files: readonly FileEntry[],
  progress: CopyProgress = () => {},
): Promise<Sent> {
  const found: string[] = []
  let bytes = 0
  let done = 0
  const by = await claim(
    bucket,
    files.map(({ Sha256 }) => Sha256),
  )
  await inParallel(files, AT_ONCE, async ({ Path, Sha256, Bytes }) => {
    if (await putObject(bucket, Sha256, join(folder, Path))) bytes += Bytes
    else found.push(Sha256)
    progress(++done, files.length)
  })
  return { bytes, found, by }
}

/** The log only grows: that of the bucket must be the beginning of the one in the folder. */
async function refuseOtherHistory(bucket: Bucket, { object }: HeldCompany, folder: string): Promise<void> {
  const there = object.Files.find(({ Path }) => Path === LOG)
  if (there === undefined) return
  const here = await readFile(join(folder, LOG)).catch(() => Buffer.alloc(0))
  if (sha256(here.subarray(0, there.Bytes)) === there.Sha256 && here.length >= there.Bytes) return
  throw new ChangeRefusedError(
    `${bucket.name} has publications of ${object.CompanyId} that are not here; copy them from there first ("tieout snapshots copy --from ${bucket.name}")`,
  )
}

/** One file for each content that the bucket may lack. */
async function lackingIn(
  bucket: Bucket,
  held: HeldCompany | null,
  { object, listed }: PublishedFolder,
): Promise<FileEntry[]> {
  const known = held === null ? [] : [...held.object.Files, ...(await snapshotsHeld(bucket, held))]
  return without(known, [...object.Files, ...listed])
}

/** One file for each content that the known files do not have. */
export function without(known: Iterable<FileEntry>, files: Iterable<FileEntry>): FileEntry[] {
  const hashes = new Set([...known].map(({ Sha256 }) => Sha256))
  const lacking = new Map<string, FileEntry>()
  for (const each of files) if (!hashes.has(each.Sha256)) lacking.set(each.Sha256, each)
  return [...lacking.values()]
}

/** The files of the current snapshot in the bucket: the next one shares most of them. Others are not asked for. */
async function snapshotsHeld(bucket: Bucket, { object }: HeldCompany): Promise<FileEntry[]> {
  if (object.Current === null) return []
  const { SnapshotId, ManifestSha256 } = object.Current
  const { manifest } = readManifest((await getObject(bucket, ManifestSha256)).toString('utf8'))
  return manifest === null ? [] : listedIn(SnapshotId, manifest)
}
