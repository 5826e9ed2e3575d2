/**
 * Owns the stage, where a snapshot is built. Its files (staged-files.ts) are written in a folder beside their future place.
 * Nothing is visible to readers before {@link Stage.publish}.
 */

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Content } from '../../contract/bytes.ts'
import { removeTree, syncTree } from '../../system/durable.ts'
import type { Effects } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { finishFirst, undoWhenStopped } from '../../system/interrupt.ts'
import { handled } from '../../system/parallel.ts'
import { fingerprint } from '../../system/program.ts'
import { addCandidate, type Candidate, candidatesIn, manifestOf, supersedeBuilds } from '../log/candidates.ts'
import { beginChange, type Change, type ChangeOptions } from '../log/change.ts'
import { closingBy, type History, isSamePointer, pointerOf } from '../log/history.ts'
import { settled } from '../log/settle.ts'
import { SnapshotDamagedError } from './damage.ts'
import type { FileList } from './file-list.ts'
import { contentHashOf, hashOfFiles } from './files.ts'
import { discardInputs, type KeptSource, placeInputs, placeSnapshot, stageInputs } from './inputs.ts'
import {
  candidateFolder,
  inputsStage,
  isReport,
  MANIFEST,
  parseSnapshotId,
  RESTATEMENT,
  SIGNATURE,
  snapshotId,
  stageFolder,
} from './layout.ts'
import {
  encodeManifest,
  type FileEntry,
  keptInputs,
  type Manifest,
  type Pointer,
  reasonIn,
  type Unpublished,
} from './manifest.ts'
import { openCurrent, openSnapshot, type Snapshot } from './open.ts'
import { StagedFiles, type WrittenFiles } from './staged-files.ts'
export type ManifestBody = Omit<
  Manifest,
  'SnapshotId' | 'Revision' | 'ContentHash' | 'Previous' | 'ComparedWith' | 'Files' | 'Build'
>

export interface Stage {
  /** Absolute path of the folder, for files that other programs write (Parquet). {@link Stage.adopt} takes them in. */
  readonly folder: string
  /** The current snapshot; null if there is none, or if it is damaged. */
  readonly currentSnapshot: Snapshot | null
  /** The history in the log, which cannot change while the stage holds the lock. */
  readonly history: History
  /** The files that were written and adopted so far. */
  readonly files: FileList
  /** Writes a file. `hash` is the SHA-256 of the content, if it is known already. */
  write(path: string, content: Content, hash?: string): void
  /** Takes in files that were written into the stage's folder, as they were measured there. */
  adopt(files: readonly FileEntry[]): void
  /** Takes in files that another thread wrote into the stage. */
  take(written: WrittenFiles): void
  /** Begins to flush to disk what was written so far, while the rest is made. {@link Stage.publish} fails where that fails. */
  flush(): void
  /** Keeps sources with the snapshot. Returns the files that changed since they were read; if there are any, nothing may be published. */
  keep(sources: readonly KeptSource[]): Promise<string[]>
  /**
   * Publishes the snapshot, proposes it for approval, or finds that nothing changed. `startedAt` (milliseconds since 1970) only
   * goes into `Build` of the manifest. With `relocked`, a different lock date alone is not a change.
   */
  publish(body: ManifestBody, startedAt: number, relocked?: Relocked | null): Promise<Publication>
  /** Removes what was staged and releases the lock. It may be called after publish. */
  discard(): void
}

export interface Publication {
  /** `waiting` means that it is a candidate, which somebody else must approve. */
  readonly outcome: 'published' | 'unchanged' | 'waiting'
  readonly snapshotId: string
  readonly manifestHash: string
  /** The candidate that it is, and where its snapshot lies; null unless it waits. */
  readonly waiting: { readonly hash: string; readonly folder: string } | null
  readonly linked: number
  /** Id of the newest snapshot if it was rolled back and has the same files, so that nothing is published; else null. */
  readonly rolledBackFrom: string | null
  /** SHA-256 of the line of the log for this publication; null if nothing was published. */
  readonly logHead: string | null
}

