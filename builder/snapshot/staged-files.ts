/**
 * Writes the files of a snapshot that is being built: each is written and hashed, or is a hard link to the equal file of the
 * snapshot before. A thread that writes some of them has a list of its own, which the stage takes in.
 */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type Content, isWhole } from '../contract/bytes.ts'
import { present } from '../contract/present.ts'
import { makeFolders } from '../workspace/durable.ts'
import { cannotLink, type Effects, isAbsent, MODES } from '../workspace/effects.ts'
import { sha256 } from '../workspace/hash.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import { SnapshotDamagedError } from './damage.ts'
import { FileList } from './file-list.ts'
import type { FileEntry } from './manifest.ts'
import { measure } from './measure.ts'

/** File mode while a file is being written. */
const GROWING = 0o600

/** The snapshot before, to whose equal files hard links are made. */
export interface Published {
  readonly folder: string
  readonly files: Pick<ReadonlyMap<string, FileEntry>, 'get'>
}

/** The files that a thread wrote and read back, as plain data. */
export interface Written {
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
  /** Paths of files that another thread wrote and read back. */
  readonly #readBack = new Set<string>()
  readonly #folder: string
  readonly #published: Published | null
  readonly #effects: Effects

  constructor(folder: string, published: Published | null, effects: Effects) {
    this.#folder = folder
    this.#published = published
    this.#effects = effects
  }

  /** Writes a file. `hash` is the SHA-256 of the content, if it is known already. */
  write(path: string, content: Content, hash?: string): void {
    const target = join(this.#folder, path)
    this.#makeFolder(dirname(target))
    if (isWhole(content)) this.#writeWhole(path, target, content, hash)
    else this.#takeIn({ Path: path, ...this.#writePieces(target, content) })
  }

  /** Takes over files of the snapshot before, all or none. Returns false if one of them is not intact. */
  reuse(files: readonly FileEntry[]): boolean {
    if (!files.every((file) => this.#isUnchanged(file) && this.#isSound(file))) return false
    for (const [done, file] of files.entries()) {
      const target = join(this.#folder, file.Path)
      this.#makeFolder(dirname(target))
      if (!this.#linkTo(file, target)) {
        for (const { Path } of files.slice(0, done)) {
          this.#effects.unlink(join(this.#folder, Path))
          // A file that is written here instead must be read back, which linked files are not.
          this.linked.delete(Path)
        }
        return false
      }
    }
    for (const file of files) this.files.add(file)
    return true
  }

  /** Takes in files that something else wrote into the folder. */
  adopt(paths: readonly string[]): void {
    for (const path of paths) {
      const target = join(this.#folder, path)
      this.folders.add(dirname(target))
      this.#takeIn({ Path: path, ...measure(target) })
    }
  }

  /** What was written here, for {@link take} of another thread's; reads all of it back first. */
  written(): Written {
    this.readBack()
    return { files: [...this.files], folders: [...this.folders], linked: [...this.linked] }
  }

  /** Takes in what another thread wrote into the folder and read back. */
  take({ files, folders, linked }: Written): void {
    for (const file of files) {
      this.files.add(file)
      this.#readBack.add(file.Path)
    }
    for (const folder of folders) this.folders.add(folder)
    for (const path of linked) this.linked.add(path)
  }

  /** Linked files were read when they were linked, the others are now: what the disk holds is what the list says. */
  readBack(): void {
    for (const { Path, Bytes, Sha256 } of this.files) {
      if (this.linked.has(Path) || this.#readBack.has(Path)) continue
      const found = measure(join(this.#folder, Path))
      if (found.Bytes === Bytes && found.Sha256 === Sha256) continue
      throw new SnapshotDamagedError(
        `${Path} reads back differently from what was written; nothing was published`,
      )
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
    const known = this.#published?.files.get(entry.Path)
    return known !== undefined && known.Sha256 === entry.Sha256 && known.Bytes === entry.Bytes
  }

  /** Makes a hard link to the equal file of the current snapshot. Returns false if there is none, or links are not possible. */
  #link(entry: FileEntry, bytes: Buffer, target: string): boolean {
    if (!this.#isUnchanged(entry)) return false
    // A file that was damaged on disk must neither spread nor stop all further builds, so it is written anew.
    return this.#holds(entry, (path) => readFileSync(path).equals(bytes)) && this.#linkTo(entry, target)
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
