/** Computes the control totals of ledger files, and proves lines taken from published books against them. */
import { isDeepStrictEqual } from 'node:util'
import { byCodePoint } from '../contract/vocabulary.ts'
import type { LedgerInput } from '../ingest/format/intake.ts'
import type { Database } from './database.ts'
import type { LedgerReading } from './ledger.ts'
import { inputAt } from './ledger-context.ts'
import type { PostedLines } from './postings.ts'
import type { LineTotals } from './published-lines.ts'

export interface InputTotals extends LineTotals {
  readonly file: string
  readonly rejected: number
  /** The lines that became postings; the others are opening balances. Known once the books are made. */
  readonly posted?: PostedLines
}

/**
 * Control totals of each ledger file: rows, debits and credits as written (minor units as text), first and last date. Throws if
 * lines taken from published books do not add up to the totals of the file.
 */
export async function inputTotals(
  db: Database,
  inputs: readonly LedgerInput[],
  readings: readonly LedgerReading[],
): Promise<InputTotals[]> {
  const rows = await db.rows<{
    file: number
    rows: string
    net: string
    debit: string
    credit: string
    first: string | null
    last: string | null
  }>(`
    SELECT file, count(*) AS rows, coalesce(sum(amount), 0)::VARCHAR AS net,
      coalesce(sum(amount) FILTER (NOT credited), 0)::VARCHAR AS debit,
      coalesce(-sum(amount) FILTER (credited), 0)::VARCHAR AS credit, min(day)::VARCHAR AS first, max(day)::VARCHAR AS last
    FROM line GROUP BY file`)
  const byFile = new Map(rows.map((row) => [Number(row.file), row]))
  return readings
    .map(({ totals: stated, rejected }, i): InputTotals => {
      const found = byFile.get(i)
      const { file } = inputAt(inputs, i)
      const totals = {
        rows: Number(found?.rows ?? 0),
        debit: stated?.debit ?? found?.debit ?? '0',
        credit: stated?.credit ?? found?.credit ?? '0',
        firstDate: found?.first ?? null,
        lastDate: found?.last ?? null,
      }
      // Published books do not hold the side of a line, so completeness is checked by the net amount.
      if (
        stated &&
        ((found?.net ?? '0') !== String(BigInt(stated.debit) - BigInt(stated.credit)) ||
          !isDeepStrictEqual(totals, stated))
      )
        throw new Error(
          `the published lines of ${file} are not those that were read from it; delete .tieout/cache to have it read again`,
        )
      return { file, rejected: rejected ?? 0, ...totals }
    })
    .sort((a, b) => byCodePoint(a.file, b.file))
}