interface StageOptions extends ChangeOptions {
  /** The snapshot that was current a moment ago. It is not read again if it still is. */
  readonly currentSnapshot?: Snapshot | null
}

/** Locks the company, removes what killed builds left, repairs an interrupted publication, and begins a stage. */
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

/** The newest snapshot if it was rolled back to an earlier one; else null. */
async function rolledBackFrom(change: Change): Promise<Snapshot | null> {
  const { head, current } = change.history
  if (head === null || isSamePointer(head, current)) return null
  return openSnapshot(change.root, change.company, head.SnapshotId, head.ManifestSha256).catch((problem) => {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  })
}

const NOT_PUBLISHED = { waiting: null, linked: 0, rolledBackFrom: null, logHead: null }

class FolderStage implements Stage {
  readonly folder: string
  readonly currentSnapshot: Snapshot | null
  readonly #change: Change
  readonly #rolledBackFrom: Snapshot | null
  readonly #effects: Effects
  readonly #staged: StagedFiles
  readonly #forget: () => void
  #flushed: Promise<unknown> = Promise.resolve()

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
    this.#staged = new StagedFiles(
      folder,
      currentSnapshot && {
        folder: currentSnapshot.folder,
        hashOf: (path) => currentSnapshot.files.get(path)?.Sha256,
      },
      change.effects,
    )
    this.#forget = undoWhenStopped(() => this.#remove())
  }

  get files(): FileList {
    return this.#staged.files
  }

  write(path: string, content: Content, hash?: string): void {
    this.#staged.write(path, content, hash)
  }

  adopt(files: readonly FileEntry[]): void {
    this.#staged.adopt(files)
  }

  take(written: WrittenFiles): void {
    this.#staged.take(written)
  }

  flush(): void {
    this.#flushed = handled(this.#effects.syncAll(this.folder))
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
      return this.#waiting(waiting.record, waiting.hash, waiting.folder)
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
    // Kept sources that had been lost are put back.
    placeInputs(root, company, this.folder, this.#effects)
    const { id, manifestHash } = this.currentSnapshot ?? same
    return {
      outcome: 'unchanged',
      waiting: null,
      snapshotId: id,
      manifestHash,
      linked,
      rolledBackFrom: same === this.#rolledBackFrom ? same.id : null,
      logHead: null,
    }
  }

  #manifestOf(
    { Format, CompanyId, Month, ...rest }: ManifestBody,
    files: FileList,
    startedAt: number,
  ): Unpublished {
    const { signer, history, logHead, approvers } = this.#change
    const contentHash = contentHashOf(files)
    const revision = this.#nextRevision(Month)
    return {
      Format,
      CompanyId,
      SnapshotId: snapshotId(Month, revision, contentHash),
      Month,
      Revision: revision,
      ContentHash: contentHash,
      // The newest snapshot, even if an earlier one is current, so that all snapshots form one chain.
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

  /** Writes the manifest and its signature, and flushes everything to disk. */
  async #sealed(manifest: Unpublished): Promise<Pointer> {
    const bytes = encodeManifest(manifest)
    const ManifestSha256 = sha256(bytes)
    const signed = await this.#change.signer?.sign(bytes)
    this.write(MANIFEST, bytes, ManifestSha256)
    if (signed !== undefined) this.write(SIGNATURE, signed)
    await this.#flushed
    await syncTree(this.folder, this.files.paths, this.#staged.folders, this.#effects)
    return { SnapshotId: manifest.SnapshotId, ManifestSha256 }
  }

  async #proposed(manifest: Unpublished, pointer: Pointer): Promise<Publication> {
    const closing = closingBy(this.history, manifest.LockedThrough)
    const line = await this.#change.propose('publish', pointer, reasonIn(manifest), closing)
    const staged = { folder: this.folder, inputs: inputsStage(this.folder) }
    const hash = await addCandidate(this.#change, line, staged)
    return this.#waiting(pointer, hash, candidateFolder(this.#change.folder, hash))
  }

  #waiting(pointer: Pointer, hash: string, folder: string): Publication {
    const waiting = { hash, folder: join(folder, pointer.SnapshotId) }
    return { ...this.#made(pointer), outcome: 'waiting', waiting }
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
      linked: this.#staged.linked.size,
    }
  }

  discard(): void {
    // A disk error here must not hide the error that ended the build. The next change removes what is left.
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

  #nextRevision(month: string): number {
    // Pruned snapshots count too, because an id is given only once.
    const { folder, history } = this.#change
    const revisions = [...readdirSync(folder), ...history.published.keys()].flatMap((name) => {
      const parsed = parseSnapshotId(name)
      return parsed?.month === month ? [parsed.revision] : []
    })
    return Math.max(0, ...revisions) + 1
  }
}

