/**
 * A snapshot in the making: files are written and hashed beside the place where they will stand, files that equal
 * the previous snapshot's are hard links to them. Until {@link Stage.publish} nobody sees any of it.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import {
  isUnfinished,
  makeFolders,
  removeIfThere,
  removeTree,
  replaceFile,
  syncTree,
} from '../workspace/durable.ts'
import { cannotLink, disk, type Effects, isAbsent } from '../workspace/effects.ts'
import { contentHashOf } from './files.ts'
import { discardInputs, type KeptSource, placeInputs, stageInputs } from './inputs.ts'
import {
  companyFolder,
  lockPath,
  MANIFEST,
  parseSnapshotId,
  pointerPath,
  RESTATEMENT,
  SIGNATURE,
  snapshotFolder,
  snapshotId,
  stageFolder,
} from './layout.ts'
import { type Lock, takeLock } from './lock.ts'
import {
  encodeManifest,
  type FileEntry,
  keptInputs,
  type Manifest,
  type Pointer,
  SNAPSHOT_FORMAT,
} from './manifest.ts'
import { openCurrent, type Snapshot, SnapshotDamagedError, sha256 } from './open.ts'
import type { Signer } from './sign.ts'

/** Published files are read-only: a linked file edited in place would change every snapshot that shares it. */
const READ_ONLY = 0o444

export type ManifestBody = Omit<
  Manifest,
  'Format' | 'SnapshotId' | 'Revision' | 'ContentHash' | 'Previous' | 'Files' | 'Build'
>

export interface Stage {
  /** Absolute folder for files that something else writes (Parquet): {@link Stage.adopt} them afterwards. */
  readonly folder: string
  /** What was written and adopted so far. */
  readonly files: readonly FileEntry[]
  write(path: string, content: string | Buffer): void
  /** Takes in files that were written into the stage's folder. */
  adopt(paths: readonly string[]): void
  /** Keeps sources with the snapshot; gives the files that changed since they were read: then nothing may be published. */
  keep(sources: readonly KeptSource[]): Promise<string[]>
  /** Publishes, or says that nothing changed. `startedAt` is for the manifest's `Build` part alone. */
  publish(body: ManifestBody, startedAt: number): Promise<Publication>
  /** Removes what was staged and lets go of the lock. Safe after publish. */
  discard(): void
}

export interface Publication {
  readonly outcome: 'published' | 'unchanged'
  readonly snapshotId: string
  readonly manifestHash: string
  readonly linked: number
}

/** Locks the company and begins a stage; litter of builds that were killed is removed first. */
export async function beginStage(
  root: string,
  company: string,
  signer: Signer | null = null,
  effects: Effects = disk,
): Promise<Stage> {
  const lock = takeLock(lockPath(root, company), effects)
  try {
    sweep(companyFolder(root, company), effects)
    const folder = stageFolder(root, company, randomBytes(6).toString('hex'))
    effects.makeFolder(folder)
    const previous = await openCurrent(root, company)
    return new FolderStage(root, company, folder, previous, signer, lock, effects)
  } catch (problem) {
    lock.release()
    throw problem
  }
}

/** Only while the lock is held: nobody else is at work here. */
function sweep(folder: string, effects: Effects): void {
  for (const name of readdirSync(folder))
    if (name.startsWith('.stage-')) removeTree(join(folder, name), effects)
    else if (isUnfinished(name)) removeIfThere(join(folder, name), effects)
}

class FolderStage implements Stage {
  readonly folder: string
  readonly #root: string
  readonly #company: string
  readonly #previous: Snapshot | null
  readonly #signer: Signer | null
  readonly #previousFiles: ReadonlyMap<string, FileEntry>
  readonly #lock: Lock
  readonly #effects: Effects
  readonly files: FileEntry[] = []
  readonly #folders = new Set<string>()
  #linked = 0

  constructor(
    root: string,
    company: string,
    folder: string,
    previous: Snapshot | null,
    signer: Signer | null,
    lock: Lock,
    effects: Effects,
  ) {
    this.folder = folder
    this.#root = root
    this.#company = company
    this.#previous = previous
    this.#signer = signer
    this.#previousFiles = new Map(previous?.manifest.Files.map((file) => [file.Path, file]))
    this.#lock = lock
    this.#effects = effects
  }

