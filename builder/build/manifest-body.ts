/** Makes the part of a manifest that follows from the sources alone, and not from the time, place or history of the publication. */
import { join } from 'node:path'
import type { Books } from '../books/books.ts'
import { IN_BALANCES } from '../books/post/postings.ts'
import type { Frame } from '../books/reference/frame.ts'
import { BOOK_FILES } from '../books/store/store.ts'
import { RULES } from '../snapshot/closing/rules.ts'
import { bookPath } from '../snapshot/files/layout.ts'
import type { FileEntry, Manifest } from '../snapshot/files/manifest.ts'
import { measure } from '../snapshot/files/measure.ts'
import type { ManifestBody } from '../snapshot/files/stage.ts'
import { buildName } from '../system/version.ts'

/** The body of a manifest without its comparison with an earlier snapshot. */
export type SourceBody = Omit<ManifestBody, 'Restatement'>

type Outcome = Required<Pick<ManifestBody, 'Format' | 'Totals' | 'TieOuts' | 'ControlsAgreed' | 'Warnings'>>

export const manifestBodyOf = (
  frame: Frame,
  reading: Pick<ManifestBody, 'Inputs' | 'Configuration'>,
  { Format, Totals, TieOuts, ControlsAgreed, Warnings }: Outcome,
): SourceBody => ({
  Format,
  CompanyId: frame.companyId,
  Month: frame.coverage.endDate.slice(0, 7),
  Tool: { Name: 'tieout', Version: buildName(), Rules: RULES.length },
  Currency: frame.currency,
  Coverage: { StartDate: frame.coverage.startDate, EndDate: frame.coverage.endDate },
  LockedThrough: frame.lockedThrough,
  ...reading,
  Totals,
  TieOuts,
  ControlsAgreed,
  Warnings,
})

/** The books that lie in that folder of a snapshot, as they are measured there. */
export const bookEntries = (snapshot: string): FileEntry[] =>
  BOOK_FILES.map(bookPath).map((path) => ({ Path: path, ...measure(join(snapshot, path)) }))

export type Counts = Pick<Manifest['Totals'], 'Postings' | 'Transactions'>

/** Counts what the books hold, on a connection of its own, so that others may use the books meanwhile. */
export async function countsOf(books: Pick<Books, 'db'>): Promise<Counts> {
  const db = await books.db.connect()
  try {
    const row = await db.row<{ postings: string; transactions: string }>(
      `SELECT count(*) AS postings, count(DISTINCT (basis, tx)) AS transactions FROM posting WHERE ${IN_BALANCES}`,
    )
    return { Postings: Number(row.postings), Transactions: Number(row.transactions) }
  } finally {
    db.close()
  }
}
