/** Copies a company's published snapshots from a bucket into their folder. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { movePointer, takeTidy } from '../snapshot/change.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { doomedFolder, LOG, MANIFEST, PRUNED, parseSnapshotId, stageFolder } from '../snapshot/layout.ts'
import { type FileEntry, readManifest } from '../snapshot/manifest.ts'
import { measure } from '../snapshot/measure.ts'
import { createOnce, makeFolders, removeTree, replaceFile, syncTree } from '../workspace/durable.ts'
import { disk, MODES } from '../workspace/effects.ts'
import { readFile } from '../workspace/plain-file.ts'
import { ChangeRefusedError } from '../workspace/refusals.ts'
import type { Bucket } from './bucket.ts'
import { getObject, readHeld } from './company-object.ts'
import { listedIn, readPublished } from './folder.ts'
import { inParallel } from './parallel.ts'
import { AT_ONCE, type Copied, type CopyProgress } from './send.ts'

/**
 * Brings a folder to the state of a bucket. Throws {@link ChangeRefusedError} if the folder has publications that the bucket lacks, and
 * {@link BucketError} if an object is missing or is not what its name says. Readers of the folder get the new state at the end, in one step.
 */
export async function fetchCompany(
  bucket: Bucket,
  root: string,
  company: string,
  progress: CopyProgress = () => {},
): Promise<Copied> {
  const held = await readHeld(bucket, company)
  if (held === null) throw new ChangeRefusedError(`${bucket.name} has nothing of company "${company}"`)
  const lock = takeTidy(root, company, disk)
  try {
    const arrival = new Arrival(bucket, join(root, company), progress)
    const { Current, Files } = held.object
    const log = await arrival.logOf(Files.find(({ Path }) => Path === LOG))
    await arrival.know(root, company)
    await arrival.others(Files.filter(({ Path }) => Path !== LOG && !isOfSnapshot(Path)))
    for (const [id, files] of bySnapshot(Files)) await arrival.snapshot(root, company, id, files)
    lock.confirm()
    // The pointer moves before its line is in the log, as in a publication.
    if (Current !== null) movePointer(root, company, Current)
    if (log !== null) replaceFile(join(root, company, LOG), log, MODES.file)
    removePruned(join(root, company), Files)
    return { company, current: Current?.SnapshotId ?? null, ...arrival.copied }
  } finally {
    lock.release()
  }
}

const idIn = (path: string): string => path.slice(0, path.indexOf('/'))
const isOfSnapshot = (path: string): boolean => parseSnapshotId(idIn(path)) !== null

function bySnapshot(files: readonly FileEntry[]): Map<string, FileEntry[]> {
  const found = new Map<string, FileEntry[]>()
  for (const file of files)
    if (isOfSnapshot(file.Path)) found.set(idIn(file.Path), [...(found.get(idIn(file.Path)) ?? []), file])
  return found
}

/** Removes the snapshots that were pruned where the bucket's state comes from. */
function removePruned(folder: string, files: readonly FileEntry[]): void {
  const present = new Set(bySnapshot(files).keys())
  const pruned = new Set(
    files.filter(({ Path }) => idIn(Path) === PRUNED).map(({ Path }) => Path.split('/')[1] ?? ''),
  )
  for (const id of pruned) {
    if (parseSnapshotId(id) === null || present.has(id) || !existsSync(join(folder, id))) continue
    disk.rename(join(folder, id), doomedFolder(folder, id))
    removeTree(doomedFolder(folder, id))
  }
}

/** Files on their way into a company's folder. */
class Arrival {
  readonly copied = { files: 0, bytes: 0 }
  readonly #bucket: Bucket
  readonly #folder: string
  readonly #progress: CopyProgress
  /** A path of each content that lies in the folder. */
  readonly #here = new Map<string, string>()

  constructor(bucket: Bucket, folder: string, progress: CopyProgress) {
    this.#bucket = bucket
    this.#folder = folder
    this.#progress = progress
  }

  /** The log of the bucket, of which that of the folder must be the beginning; null if there is none. */
  async logOf(entry: FileEntry | undefined): Promise<Buffer | null> {
    const here = existsSync(join(this.#folder, LOG)) ? await readFile(join(this.#folder, LOG)) : null
    const there = entry === undefined ? null : await getObject(this.#bucket, entry.Sha256)
    if (here === null || there?.subarray(0, here.length).equals(here)) return there
    throw new ChangeRefusedError(
      `${this.#folder} has publications that ${this.#bucket.name} lacks; nothing was changed`,
    )
  }

  async know(root: string, company: string): Promise<void> {
    const { object, listed } = await readPublished(root, company)
    for (const { Path, Sha256 } of [...object.Files, ...listed])
      this.#here.set(Sha256, join(this.#folder, Path))
  }

  /** Files beside the snapshots: kept sources, time stamps, what is left of pruned ones, candidates. Each appears complete. */
  async others(files: readonly FileEntry[]): Promise<void> {
    const missing = files.filter(({ Path }) => !existsSync(join(this.#folder, Path)))
    await this.#place(this.#folder, missing, (path, bytes) => createOnce(path, bytes, MODES.published))
  }

  /** One snapshot, which appears complete. `own` are its manifest and what vouches for it. */
  async snapshot(root: string, company: string, id: string, own: readonly FileEntry[]): Promise<void> {
    const target = join(this.#folder, id)
    if (existsSync(target)) return
    const sealed = own.find(({ Path }) => Path === `${id}/${MANIFEST}`)
    const bytes = sealed && (await getObject(this.#bucket, sealed.Sha256))
    const manifest = bytes && readManifest(bytes.toString('utf8')).manifest
    if (manifest?.CompanyId !== company || manifest.SnapshotId !== id)
      throw new SnapshotDamagedError(`${this.#bucket.name} has no readable ${MANIFEST} of ${company}/${id}`)
    const stage = stageFolder(root, company, randomBytes(6).toString('hex'))
    try {
      const files = [...own, ...listedIn(id, manifest)].map((file) => ({
        ...file,
        Path: file.Path.slice(id.length + 1),
      }))
      await this.#place(stage, files, (path, bytes) => disk.create(path, bytes, MODES.published))
      const paths = files.map(({ Path }) => Path)
      await syncTree(stage, paths, foldersOf(stage, files))
      disk.rename(stage, target)
      disk.syncFolder(this.#folder)
    } finally {
      removeTree(stage)
    }
    for (const { Path, Sha256 } of listedIn(id, manifest)) this.#here.set(Sha256, join(this.#folder, Path))
  }

  async #place(
    folder: string,
    files: readonly FileEntry[],
    write: (path: string, bytes: Buffer) => void,
  ): Promise<void> {
    for (const path of foldersOf(folder, files)) makeFolders(path)
    let done = 0
    await inParallel(files, AT_ONCE, async ({ Path, Sha256 }) => {
      write(join(folder, Path), await this.#contentOf(Sha256))
      this.#progress(++done, files.length)
    })
  }

  /** Bytes with this hash, from the folder if an intact file has them. */
  async #contentOf(hash: string): Promise<Buffer> {
    const here = this.#here.get(hash)
    if (here !== undefined && existsSync(here) && measure(here).Sha256 === hash) return readFile(here)
    const bytes = await getObject(this.#bucket, hash)
    this.copied.files++
    this.copied.bytes += bytes.length
    return bytes
  }
}

const foldersOf = (folder: string, files: readonly FileEntry[]): string[] => [
  ...new Set([folder, ...files.map(({ Path }) => dirname(join(folder, Path)))]),
]
