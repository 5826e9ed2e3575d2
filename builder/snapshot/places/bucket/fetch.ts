/** Brings a company's published snapshots from a bucket into their folder. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as othersTurn } from 'node:timers/promises'
import { filesAndFolders, makeFolders, removeTree, replaceFile, syncTree } from '../../../system/durable.ts'
import { cannotLink, disk, MODES } from '../../../system/effects.ts'
import { sha256OfFile } from '../../../system/hash.ts'
import { inParallel } from '../../../system/parallel.ts'
import { readFile } from '../../../system/plain-file.ts'
import { ChangeRefusedError } from '../../../system/refusals.ts'
import { SnapshotDamagedError } from '../../files/damage.ts'
import {
  CANDIDATES,
  doomedFolder,
  INPUTS,
  inputPath,
  LOG,
  MANIFEST,
  PRUNED,
  parseSnapshotId,
  stageFolder,
} from '../../files/layout.ts'
import { type FileEntry, keptInputs, type Manifest, readManifest } from '../../files/manifest.ts'
import { measure } from '../../files/measure.ts'
import { listSnapshotIds } from '../../files/open.ts'
import { movePointer, takeTidy } from '../../log/change.ts'
import { historyOf } from '../../log/history.ts'
import type { Lock } from '../../log/lock.ts'
import { parseRecord } from '../../log/log-record.ts'
import type { Bucket } from './bucket.ts'
import { getObject, getObjectTo, type HeldCompany, readHeld } from './company-object.ts'
import { listedIn, manifestIn } from './folder.ts'
import { AT_ONCE, type Copied, type CopyProgress } from './send.ts'

/**
 * Which snapshots are brought: `all`; `latest`, those that the next publication needs, with their kept sources;
 * `served`, the current one without kept sources and candidates; or those of these ids, without them too.
 */
type Extent = 'all' | 'latest' | 'served' | readonly string[]

export interface Bringing {
  readonly extent: Extent
  /** Paths of files elsewhere on this disk, by their hashes; they are linked instead of sent. */
  readonly near?: ReadonlyMap<string, string>
  /** Whether the folder is a working copy of the bucket: what the bucket lacks is removed from it. */
  readonly isCopy?: boolean
  readonly progress?: CopyProgress
}

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
    const { present: _, ...copied } = await bring(bucket, root, held, lock, { extent: 'all', progress })
    return copied
  } finally {
    lock.release()
  }
}

interface Brought extends Copied {
  /** All files of the folder that are now as the bucket has them, but for the pointer. Files that were there before are included. */
  readonly present: readonly FileEntry[]
}