/** Gives the texts of the files that state the lock date, by their paths, as they would be with another lock date. */
type Relocked = (lockedThrough: string | null) => ReadonlyMap<string, string>

/** Whether a build (`body`, `files`) equals the snapshot `before`. With `relocked`, a different lock date is no difference. */
const isSameBuild = (
  before: Manifest,
  body: Pick<Manifest, 'Inputs' | 'Warnings'>,
  files: Iterable<FileEntry>,
  relocked: Relocked | null,
): boolean =>
  isSame(before.Files, relocked ? under(before, files, relocked) : files) &&
  keepsAll(before, body) &&
  unexplained(before) === unexplained(body)

/** The lines without a note, for which `tieout close` asks the manifest: another materiality changes them, and no file. */
const unexplained = ({ Warnings }: Pick<Manifest, 'Warnings'>): string =>
  Warnings.flatMap(({ code, file, text }) =>
    code === 'commentary-missing' ? [`${file} ${text}`] : [],
  ).join()

/** The candidate of an earlier build with the same files and the same reason, which still awaits approval; else null. */
async function waitingBuild(
  change: Change,
  body: Pick<Manifest, 'Inputs' | 'Restatement' | 'Warnings'>,
  files: Iterable<FileEntry>,
): Promise<Candidate | null> {
  if (change.approvers.length === 0) return null
  const isIt = (candidate: Candidate): boolean => {
    const manifest = candidate.isStale || candidate.record.Event !== 'publish' ? null : manifestOf(candidate)
    return (
      manifest !== null && isSameBuild(manifest, body, files, null) && reasonIn(manifest) === reasonIn(body)
    )
  }
  return (await candidatesIn(change.folder)).find(isIt) ?? null
}

/**
 * Whether all files are equal, books included: an entry that moves inside its month changes no monthly figure, but it changes
 * figures for parts of the month and the audit trail. Pages do not count, because they are derived and their layout may change.
 */
function isSame(before: Iterable<FileEntry>, now: Iterable<FileEntry>): boolean {
  // A restatement compares with the snapshot before, so the next build has none.
  const counts = (path: string) => path !== RESTATEMENT && !isReport(path)
  return hashOfFiles(before, counts) === hashOfFiles(now, counts)
}

/** The files of the build as they would be with the lock date of an earlier snapshot. */
function* under(
  { LockedThrough = null }: Manifest,
  files: Iterable<FileEntry>,
  relocked: Relocked,
): Generator<FileEntry> {
  const texts = relocked(LockedThrough)
  for (const file of files) {
    const text = texts.get(file.Path)
    yield text === undefined ? file : { ...file, Sha256: sha256(text) }
  }
}

/** Whether a snapshot keeps all sources that the build would keep. Other sources make a new snapshot, even with the same figures. */
function keepsAll(before: Manifest, now: Pick<Manifest, 'Inputs'>): boolean {
  const kept = new Set(keptInputs(before).map(({ Sha256 }) => Sha256))
  return keptInputs(now).every(({ Sha256 }) => kept.has(Sha256))
}
