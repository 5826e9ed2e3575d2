/**
 * A snapshot in the making: files are written and hashed beside the place where they will stand, files that equal
 * the previous snapshot's are hard links to them. Until {@link Stage.publish} nobody sees any of it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Content, isWhole } from '../contract/bytes.ts'
import { makeFolders, removeTree, syncTree } from '../workspace/durable.ts'
import { cannotLink, type Effects, isAbsent, MODES } from '../workspace/effects.ts'
import { sha256 } from '../workspace/hash.ts'
import { finishFirst, undoWhenStopped } from '../workspace/interrupt.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import { fingerprint } from '../workspace/program.ts'
import { addCandidate, supersedeBuilds } from './candidates.ts'
import { beginChange, type Change, type ChangeOptions } from './change.ts'
import { SnapshotDamagedError } from './damage.ts'
import { FileList } from './file-list.ts'
import { contentHashOf, measure } from './files.ts'
import { closingBy, type History, isSamePointer, pointerOf } from './history.ts'
import { discardInputs, type KeptSource, placeInputs, placeSnapshot, stageInputs } from './inputs.ts'
import { inputsStage, MANIFEST, parseSnapshotId, SIGNATURE, snapshotId, stageFolder } from './layout.ts'
import {
  encodeManifest,
  type FileEntry,
  type Manifest,
  type Pointer,
  reasonIn,
  SNAPSHOT_FORMAT,
  type Unpublished,
} from './manifest.ts'
import { openCurrent, openSnapshot, type Snapshot } from './open.ts'
import { isSameBuild, type Relocked, waitingBuild } from './same-build.ts'
import { settled } from './settle.ts'

/** Until all of a file is written. */
const GROWING = 0o600

export type ManifestBody = Omit<
  Manifest,
  'Format' | 'SnapshotId' | 'Revision' | 'ContentHash' | 'Previous' | 'ComparedWith' | 'Files' | 'Build'
>

export interface Stage {
  /** Absolute folder for files that something else writes (Parquet): {@link Stage.adopt} them afterwards. */
  readonly folder: string
  /** The current snapshot, which this one follows; null where there is none, or where it is damaged. */
  readonly currentSnapshot: Snapshot | null
  /** What the log says, under the lock. */
  readonly history: History
  /** What was written and adopted so far. */
  readonly files: FileList
  /** `hash` is the SHA-256 of the content, where it is known already. */
  write(path: string, content: Content, hash?: string): void
  /** Takes over files of the current snapshot, all or none: false where one of them is not there as it was published. */
  reuse(files: readonly FileEntry[]): boolean
  /** Takes in files that were written into the stage's folder. */
  adopt(paths: readonly string[]): void
  /** Keeps sources with the snapshot; gives the files that changed since they were read: then nothing may be published. */
  keep(sources: readonly KeptSource[]): Promise<string[]>
  /**
   * Publishes, or says that nothing changed. `startedAt` is for the manifest's `Build` part alone; with `relocked` another
   * lock date alone is no change.
   */
  publish(body: ManifestBody, startedAt: number, relocked?: Relocked | null): Promise<Publication>
  /** Removes what was staged and lets go of the lock. Safe after publish. */
  discard(): void
}

export interface Publication {
  /** waiting: it is a candidate, which somebody else has to approve. */
  readonly outcome: 'published' | 'unchanged' | 'waiting'
  readonly snapshotId: string
  readonly manifestHash: string
  readonly linked: number
  /** The newest snapshot, where it has these very files and was rolled back: then nothing is published. */
  readonly rolledBackFrom: string | null
  /** SHA-256 of the line of the log that says so; null where nothing was published. */
  readonly logHead: string | null
}

export interface StageOptions extends ChangeOptions {
  /** What was current a moment ago: it is not read again where it still is. */
  readonly currentSnapshot?: Snapshot | null
}

/** Locks the company and begins a stage; litter of builds that were killed is removed first. */
export async function beginStage(
  root: string,
  company: string,
  { currentSnapshot = null, ...options }: StageOptions = {},
): Promise<Stage> {
  const change = await beginChange(root, company, options)
  try {
    await settled(change)
    const folder = stageFolder(root, company, randomBytes(6).toString('hex'))
    change.effects.makeFolder(folder)
    const current = await openCurrent(root, company, currentSnapshot)
    return new FolderStage(folder, change, current, await rolledBackFrom(change))
  } catch (problem) {
    change.release()
    throw problem
  }
}

