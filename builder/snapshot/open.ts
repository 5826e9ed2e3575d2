/** Reads published snapshots. Every file is checked against the manifest, the manifest against the pointer. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsent } from '../workspace/effects.ts'
import { sha256 } from '../workspace/hash.ts'
import { createReadStream, readFile } from '../workspace/plain-file.ts'
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

/** Published files are damaged or missing, or the disk fails: the state of one company, which may be mended any moment. */
export const isOfTheDisk = (problem: unknown): problem is Error =>
  problem instanceof SnapshotDamagedError || (problem instanceof Error && 'syscall' in problem)

export interface Snapshot {
  readonly company: string
  readonly id: string
  readonly folder: string
  /** Hex SHA-256 of manifest.json. */
  readonly manifestHash: string
  readonly manifest: Manifest
  /** Its files, by path, in the order of the manifest. */
  readonly files: ReadonlyMap<string, FileEntry>
  has(path: string): boolean
  /** The bytes of one file, hash-checked. Throws {@link SnapshotDamagedError}. */
  read(path: string): Promise<Buffer>
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

/** Which snapshot is current, or null where nothing was published yet. */
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

/** Opens one snapshot; with `manifestSha256` (the pointer's) only where the manifest is the very one. */
export async function openSnapshot(
  root: string,
  company: string,
  id: string,
  manifestSha256?: string,
): Promise<Snapshot> {
  if (parseSnapshotId(id) === null) throw new SnapshotDamagedError(`"${id}" is not a snapshot id`)
  return openSnapshotIn(snapshotFolder(root, company, id), company, id, manifestSha256)
}

/** {@link openSnapshot} wherever it lies, such as in an archive. */
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
    read: async (path) => {
      const entry = files.get(path)
      if (entry === undefined)
        throw new SnapshotDamagedError(`snapshot ${id} of ${company} has no file ${path}`)
      const content = await readFile(join(folder, path)).catch((problem) => {
        if (isAbsent(problem))
          throw new SnapshotDamagedError(`${path} of snapshot ${id} of ${company} is missing`)
        throw problem
      })
      if (sha256(content) !== entry.Sha256)
        throw new SnapshotDamagedError(
          `${path} of snapshot ${id} of ${company} was changed after publication`,
        )
      return content
    },
  }
}

/**
 * The snapshot that the next one follows; null where there is none, or where it is damaged: that is no reason not to
 * publish a good one. `known` is it where its manifest is the pointer's, and then nothing is read.
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

/** Ids of the snapshots that lie in a company's folder, oldest first (by month, then revision); none is opened. */
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
 * The hash of a snapshot's manifest, of which no more than the beginning is looked into: it says of which company and
 * snapshot it is. Throws {@link SnapshotDamagedError} where that is another.
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
const MANIFEST_HEAD = 1024
