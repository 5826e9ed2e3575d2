/**
 * The work that goes on while threads compose the statements: counting, exporting the books as Parquet, copying
 * sources, making the pages of figures.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Books } from '../books/books.ts'
import { writeBooks } from '../books/store/store.ts'
import type { CheckResults } from '../report/source.ts'
import type { KeptSource } from '../snapshot/files/inputs.ts'
import { BOOKS } from '../snapshot/files/layout.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import type { Stage } from '../snapshot/files/stage.ts'
import { MODES } from '../system/effects.ts'
import { handled } from '../system/handled.ts'
import type { BegunBatch } from './documents.ts'
import { bookEntries, type Counts, countsOf } from './manifest-body.ts'
import type { PagesInTheMaking } from './pages.ts'

export class BackgroundWork {
  readonly counts: Promise<Counts>
  readonly #books: Books
  readonly #stage: Stage | null
  readonly #exported: Promise<readonly FileEntry[]>
  readonly #kept: Promise<readonly string[]>
  #pages: Promise<PagesInTheMaking> | null = null

  /** Begins the work at once; without a stage it only counts. `sources` are those to keep with the snapshot. */
  constructor(
    books: Books,
    stage: Stage | null,
    ledgerFiles: readonly string[],
    sources: readonly KeptSource[],
  ) {
    this.#books = books
    this.#stage = stage
    this.counts = handled(countsOf(books))
    this.#exported = handled(stage ? exportBooks(books, stage.folder, ledgerFiles) : Promise.resolve([]))
    this.#kept = handled(stage ? stage.keep(sources) : Promise.resolve([]))
  }

  /** Begins the pages that show the documents of these batches. What makes pages is loaded only now, since this thread has time for it. */
  beginPages(batches: readonly BegunBatch[]): void {
    const stage = this.#stage
    if (stage === null) return
    this.#pages = handled(
      import('./pages.ts').then(
        ({ PagesInTheMaking }) => new PagesInTheMaking(stage, this.#books.frame, this.counts, batches),
      ),
    )
  }

  async takeBooks(): Promise<void> {
    this.#stage?.adopt(await this.#exported)
  }

  /** Waits until the sources are kept. Returns those that changed since they were read; if there are any, nothing may be published. */
  keptSources(): Promise<readonly string[]> {
    return this.#kept
  }

  async writePages(proof: CheckResults): Promise<void> {
    await (await this.#pages)?.write(proof)
  }

  /** Waits until all of it ended, whether or not it failed. Nothing uses the books afterwards. */
  async settled(): Promise<void> {
    const pages = this.#pages?.then((begun) => begun.settled())
    await Promise.allSettled([this.counts, this.#exported, this.#kept, pages])
  }
}

/** Writes the books on a connection of its own, and measures what was written. */
async function exportBooks(
  books: Books,
  stage: string,
  ledgerFiles: readonly string[],
): Promise<readonly FileEntry[]> {
  const db = await books.db.connect()
  try {
    mkdirSync(join(stage, BOOKS), { mode: MODES.folder })
    await writeBooks({ ...books, db }, join(stage, BOOKS), ledgerFiles)
  } finally {
    db.close()
  }
  return bookEntries(stage)
}
