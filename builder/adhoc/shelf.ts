/** Snapshots whose books are loaded in memory, least recently used out first. */
import { join } from 'node:path'
import type { Books } from '../books/books.ts'
import { BOOK_FILES, readBooks } from '../books/store.ts'
import { BOOKS, bookPath } from '../snapshot/layout.ts'
import { openSnapshot } from '../snapshot/open.ts'

interface Place {
  readonly snapshotsRoot: string
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
}

interface Loaded {
  readonly books: Promise<Books>
  readonly bytes: Promise<number>
}

export class Shelf {
  /** In order of use: the first was not used for the longest time. */
  readonly #loaded = new Map<string, Loaded>()
  readonly #greatestBytes: number

  /** `greatestBytes`: of Parquet, which takes about ten times as much memory once loaded. */
  constructor(greatestBytes: number) {
    this.#greatestBytes = greatestBytes
  }

  /** The books of a snapshot, verified against its manifest when first asked for. */
  async books(place: Place): Promise<Books> {
    const key = `${place.company}/${place.manifestSha256}`
    let entry = this.#loaded.get(key)
    if (entry) this.#loaded.delete(key)
    else entry = load(place)
    this.#loaded.set(key, entry)
    try {
      const books = await entry.books
      await this.#makeRoom(key)
      return books
    } catch (problem) {
      this.#loaded.delete(key)
      throw problem
    }
  }

  async #makeRoom(keep: string): Promise<void> {
    let bytes = 0
    for (const entry of this.#loaded.values()) bytes += await entry.bytes
    for (const [key, entry] of this.#loaded) {
      if (bytes <= this.#greatestBytes) return
      if (key === keep) continue
      this.#loaded.delete(key)
      bytes -= await entry.bytes
      void entry.books.then((books) => books.db.close())
    }
  }
}

function load(place: Place): Loaded {
  const snapshot = openSnapshot(place.snapshotsRoot, place.company, place.snapshotId, place.manifestSha256)
  const bytes = snapshot.then(({ manifest }) =>
    manifest.Files.filter((file) => file.Path.startsWith(`${BOOKS}/`)).reduce(
      (sum, file) => sum + file.Bytes,
      0,
    ),
  )
  // A failed load is reported by `books`; this copy of the failure has no reader.
  bytes.catch(() => {})
  return {
    bytes,
    books: snapshot.then(async (opened) => {
      for (const name of BOOK_FILES) await opened.read(bookPath(name))
      return readBooks(join(opened.folder, BOOKS))
    }),
  }
}
