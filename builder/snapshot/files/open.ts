/** Reads published snapshots. Every file is checked against the manifest, and the manifest against the pointer. */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsent } from '../../system/effects.ts'
import { sha256, sha256OfFile } from '../../system/hash.ts'
import { createReadStream, readFile } from '../../system/plain-file.ts'
import { SnapshotDamagedError } from './damage.ts'
import { companyFolder, MANIFEST, POINTER, parseSnapshotId, pointerPath, snapshotFolder } from './layout.ts'
import {
  type FileEntry,
  filesOf,
  type Manifest,
  type Pointer,
  parsePointer,
  readManifest,
} from './manifest.ts'

/** Whether an error means that files of one company are damaged or missing, or that the disk fails. It may pass without a restart. */
export const isOfTheDisk = (problem: unknown): problem is Error =>
  problem instanceof SnapshotDamagedError || (problem instanceof Error && 'syscall' in problem)

export interface Snapshot {
  readonly company: string
  readonly id: string
  readonly folder: string
  /** Hex SHA-256 of manifest.json. */
  readonly manifestHash: string
  readonly manifest: Manifest
  /** The files by path, in the order of the manifest. */
  readonly files: ReadonlyMap<string, FileEntry>
  has(path: string): boolean
  /** The bytes of one file, hash-checked. Throws {@link SnapshotDamagedError}. */
  read(path: string): Promise<Buffer>
  /** Checks the hash of one file, of any size, without keeping its bytes. Throws {@link SnapshotDamagedError}. */
  check(path: string): Promise<void>
}

export interface SnapshotSummary {
  readonly id: string
  readonly current: boolean
  readonly manifest: Manifest
}

/** Ids of the companies that have a published snapshot, in code point order. */
export async function listCompanyIds(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((problem) => {
    if (isAbsent(problem)) return []
    throw problem
  })
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const pointers = await Promise.all(folders.map((company) => readPointer(root, company)))
  return folders.filter((_, i) => pointers[i] !== null).sort()
}

/** The current snapshot; null if nothing was published yet. Throws {@link SnapshotDamagedError} if the pointer is unreadable. */
export async function readPointer(root: string, company: string): Promise<Pointer | null> {
  const text = await readFile(pointerPath(root, company), 'utf8').catch((problem) => {
    if (isAbsent(problem)) return null
    throw problem
  })
  if (text === null) return null
  const pointer = parsePointer(text)
  if (pointer === null) throw new SnapshotDamagedError(`${POINTER} of ${company} is not readable any more`)
  return pointer
}

/**
 * Opens one snapshot. With `manifestSha256`, its manifest must have that hash. Throws {@link SnapshotDamagedError} if it is
 * missing or damaged.
 */
export async function openSnapshot(
  root: string,
  company: string,
  id: string,
  manifestSha256?: string,
): Promise<Snapshot> {
  if (parseSnapshotId(id) === null) throw new SnapshotDamagedError(`"${id}" is not a snapshot id`)
  return openSnapshotIn(snapshotFolder(root, company, id), company, id, manifestSha256)
}

