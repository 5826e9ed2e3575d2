/** Computes the control totals of ledger files. */
import { byCodePoint } from '../contract/vocabulary.ts'
import type { LedgerInput } from '../ingest/format/intake.ts'
import type { Database } from './database.ts'
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

/** Control totals of each ledger file, in the order of their names. */
export async function inputTotals(
  db: Database,
  inputs: readonly LedgerInput[],
  readings: readonly LedgerReading[],
): Promise<InputTotals[]> {
  const rows = await db.rows<{
    file: number
    rows: string
    debit: string
    credit: string
    first: string | null
    last: string | null
  }>(`
    SELECT file, count(*) AS rows, coalesce(sum(amount) FILTER (NOT credited), 0)::VARCHAR AS debit,
      coalesce(-sum(amount) FILTER (credited), 0)::VARCHAR AS credit, min(day)::VARCHAR AS first, max(day)::VARCHAR AS last
    FROM line GROUP BY file`)
  const byFile = new Map(rows.map((row) => [Number(row.file), row]))
  return readings
    .map(({ rejected }, i): InputTotals => {
      const found = byFile.get(i)
      return {
        file: inputAt(inputs, i).file,
        rows: Number(found?.rows ?? 0),
        rejected: rejected ?? 0,
        debit: found?.debit ?? '0',
        credit: found?.credit ?? '0',
        firstDate: found?.first ?? null,
        lastDate: found?.last ?? null,
      }
    })
    .sort((a, b) => byCodePoint(a.file, b.file))
}
