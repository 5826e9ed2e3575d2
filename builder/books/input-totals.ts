/** Computes the control totals of ledger files. */
import { byCodePoint } from '../contract/vocabulary.ts'
import type { LedgerInput } from '../ingest/format/intake.ts'
import type { Database } from './database.ts'
import type { FileTotals } from './engine/engine.ts'
import type { LedgerReading } from './ledger.ts'
import { inputAt } from './ledger-context.ts'
import type { PostedLines } from './postings.ts'

/** Minor units as integer text; debit and credit as they were written. Dates are `YYYY-MM-DD`. */
export interface InputTotals {
  readonly file: string
  readonly rows: number
  readonly debit: string
  readonly credit: string
  readonly firstDate: string | null
  readonly lastDate: string | null
  readonly rejected: number
  /** The lines that became postings; the others are opening balances. Known once the books are made. */
  readonly posted?: PostedLines
}

/** The totals of the lines of each file, by its number. */
export const fileTotals = (db: Database): Promise<ReadonlyMap<number, FileTotals>> =>
  totalsIn(
    db,
    `(SELECT file, count(*) AS rows, coalesce(sum(amount) FILTER (NOT credited), 0) AS debit,
      coalesce(-sum(amount) FILTER (credited), 0) AS credit, min(day) AS first, max(day) AS last
    FROM line GROUP BY file)`,
  )

/** Reads totals by the number of the file. `from` has the columns of {@link FileTotals} and `file`, the sums as integers of any width. */
export async function totalsIn(db: Database, from: string): Promise<ReadonlyMap<number, FileTotals>> {
  const rows = await db.rows<Omit<FileTotals, 'rows'> & { file: number; rows: string }>(
    `SELECT file, rows, debit::VARCHAR AS debit, credit::VARCHAR AS credit, first::VARCHAR AS first, last::VARCHAR AS last FROM ${from}`,
  )
  return new Map(rows.map(({ file, ...totals }) => [Number(file), { ...totals, rows: Number(totals.rows) }]))
}

/** Control totals of each ledger file, in the order of their names. */
export const inputTotals = (
  inputs: readonly LedgerInput[],
  readings: readonly LedgerReading[],
  totals: ReadonlyMap<number, FileTotals>,
): InputTotals[] =>
  readings
    .map(({ rejected }, i): InputTotals => {
      const found = totals.get(i)
      return {
        file: inputAt(inputs, i).file,
        rows: found?.rows ?? 0,
        rejected,
        debit: found?.debit ?? '0',
        credit: found?.credit ?? '0',
        firstDate: found?.first ?? null,
        lastDate: found?.last ?? null,
      }
    })
    .sort((a, b) => byCodePoint(a.file, b.file))
