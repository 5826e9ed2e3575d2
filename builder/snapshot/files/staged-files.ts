/**
 * Writes the files of a snapshot that is being built: each is written, hashed and read back, or is a hard link to the equal file
 * of the snapshot before. A thread that writes some of them has a list of its own, which the stage takes in.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Content, isWhole } from '../../contract/bytes.ts'
import { present } from '../../contract/present.ts'
import { makeFolders } from '../../system/durable.ts'
import { cannotLink, type Effects, isAbsent, MODES } from '../../system/effects.ts'
import { sha256 } from '../../system/hash.ts'
import { SnapshotDamagedError } from './damage.ts'
import { FileList } from './file-list.ts'
import type { FileEntry } from './manifest.ts'
import { holds, measure } from './measure.ts'

/** File mode while a file is being written. */
const GROWING = 0o600

/** The snapshot before, to whose equal files hard links are made. */
interface Published {
  readonly folder: string
  /** The SHA-256 of a file there; undefined where there is none. */
  readonly hashOf: (path: string) => string | undefined
}

/** The files that a thread wrote, as plain data. */
export interface WrittenFiles {
  readonly files: readonly FileEntry[]
  /** Absolute paths. */
  readonly folders: readonly string[]
  /** Paths of those files that are links. */
  readonly linked: readonly string[]
}

export class StagedFiles {
  readonly files = new FileList()
  readonly folders = new Set<string>()
  readonly linked = new Set<string>()
  readonly #folder: string
  readonly #published: Published | null
  readonly #effects: Effects

  constructor(folder: string, published: Published | null, effects: Effects) {
    this.#folder = folder
    this.#published = published
    this.#effects = effects
  }

  /**
   * Writes a file. `hash` is the SHA-256 of the content, if it is known already. Throws SnapshotDamagedError where the file reads back
   * differently.
   */
  write(path: string, content: Content, hash?: string): void {
    const target = join(this.#folder, path)
    this.#makeFolder(dirname(target))
    if (isWhole(content)) this.#writeWhole(path, target, content, hash)
    else this.#takeIn(this.#writePieces(path, target, content))
  }

  /** Takes in files that something else wrote into the folder, as they were measured there. */
  adopt(files: readonly FileEntry[]): void {
    for (const file of files) {
      this.folders.add(dirname(join(this.#folder, file.Path)))
      this.#takeIn(file)
    }
  }

  /** What was written here, for {@link take} of another thread's. */
  written(): WrittenFiles {
    return { files: [...this.files], folders: [...this.folders], linked: [...this.linked] }
  }

  /** Takes in what another thread wrote into the folder. */
  take({ files, folders, linked }: WrittenFiles): void {
    for (const file of files) this.files.add(file)
    for (const folder of folders) this.folders.add(folder)
    for (const path of linked) this.linked.add(path)
  }

  #writeWhole(path: string, target: string, content: string | Buffer, hash?: string): void {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
    const entry: FileEntry = { Path: path, Bytes: bytes.length, Sha256: hash ?? sha256(bytes) }
    if (!this.#link(entry, bytes, target)) {
      this.#effects.create(target, bytes, MODES.published)
      if (!holds(target, bytes)) throw readsDifferently(path)
    }
    this.files.add(entry)
  }

  #writePieces(path: string, target: string, pieces: Iterable<Buffer>): FileEntry {
    const hash = createHash('sha256')
    let Bytes = 0
    this.#effects.create(target, '', GROWING)
    for (const piece of pieces) {
      this.#effects.append(target, piece, GROWING)
      hash.update(piece)
      Bytes += piece.length
    }
    const written = { Bytes, Sha256: hash.digest('hex') }
    if (!isDeepStrictEqual(measure(target), written)) throw readsDifferently(path)
    return { Path: path, ...written }
  }

  /** A file that stands in the folder; where it equals the previous snapshot's, a link to that takes its place. */
  #takeIn(entry: FileEntry): void {
    const target = join(this.#folder, entry.Path)
    const link = `${target}.link`
    if (this.#isUnchanged(entry) && this.#isSound(entry) && this.#linkTo(entry, link))
      this.#effects.rename(link, target)
    else this.#effects.chmod(target, MODES.published)
    this.files.add(entry)
  }

  #isUnchanged(entry: FileEntry): boolean {
    return this.#published?.hashOf(entry.Path) === entry.Sha256
  }

  /** Makes a hard link to the equal file of the current snapshot. Returns false if there is none, or links are not possible. */
  #link(entry: FileEntry, bytes: Buffer, target: string): boolean {
    if (!this.#isUnchanged(entry)) return false
    // A file that was damaged on disk must neither spread nor stop all further builds, so it is written anew.
    return this.#holds(entry, (path) => holds(path, bytes)) && this.#linkTo(entry, target)
  }

  #isSound(entry: FileEntry): boolean {
    return this.#holds(entry, (path) => measure(path).Sha256 === entry.Sha256)
  }

  #holds({ Path }: FileEntry, isIt: (path: string) => boolean): boolean {
    try {
      return isIt(this.#publishedPath(Path))
    } catch (problem) {
      if (isAbsent(problem)) return false
      throw problem
    }
  }

  #linkTo(entry: FileEntry, target: string): boolean {
    try {
      this.#effects.link(this.#publishedPath(entry.Path), target)
      this.linked.add(entry.Path)
      return true
    } catch (problem) {
      if (cannotLink(problem) || isAbsent(problem)) return false
      throw problem
    }
  }

  /** The path of a file in the snapshot before; only for files that {@link #isUnchanged}. */
  #publishedPath(path: string): string {
    return join(present(this.#published, 'snapshot before').folder, path)
  }

  #makeFolder(folder: string): void {
    if (this.folders.has(folder)) return
    makeFolders(folder, this.#effects)
    this.folders.add(folder)
  }
}

const readsDifferently = (path: string): SnapshotDamagedError =>
  new SnapshotDamagedError(`${path} reads back differently from what was written; nothing was published`)
