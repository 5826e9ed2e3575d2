/**
 * The work that goes on while threads compose the statements: counting, exporting the books as Parquet, copying
 * sources.
 */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Books } from '../books/books.ts'
import { writeBooks } from '../books/store/store.ts'
import type { KeptSource } from '../snapshot/files/inputs.ts'
import { BOOKS } from '../snapshot/files/layout.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import type { Stage } from '../snapshot/files/stage.ts'
import { MODES } from '../system/effects.ts'
import { handled } from '../system/parallel.ts'
import { bookEntries, type Counts, countsOf } from './manifest-body.ts'
export interface BackgroundWork {
  readonly counts: Promise<Counts>
  /** The files of the books in the stage; none without a stage. */
  readonly exported: Promise<readonly FileEntry[]>
  /** The sources that changed since they were read; if there are any, nothing may be published. */
  readonly kept: Promise<readonly string[]>
}

/**
 * Begins the work; without a stage it only counts. `sources` are those to keep with the snapshot. The books must not be closed
 * before all of it ended.
 */
export const beginBackgroundWork = (
  books: Books,
  stage: Stage | null,
  ledgerFiles: readonly string[],
  sources: readonly KeptSource[],
): BackgroundWork => ({
  counts: handled(countsOf(books)),
  exported: handled(stage ? exportBooks(books, stage.folder, ledgerFiles) : Promise.resolve([])),
  kept: handled(stage ? stage.keep(sources) : Promise.resolve([])),
})

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