  write(path: string, content: string | Buffer): void {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    const entry: FileEntry = { Path: path, Bytes: bytes.length, Sha256: sha256(bytes) }
    const target = join(this.folder, path)
    this.#makeFolder(dirname(target))
    if (!this.#link(entry, bytes, target)) this.#effects.create(target, bytes, READ_ONLY)
    this.files.push(entry)
  }

  adopt(paths: readonly string[]): void {
    for (const path of paths) {
      const target = join(this.folder, path)
      const bytes = readFileSync(target)
      const entry: FileEntry = { Path: path, Bytes: bytes.length, Sha256: sha256(bytes) }
      this.#folders.add(dirname(target))
      if (this.#isUnchanged(entry)) {
        this.#effects.unlink(target)
        if (!this.#link(entry, bytes, target)) this.#effects.create(target, bytes, READ_ONLY)
      } else this.#effects.chmod(target, READ_ONLY)
      this.files.push(entry)
    }
  }

  keep(sources: readonly KeptSource[]): Promise<string[]> {
    return stageInputs(this.#root, this.#company, this.folder, sources, this.#effects)
  }

  async publish(body: ManifestBody, startedAt: number): Promise<Publication> {
    const files = [...this.files].sort((a, b) => (a.Path < b.Path ? -1 : 1))
    const contentHash = contentHashOf(files)
    const previous = this.#previous
    if (previous && isSame(previous.manifest.Files, files) && keepsAll(previous.manifest, body)) {
      // What had been lost of them is there again.
      placeInputs(this.#root, this.#company, this.folder, this.#effects)
      return {
        outcome: 'unchanged',
        snapshotId: previous.id,
        manifestHash: previous.manifestHash,
        linked: files.length,
      }
    }
    const revision = this.#nextRevision(body.Month)
    const id = snapshotId(body.Month, revision, contentHash)
    const { CompanyId, Month, ...rest } = body
    const manifest: Manifest = {
      Format: SNAPSHOT_FORMAT,
      CompanyId,
      SnapshotId: id,
      Month,
      Revision: revision,
      ContentHash: contentHash,
      Previous: previous && { SnapshotId: previous.id, ManifestSha256: previous.manifestHash },
      ...rest,
      Files: files,
      Build: {
        At: new Date(startedAt).toISOString(),
        Host: hostname(),
        Node: process.version,
        Seconds: Math.round((Date.now() - startedAt) / 100) / 10,
        ...(this.#signer ? { KeyId: this.#signer.keyId } : {}),
      },
    }
    const text = encodeManifest(manifest)
    const manifestHash = sha256(text)
    const signed = await this.#signer?.sign(Buffer.from(text, 'utf8'))
    const all = [...files, this.#add(MANIFEST, text)]
    if (signed !== undefined) all.push(this.#add(SIGNATURE, signed))
    const paths = all.map((file) => file.Path)
    await syncTree(this.folder, paths, this.#folders, this.#effects)
    this.#verify(all)
    this.#lock.confirm()
    placeInputs(this.#root, this.#company, this.folder, this.#effects)
    this.#effects.rename(this.folder, snapshotFolder(this.#root, this.#company, id))
    this.#effects.syncFolder(companyFolder(this.#root, this.#company))
    const pointer = { SnapshotId: id, ManifestSha256: manifestHash }
    movePointer(this.#root, this.#company, pointer, this.#effects)
    return { outcome: 'published', snapshotId: id, manifestHash, linked: this.#linked }
  }

  discard(): void {
    try {
      discardInputs(this.folder, this.#effects)
      removeTree(this.folder, this.#effects)
    } finally {
      this.#lock.release()
    }
  }

  /** What the manifest does not list: it, and what signs it. */
  #add(path: string, text: string): FileEntry {
    this.#effects.create(join(this.folder, path), text, READ_ONLY)
    return { Path: path, Bytes: Buffer.byteLength(text), Sha256: sha256(text) }
  }

  #isUnchanged(entry: FileEntry): boolean {
    const known = this.#previousFiles.get(entry.Path)
    return known !== undefined && known.Sha256 === entry.Sha256 && known.Bytes === entry.Bytes
  }

  /** A hard link to the previous snapshot's equal file; false where there is none or the file system says no. */
  #link(entry: FileEntry, bytes: Buffer, target: string): boolean {
    if (!this.#previous || !this.#isUnchanged(entry)) return false
    const source = join(this.#previous.folder, entry.Path)
    try {
      // What was damaged on disk since must not spread, nor stop every build from now on: it is written anew.
      if (!readFileSync(source).equals(bytes)) return false
      this.#effects.link(source, target)
      this.#linked++
      return true
    } catch (problem) {
      if (cannotLink(problem) || isAbsent(problem)) return false
      throw problem
    }
  }

  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return
    makeFolders(folder, this.#effects)
    this.#folders.add(folder)
  }

  #nextRevision(month: string): number {
    const revisions = readdirSync(companyFolder(this.#root, this.#company)).flatMap((name) => {
      const parsed = parseSnapshotId(name)
      return parsed?.month === month ? [parsed.revision] : []
    })
    return Math.max(0, ...revisions) + 1
  }

  /** Everything is read back, linked files too: what the disk holds is what the manifest says. */
  #verify(files: readonly FileEntry[]): void {
    for (const file of files) {
      const bytes = readFileSync(join(this.folder, file.Path))
      if (bytes.length === file.Bytes && sha256(bytes) === file.Sha256) continue
      throw new SnapshotDamagedError(
        `${file.Path} reads back differently from what was written; nothing was published`,
      )
    }
  }
}

/** The last step of a publication: from here on readers get this snapshot. */
export function movePointer(
  root: string,
  company: string,
  { SnapshotId, ManifestSha256 }: Pointer,
  effects: Effects = disk,
): void {
  const text = `${JSON.stringify({ SnapshotId, ManifestSha256 })}\n`
  replaceFile(pointerPath(root, company), text, 0o644, effects)
}

/**
 * Every file equal, the books too: an entry moved inside its month changes no monthly figure, but it changes what is
 * answered for a part of that month, and where figures come from.
 */
function isSame(before: readonly FileEntry[], now: readonly FileEntry[]): boolean {
  // What a snapshot restated is about the one before it: the next build has none of it.
  const listOf = (files: readonly FileEntry[]) =>
    files.flatMap(({ Path, Sha256 }) => (Path === RESTATEMENT ? [] : [`${Path} ${Sha256}`])).join('\n')
  return listOf(before) === listOf(now)
}

/** Sources that are to be kept are a part of the snapshot: others make another one, with the same figures. */
function keepsAll(before: Manifest, now: ManifestBody): boolean {
  const kept = new Set(keptInputs(before).map(({ Sha256 }) => Sha256))
  return keptInputs(now).every(({ Sha256 }) => kept.has(Sha256))
}
