/** What published books hold of each source file: how many lines, and what they add up to. */
import { join } from 'node:path'
import { type Database, quoted } from './database.ts'
import type { Frame } from './frame.ts'
import { metricsFrom } from './store.ts'

/** Of one file. Amounts are decimal text. */
export interface FileTotals {
  /** Null in books of earlier versions: for lines that an opening implies, and all metrics. */
  readonly file: string | null
  readonly lines: number
  /** Sums of the amounts above and below zero. */
  readonly debit: string
  readonly credit: string
}

export interface BooksTotals {
  /** What `Totals` of a manifest states: all postings but those that show disposals gross, and their transactions. */
  readonly counts: { readonly postings: number; readonly transactions: number }
  /** Lines that were read; not what the program booked beside them. */
  readonly postings: readonly FileTotals[]
  readonly openings: readonly FileTotals[]
  /** Budgets and metrics together. */
  readonly values: readonly FileTotals[]
}

/** What the program books itself: the derived cash basis, disposals shown gross, rounding, results that openings imply. */
const bookedByProgram = (frame: Frame): string =>
  [
    "kind = 'gross-up'",
    ...(frame.basisSources.CASH === 'Derived' ? ["basis = 'cash'"] : []),
    "(type = 'rounding' AND memo = 'rounding difference of the entry')",
    "(type = 'implied closing' AND kind = 'closing-prior')",
  ].join(' OR ')

/** `folder` is that of the books; the first `read` postings are known to be lines of sources, whatever they look like. */
export async function totalsByFile(
  db: Database,
  folder: string,
  frame: Frame,
  read: number,
): Promise<BooksTotals> {
  const from = (name: string) => `read_parquet(${quoted(join(folder, name))})`
  const totals = async (rows: string): Promise<FileTotals[]> =>
    (
      await db.rows<Omit<FileTotals, 'lines'> & { lines: string } & Record<string, unknown>>(
        `SELECT file, count(*) AS lines, coalesce(sum(amount) FILTER (amount > 0), 0)::VARCHAR AS debit,
           coalesce(-sum(amount) FILTER (amount < 0), 0)::VARCHAR AS credit
         FROM (${rows}) GROUP BY file ORDER BY file`,
      )
    ).map((row) => ({ ...row, lines: Number(row.lines) }))
  const metrics = await metricsFrom(db, folder)
  const [counts] = await db.rows<{ postings: string; transactions: string }>(
    `SELECT count(*) AS postings, count(DISTINCT (basis, transaction_id)) AS transactions
     FROM ${from('postings.parquet')} WHERE kind <> 'gross-up'`,
  )
  return {
    counts: { postings: Number(counts?.postings), transactions: Number(counts?.transactions) },
    postings: await totals(
      `SELECT file, amount FROM ${from('postings.parquet')} WHERE seq <= ${read} OR NOT coalesce(${bookedByProgram(frame)}, false)`,
    ),
    openings: await totals(`SELECT file, amount FROM ${from('openings.parquet')}`),
    values: await totals(
      `SELECT file, amount::DECIMAL(38, 6) AS amount FROM ${from('budgets.parquet')}
       UNION ALL SELECT file, value::DECIMAL(38, 6) FROM (${metrics})`,
    ),
  }
}
