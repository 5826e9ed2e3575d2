/**
 * Keeps the books of snapshots in memory, and drops the least recently used first; none is dropped while it is being
 * read.
 */
import { join } from 'node:path'
import { BOOK_FILES, readBooks } from '../../books/store/store.ts'
import { type RangeBooks, rangeBooks } from '../../books/sums/ranges.ts'
import { BOOKS, bookPath } from '../../snapshot/files/layout.ts'
import { openSnapshot } from '../../snapshot/files/open.ts'

export interface SnapshotPlace {
  readonly snapshotsRoot: string
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
}

interface Loaded {
  readonly books: Promise<RangeBooks>
  /** Bytes of the Parquet files; 0 until known. */
  bytes: number
  users: number
  /** Whether it has left the cache; it is closed when its last reader is done. */
  gone: boolean
}

const MB = 1024 * 1024
/** Loaded books take about ten times their Parquet; half as much again, and a fixed share, are for one query's sums. */
const memoryLimit = (parquetBytes: number): string => `${Math.ceil((parquetBytes * 15) / MB) + 512}MB`

export class BooksCache {
  /** Ordered by use: the first entry was not used for the longest time. */
  readonly #loaded = new Map<string, Loaded>()
  readonly #greatestBytes: number

  /** `greatestBytes` is the limit in bytes of Parquet. */
  constructor(greatestBytes: number) {
    this.#greatestBytes = greatestBytes
  }

  /** Gives `read` the books of a snapshot, verified against its manifest when first asked for. */
  async use<T>(place: SnapshotPlace, read: (books: RangeBooks) => Promise<T>): Promise<T> {
    const key = `${place.company}/${place.manifestSha256}`
    const entry = this.#loaded.get(key) ?? load(place)
    this.#loaded.delete(key)
    this.#loaded.set(key, entry)
    entry.users++
    try {
      const books = await entry.books
      this.#makeRoom(entry)
      return await read(books)
    } catch (problem) {
      // Books that could not be loaded are not kept; a query that failed says nothing about them.
      entry.books.catch(() => {
        if (this.#loaded.get(key) === entry) this.#loaded.delete(key)
      })
      throw problem
    } finally {
      entry.users--
      closeUnused(entry)
    }
  }

  #makeRoom(keep: Loaded): void {
    let bytes = 0
    for (const entry of this.#loaded.values()) bytes += entry.bytes
    for (const [key, entry] of this.#loaded) {
      if (bytes <= this.#greatestBytes) return
      if (entry === keep) continue
      this.#loaded.delete(key)
      bytes -= entry.bytes
      entry.gone = true
      closeUnused(entry)
    }
  }
}

function closeUnused(entry: Loaded): void {
  if (!entry.gone || entry.users > 0) return
  entry.books.then(
    (books) => books.db.close(),
    () => {},
  )
}

function load(place: SnapshotPlace): Loaded {
  const entry: Loaded = { books: begin(), bytes: 0, users: 0, gone: false }
  async function begin(): Promise<RangeBooks> {
    const { snapshotsRoot, company, snapshotId, manifestSha256 } = place
    const snapshot = await openSnapshot(snapshotsRoot, company, snapshotId, manifestSha256)
    for (const { Path, Bytes } of snapshot.manifest.Files)
      if (Path.startsWith(`${BOOKS}/`)) entry.bytes += Bytes
    for (const name of BOOK_FILES) await snapshot.check(bookPath(name))
    const options = { threads: 1, memoryLimit: memoryLimit(entry.bytes), spill: false }
    const books = await readBooks(join(snapshot.folder, BOOKS), options)
    return rangeBooks(books).catch((problem: unknown) => {
      books.db.close()
      throw problem
    })
  }
  return entry
}