/** As {@link fetchCompany}, with what the bucket holds as given; the caller has the lock of the folder. */
export async function bring(
  bucket: Bucket,
  root: string,
  { object }: HeldCompany,
  lock: Lock,
  { extent, near, isCopy = false, progress }: Bringing,
): Promise<Brought> {
  const { CompanyId: company, Current, Files } = object
  const folder = join(root, company)
  const log = await logOf(bucket, folder, Files)
  const arrival = new Arrival(bucket, root, company, progress ?? (() => {}))
  try {
    await arrival.know(near ?? new Map())
    const wanted = wantedIn(extent, Current?.SnapshotId ?? null, log)
    const snapshots = [...bySnapshot(Files)].filter(([id]) => wanted === 'all' || wanted.has(id))
    const manifests: Manifest[] = []
    const present: FileEntry[] = []
    for (const [id, files] of snapshots) {
      const manifest = await arrival.snapshot(id, files)
      manifests.push(manifest)
      for (const file of [...files, ...listedIn(id, manifest)]) present.push(file)
    }
    const others = Files.filter(({ Path }) => Path !== LOG && !isOfSnapshot(Path))
    const beside = besideOf(extent, others, folder, manifests)
    await arrival.beside(beside)
    present.push(...beside, ...Files.filter(({ Path }) => Path === LOG))
    lock.confirm()
    // The pointer moves before its line is in the log, as in a publication.
    if (Current !== null) movePointer(root, company, Current)
    if (log !== null && !(await holds(join(folder, LOG), log)))
      replaceFile(join(folder, LOG), log, MODES.file)
    // Clients of a server may still be reading them.
    if (!isCopy || extent === 'all') removePruned(folder, Files)
    if (isCopy) removeOthers(folder, Files)
    return { company, current: Current?.SnapshotId ?? null, ...arrival.copied, present }
  } finally {
    arrival.end()
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

/** The ids of the snapshots to bring. A publication also needs the newest one, which may have been rolled back. */
function wantedIn(extent: Extent, current: string | null, log: Buffer | null): ReadonlySet<string> | 'all' {
  if (extent === 'all') return 'all'
  if (typeof extent !== 'string') return new Set(extent)
  const ids = current === null ? [] : [current]
  if (extent === 'served' || log === null) return new Set(ids)
  const records = log
    .toString('utf8')
    .split('\n')
    .flatMap((line) => parseRecord(line) ?? [])
  const head = historyOf(records).head?.SnapshotId
  return new Set(head === undefined ? ids : [...ids, head])
}

function besideOf(
  extent: Extent,
  files: readonly FileEntry[],
  folder: string,
  manifests: readonly Manifest[],
): FileEntry[] {
  if (extent === 'all') return [...files]
  const kept = extent === 'latest' ? manifests.flatMap((manifest) => keptInputs(manifest)) : []
  const inputs = new Set(kept.map(({ Sha256 }) => inputPath(folder, Sha256)))
  return files.filter(({ Path }) =>
    idIn(Path) === INPUTS ? inputs.has(join(folder, Path)) : idIn(Path) !== CANDIDATES || extent === 'latest',
  )
}

/** The log of the bucket, of which that of the folder must be the beginning; null if there is none. */
async function logOf(bucket: Bucket, folder: string, files: readonly FileEntry[]): Promise<Buffer | null> {
  const entry = files.find(({ Path }) => Path === LOG)
  const here = existsSync(join(folder, LOG)) ? await readFile(join(folder, LOG)) : null
  if (here !== null && entry !== undefined && measure(join(folder, LOG)).Sha256 === entry.Sha256) return here
  const there = entry === undefined ? null : await getObject(bucket, entry.Sha256)
  if (here === null || there?.subarray(0, here.length).equals(here)) return there
  throw new ChangeRefusedError(`${folder} has publications that ${bucket.name} lacks; nothing was changed`)
}

const holds = async (path: string, bytes: Buffer): Promise<boolean> =>
  existsSync(path) && (await readFile(path)).equals(bytes)

/** Removes the snapshots that were pruned where the bucket's state comes from. */
function removePruned(folder: string, files: readonly FileEntry[]): void {
  const present = bySnapshot(files)
  const pruned = new Set(
    files.filter(({ Path }) => idIn(Path) === PRUNED).map(({ Path }) => Path.split('/')[1] ?? ''),
  )
  for (const id of pruned) {
    if (parseSnapshotId(id) === null || present.has(id) || !existsSync(join(folder, id))) continue
    disk.rename(join(folder, id), doomedFolder(folder, id))
    removeTree(doomedFolder(folder, id))
  }
}

/** Removes what lies beside the snapshots and the bucket does not name, such as a candidate that was rejected. */
function removeOthers(folder: string, files: readonly FileEntry[]): void {
  const named = new Set(files.map(({ Path }) => join(folder, Path)))
  for (const place of [CANDIDATES, INPUTS, PRUNED].filter((name) => existsSync(join(folder, name))))
    for (const path of filesAndFolders(join(folder, place))[0].map((name) => join(folder, place, name)))
      if (!named.has(path)) disk.unlink(path)
}

/** Files on their way into a company's folder. They are gathered in a stage beside it, and moved in once all of them are there. */
class Arrival {
  readonly copied = { files: 0, bytes: 0 }
  readonly #bucket: Bucket
  readonly #root: string
  readonly #company: string
  readonly #folder: string
  readonly #stage: string
  readonly #progress: CopyProgress
  /** By hash: the path of a file on this disk with that content. */
  readonly #here = new Map<string, string>()

  constructor(bucket: Bucket, root: string, company: string, progress: CopyProgress) {
    this.#bucket = bucket
    this.#root = root
    this.#company = company
    this.#folder = join(root, company)
    this.#stage = stageFolder(root, company, randomBytes(6).toString('hex'))
    this.#progress = progress
  }

  /** Lists the contents that lie in the folder already, or elsewhere on this disk (`near`). */
  async know(near: ReadonlyMap<string, string>): Promise<void> {
    for (const id of await listSnapshotIds(this.#root, this.#company)) {
      if (existsSync(join(this.#folder, id, MANIFEST))) this.#knowSnapshot(id, manifestIn(this.#folder, id))
      await othersTurn()
    }
    for (const [hash, path] of near) this.#here.set(hash, path)
  }

  #knowSnapshot(id: string, manifest: Manifest): void {
    for (const { Path, Sha256 } of listedIn(id, manifest)) this.#here.set(Sha256, join(this.#folder, Path))
  }

  /** Brings a snapshot, which appears complete, unless it is there; returns its manifest. `own` are the files that no manifest lists. */
  async snapshot(id: string, own: readonly FileEntry[]): Promise<Manifest> {
    const target = join(this.#folder, id)
    if (existsSync(target)) return manifestIn(this.#folder, id)
    const sealed = own.find(({ Path }) => Path === `${id}/${MANIFEST}`)
    if (sealed === undefined) throw this.#unreadable(id)
    await this.#gather([sealed])
    const { manifest } = readManifest(await readFile(join(this.#stage, sealed.Path), 'utf8'))
    if (manifest?.CompanyId !== this.#company || manifest.SnapshotId !== id) throw this.#unreadable(id)
    const files = [...own, ...listedIn(id, manifest)]
    await this.#gather(files.filter((file) => file !== sealed))
    const stage = join(this.#stage, id)
    await syncTree(
      this.#stage,
      files.map(({ Path }) => Path),
      foldersOf(this.#stage, files),
    )
    disk.rename(stage, target)
    disk.syncFolder(this.#folder)
    this.#knowSnapshot(id, manifest)
    return manifest
  }

  #unreadable(id: string): SnapshotDamagedError {
    return new SnapshotDamagedError(
      `${this.#bucket.name} has no readable ${MANIFEST} of ${this.#company}/${id}`,
    )
  }

  /** Files beside the snapshots: kept sources, time stamps, what is left of pruned ones, candidates. Each appears complete. */
  async beside(files: readonly FileEntry[]): Promise<void> {
    const missing = files.filter(({ Path }) => !existsSync(join(this.#folder, Path)))
    if (missing.length === 0) return
    await this.#gather(missing)
    await syncTree(
      this.#stage,
      missing.map(({ Path }) => Path),
      foldersOf(this.#stage, missing),
    )
    const folders = foldersOf(this.#folder, missing)
    for (const folder of folders) makeFolders(folder)
    for (const { Path } of missing) await rename(join(this.#stage, Path), join(this.#folder, Path))
    for (const folder of folders) disk.syncFolder(folder)
  }

  end(): void {
    removeTree(this.#stage)
  }

  async #gather(files: readonly FileEntry[]): Promise<void> {
    for (const folder of foldersOf(this.#stage, files)) makeFolders(folder)
    let done = 0
    await inParallel(files, AT_ONCE, async ({ Path, Sha256, Bytes }) => {
      const target = join(this.#stage, Path)
      if (!(await this.#link(Sha256, target))) {
        await getObjectTo(this.#bucket, Sha256, target)
        this.copied.files++
        this.copied.bytes += Bytes
      }
      this.#progress(++done, files.length)
      // Files that lie here need no request, and a server answers its readers in between.
      if (done % AT_ONCE === 0) await othersTurn()
    })
  }

  /** Links a file with this hash that lies on this disk, if there is an intact one. A server answers others while a large one is read. */
  async #link(hash: string, target: string): Promise<boolean> {
    const here = this.#here.get(hash)
    if (here === undefined || !existsSync(here) || (await sha256OfFile(here)) !== hash) return false
    try {
      disk.link(here, target)
    } catch (problem) {
      if (!cannotLink(problem)) throw problem
      disk.copy(here, target)
    }
    return true
  }
}

const foldersOf = (folder: string, files: readonly FileEntry[]): string[] => [
  ...new Set([folder, ...files.map(({ Path }) => dirname(join(folder, Path)))]),
]