/** The newest snapshot, where it was rolled back to an earlier one. */
async function rolledBackFrom(change: Change): Promise<Snapshot | null> {
  const { head, current } = change.history
  if (head === null || isSamePointer(head, current)) return null
  return openSnapshot(change.root, change.company, head.SnapshotId, head.ManifestSha256).catch((problem) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
}

const NOT_PUBLISHED = { linked: 0, rolledBackFrom: null, logHead: null }

class FolderStage implements Stage {
  readonly folder: string
  readonly currentSnapshot: Snapshot | null
  readonly #change: Change
  readonly #rolledBackFrom: Snapshot | null
  readonly #effects: Effects
  readonly files = new FileList()
  readonly #folders = new Set<string>()
  readonly #linked = new Set<string>()
  readonly #forget: () => void

  constructor(
    folder: string,
    change: Change,
    currentSnapshot: Snapshot | null,
    rolledBackFrom: Snapshot | null,
  ) {
    this.folder = folder
    this.#change = change
    this.currentSnapshot = currentSnapshot
    this.#rolledBackFrom = rolledBackFrom
    this.#effects = change.effects
    this.#forget = undoWhenStopped(() => this.#remove())
  }

  write(path: string, content: Content, hash?: string): void {
    const target = join(this.folder, path)
    this.#makeFolder(dirname(target))
    if (isWhole(content)) this.#writeWhole(path, target, content, hash)
    else this.#takeIn({ Path: path, ...this.#writePieces(target, content) })
  }

  reuse(files: readonly FileEntry[]): boolean {
    if (!files.every((file) => this.#isUnchanged(file) && this.#isSound(file))) return false
    for (const [done, file] of files.entries()) {
      const target = join(this.folder, file.Path)
      this.#makeFolder(dirname(target))
      if (!this.#linkTo(file, target)) {
        for (const { Path } of files.slice(0, done)) {
          this.#effects.unlink(join(this.folder, Path))
          // What is written there instead is read back.
          this.#linked.delete(Path)
        }
        return false
      }
    }
    for (const file of files) this.files.add(file)
    return true
  }

  adopt(paths: readonly string[]): void {
    for (const path of paths) {
      const target = join(this.folder, path)
      this.#folders.add(dirname(target))
      this.#takeIn({ Path: path, ...measure(target) })
    }
  }

  keep(sources: readonly KeptSource[]): Promise<string[]> {
    return stageInputs(this.#change.root, this.#change.company, this.folder, sources, this.#effects)
  }

  get history(): History {
    return this.#change.history
  }

  async publish(
    body: ManifestBody,
    startedAt: number,
    relocked: Relocked | null = null,
  ): Promise<Publication> {
    const files = this.files.sorted()
    const same = [this.currentSnapshot, this.#rolledBackFrom].find(
      (each) => each && isSameBuild(each.manifest, body, files, relocked),
    )
    if (same) return this.#unchanged(same, files.length)
    const waiting = await waitingBuild(this.#change, body, files)
    if (waiting) {
      await supersedeBuilds(this.#change, waiting.hash)
      const { hash, record } = waiting
      return { ...NOT_PUBLISHED, outcome: 'waiting', snapshotId: record.SnapshotId, manifestHash: hash }
    }
    const manifest = this.#manifestOf(body, files, startedAt)
    const pointer = await this.#sealed(manifest)
    return finishFirst(() =>
      this.#change.approvers.length > 0
        ? this.#proposed(manifest, pointer)
        : this.#published(manifest, pointer),
    )
  }

  #unchanged(same: Snapshot, linked: number): Publication {
    const { root, company } = this.#change
    // What had been lost of them is there again.
    placeInputs(root, company, this.folder, this.#effects)
    const { id, manifestHash } = this.currentSnapshot ?? same
    return {
      outcome: 'unchanged',
      snapshotId: id,
      manifestHash,
      linked,
      rolledBackFrom: same === this.#rolledBackFrom ? same.id : null,
      logHead: null,
    }
  }

  #manifestOf({ CompanyId, Month, ...rest }: ManifestBody, files: FileList, startedAt: number): Unpublished {
    const { signer, history, logHead, approvers } = this.#change
    const contentHash = contentHashOf(files)
    const revision = this.#nextRevision(Month)
    return {
      Format: SNAPSHOT_FORMAT,
      CompanyId,
      SnapshotId: snapshotId(Month, revision, contentHash),
      Month,
      Revision: revision,
      ContentHash: contentHash,
      // The newest, also where an earlier one is current: there is one line of snapshots, and none is left aside.
      Previous: history.head,
      ComparedWith: history.current && pointerOf(history.current),
      ...rest,
      Files: files,
      Build: {
        At: new Date(startedAt).toISOString(),
        Node: process.version,
        Program: fingerprint(),
        Seconds: Math.round((Date.now() - startedAt) / 100) / 10,
        LogSha256: logHead,
        ...(signer ? { KeyId: signer.keyId } : {}),
        ...(approvers.length > 0 ? { Approvers: approvers } : {}),
      },
    }
  }

  /** Writes the manifest and what signs it, which no manifest lists, and reads everything back from the disk. */
  async #sealed(manifest: Unpublished): Promise<Pointer> {
    const bytes = encodeManifest(manifest)
    const ManifestSha256 = sha256(bytes)
    const signed = await this.#change.signer?.sign(bytes)
    this.write(MANIFEST, bytes, ManifestSha256)
    if (signed !== undefined) this.write(SIGNATURE, signed)
    await syncTree(this.folder, this.files.paths, this.#folders, this.#effects)
    this.#verify()
    return { SnapshotId: manifest.SnapshotId, ManifestSha256 }
  }

  async #proposed(manifest: Unpublished, pointer: Pointer): Promise<Publication> {
    const closing = closingBy(this.history, manifest.LockedThrough)
    const line = await this.#change.propose('publish', pointer, reasonIn(manifest), closing)
    await addCandidate(this.#change, line, {
      folder: this.folder,
      inputs: inputsStage(this.folder),
      manifestHash: pointer.ManifestSha256,
    })
    return { ...this.#made(pointer), outcome: 'waiting' }
  }

  async #published(manifest: Unpublished, pointer: Pointer): Promise<Publication> {
    this.#change.confirm()
    placeSnapshot(this.#change, this.folder, pointer.SnapshotId)
    await this.#change.publish(pointer, manifest)
    return { ...this.#made(pointer), outcome: 'published', logHead: this.#change.logHead }
  }

  #made({ SnapshotId, ManifestSha256 }: Pointer): Omit<Publication, 'outcome'> {
    return {
      ...NOT_PUBLISHED,
      snapshotId: SnapshotId,
      manifestHash: ManifestSha256,
      linked: this.#linked.size,
    }
  }

  discard(): void {
    // A disk that refuses this too must not hide why there is nothing to publish; the next change removes what is left.
    this.#forget()
    for (const undo of [() => this.#remove(), () => this.#change.release()])
      try {
        undo()
      } catch {}
  }

  #remove(): void {
    try {
      discardInputs(this.folder, this.#effects)
    } finally {
      removeTree(this.folder, this.#effects)
    }
  }

  #writeWhole(path: string, target: string, content: string | Buffer, hash?: string): void {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    const entry: FileEntry = { Path: path, Bytes: bytes.length, Sha256: hash ?? sha256(bytes) }
    if (!this.#link(entry, bytes, target)) this.#effects.create(target, bytes, MODES.published)
    this.files.add(entry)
  }

  #writePieces(target: string, pieces: Iterable<Buffer>): Pick<FileEntry, 'Bytes' | 'Sha256'> {
    const hash = createHash('sha256')
    let Bytes = 0
    this.#effects.create(target, '', GROWING)
    for (const piece of pieces) {
      this.#effects.append(target, piece, GROWING)
      hash.update(piece)
      Bytes += piece.length
    }
    return { Bytes, Sha256: hash.digest('hex') }
  }

  /** A file that stands in the stage; where it equals the previous snapshot's, a link to that takes its place. */
  #takeIn(entry: FileEntry): void {
    const target = join(this.folder, entry.Path)
    const link = `${target}.link`
    if (this.#isUnchanged(entry) && this.#isSound(entry) && this.#linkTo(entry, link))
      this.#effects.rename(link, target)
    else this.#effects.chmod(target, MODES.published)
    this.files.add(entry)
  }

  #isUnchanged(entry: FileEntry): boolean {
    const known = this.currentSnapshot?.files.get(entry.Path)
    return known !== undefined && known.Sha256 === entry.Sha256 && known.Bytes === entry.Bytes
  }

  /** A hard link to the previous snapshot's equal file; false where there is none or the file system says no. */
  #link(entry: FileEntry, bytes: Buffer, target: string): boolean {
    if (!this.currentSnapshot || !this.#isUnchanged(entry)) return false
    // What was damaged on disk since must not spread, nor stop every build from now on: it is written anew.
    return this.#holds(entry, (path) => readFileSync(path).equals(bytes)) && this.#linkTo(entry, target)
  }

  #isSound(entry: FileEntry): boolean {
    return this.#holds(entry, (path) => measure(path).Sha256 === entry.Sha256)
  }

  #holds({ Path }: FileEntry, isIt: (path: string) => boolean): boolean {
    try {
      return isIt(join(this.currentSnapshot!.folder, Path))
    } catch (problem) {
      if (isAbsent(problem)) return false
      throw problem
    }
  }

  #linkTo(entry: FileEntry, target: string): boolean {
    try {
      this.#effects.link(join(this.currentSnapshot!.folder, entry.Path), target)
      this.#linked.add(entry.Path)
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
    // Also of those that were pruned: an id is given once.
    const { folder, history } = this.#change
    const revisions = [...readdirSync(folder), ...history.published.keys()].flatMap((name) => {
      const parsed = parseSnapshotId(name)
      return parsed?.month === month ? [parsed.revision] : []
    })
    return Math.max(0, ...revisions) + 1
  }

  /** Everything is read back, linked files when they are linked: what the disk holds is what the manifest says. */
  #verify(): void {
    for (const { Path, Bytes, Sha256 } of this.files) {
      if (this.#linked.has(Path)) continue
      const found = measure(join(this.folder, Path))
      if (found.Bytes === Bytes && found.Sha256 === Sha256) continue
      throw new SnapshotDamagedError(
        `${Path} reads back differently from what was written; nothing was published`,
      )
    }
  }
}
