/** Holds the list of files of a snapshot that is being built. It is compact, because there may be hundreds of thousands. */
import { present } from '../../contract/present.ts'
import type { FileEntry } from './manifest.ts'

/** Length of a SHA-256. */
const HASH_BYTES = 32

export class FileList implements Iterable<FileEntry> {
  readonly #paths: string[] = []
  readonly #sizes: number[] = []
  #hashes = Buffer.alloc(1024 * HASH_BYTES)

  get length(): number {
    return this.#paths.length
  }

  get paths(): readonly string[] {
    return this.#paths
  }

  add({ Path, Bytes, Sha256 }: FileEntry): void {
    const at = this.length * HASH_BYTES
    if (at === this.#hashes.length) this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(at)])
    this.#hashes.write(Sha256, at, 'hex')
    this.#paths.push(Path)
    this.#sizes.push(Bytes)
  }

  find(path: string): FileEntry | undefined {
    const i = this.#paths.indexOf(path)
    return i === -1 ? undefined : this.#at(i)
  }

  *[Symbol.iterator](): Generator<FileEntry> {
    for (let i = 0; i < this.length; i++) yield this.#at(i)
  }

  /** A copy of the list in the order of the paths. */
  sorted(): FileList {
    const sorted = new FileList()
    const order = [...this.#paths.keys()].sort((a, b) => (this.#pathAt(a) < this.#pathAt(b) ? -1 : 1))
    for (const i of order) sorted.add(this.#at(i))
    return sorted
  }

  #at(i: number): FileEntry {
    const Sha256 = this.#hashes.toString('hex', i * HASH_BYTES, (i + 1) * HASH_BYTES)
    return { Path: this.#pathAt(i), Bytes: present(this.#sizes[i], 'size of a file'), Sha256 }
  }

  #pathAt(i: number): string {
    return present(this.#paths[i], 'path of a file')
  }
}