/** As {@link openSnapshot}, for a snapshot in any folder, such as in an archive. */
export async function openSnapshotIn(
  folder: string,
  company: string,
  id: string,
  manifestSha256?: string,
): Promise<Snapshot> {
  const bytes = await readFile(join(folder, MANIFEST)).catch((problem) => {
    if (isAbsent(problem)) throw new SnapshotDamagedError(`snapshot ${id} of ${company} has no ${MANIFEST}`)
    throw problem
  })
  const manifestHash = sha256(bytes)
  if (manifestSha256 !== undefined && manifestSha256 !== manifestHash)
    throw new SnapshotDamagedError(
      `${MANIFEST} of snapshot ${id} of ${company} is not the one that was published`,
    )
  const read = readManifest(bytes.toString('utf8'))
  if (read.manifest === null) throw new SnapshotDamagedError(`snapshot ${id} of ${company}: ${read.problem}`)
  const { manifest } = read
  if (manifest.CompanyId !== company || manifest.SnapshotId !== id)
    throw new SnapshotDamagedError(
      `${MANIFEST} in ${company}/${id} is that of ${manifest.CompanyId}/${manifest.SnapshotId}`,
    )
  const files = filesOf(manifest)
  return {
    company,
    id,
    folder,
    manifestHash,
    manifest,
    files,
    has: (path) => files.has(path),
    read: (path) =>
      checked(path, async (file) => {
        const content = await readFile(file)
        return { value: content, hash: sha256(content) }
      }),
    check: (path) => checked(path, async (file) => ({ value: undefined, hash: await sha256OfFile(file) })),
  }

  /** What `look` finds in the file, if its hash is the published one. */
  async function checked<T>(
    path: string,
    look: (file: string) => Promise<{ readonly value: T; readonly hash: string }>,
  ): Promise<T> {
    const entry = files.get(path)
    if (entry === undefined)
      throw new SnapshotDamagedError(`snapshot ${id} of ${company} has no file ${path}`)
    const damaged = (how: string) =>
      new SnapshotDamagedError(`${path} of snapshot ${id} of ${company} ${how}`)
    const place = join(folder, path)
    try {
      const found = await stat(place)
      // A file that grew is not read, which would take long, or more memory than there is.
      if (found.isFile() && found.size !== entry.Bytes) throw damaged('was changed after publication')
      const { value, hash } = await look(place)
      if (hash !== entry.Sha256) throw damaged('was changed after publication')
      return value
    } catch (problem) {
      throw isAbsent(problem) ? damaged('is missing') : problem
    }
  }
}

/**
 * Opens the current snapshot. Returns null if there is none, or if it is damaged, so that a good one can still be published.
 * If the pointer names the manifest of `known`, that snapshot is returned and nothing is read.
 */
export async function openCurrent(
  root: string,
  company: string,
  known: Snapshot | null = null,
): Promise<Snapshot | null> {
  const pointer = await readPointer(root, company)
  if (pointer === null) return null
  if (known?.manifestHash === pointer.ManifestSha256 && known.id === pointer.SnapshotId) return known
  return openSnapshot(root, company, pointer.SnapshotId, pointer.ManifestSha256).catch((problem: unknown) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
}

/** Ids of the snapshots in a company's folder by month and revision, oldest first. None is opened. */
export async function listSnapshotIds(root: string, company: string): Promise<string[]> {
  const names = await readdir(companyFolder(root, company)).catch((problem) => {
    if (isAbsent(problem)) return []
    throw problem
  })
  return names
    .flatMap((id) => {
      const parsed = parseSnapshotId(id)
      return parsed ? [{ id, ...parsed }] : []
    })
    .sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : a.revision - b.revision))
    .map(({ id }) => id)
}

/** All published snapshots of a company, oldest first. */
export async function listSnapshots(root: string, company: string): Promise<SnapshotSummary[]> {
  const pointer = await readPointer(root, company)
  const ids = await listSnapshotIds(root, company)
  return Promise.all(
    ids.map(async (id) => ({
      id,
      current: pointer?.SnapshotId === id,
      manifest: (await openSnapshot(root, company, id)).manifest,
    })),
  )
}

/**
 * SHA-256 of a snapshot's manifest. Only its beginning is parsed, which names company and snapshot. Throws
 * {@link SnapshotDamagedError} if these are others.
 */
export async function readManifestHash(root: string, company: string, id: string): Promise<string> {
  const hash = createHash('sha256')
  let head = ''
  for await (const chunk of createReadStream(join(snapshotFolder(root, company, id), MANIFEST))) {
    hash.update(chunk)
    if (head.length < MANIFEST_HEAD) head += (chunk as Buffer).toString('utf8', 0, MANIFEST_HEAD)
  }
  const stated = (name: string) => new RegExp(`"${name}":\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(head)?.[1]
  if (stated('CompanyId') !== JSON.stringify(company) || stated('SnapshotId') !== JSON.stringify(id))
    throw new SnapshotDamagedError(`${MANIFEST} in ${company}/${id} is that of another snapshot, or damaged`)
  return hash.digest('hex')
}

/** This many characters hold the names of company and snapshot. */
const MANIFEST_HEAD = 1024
