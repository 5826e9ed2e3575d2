/** The rows of a CSV that an importer wrote, as the books see them. */
import type { LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { LEDGER_COLUMNS, type LedgerColumn } from '../../builder/ingest/format/ledger-columns.ts'
import { recordsIn } from '../../builder/ingest/text/delimited.ts'

export type LedgerRow = { readonly row: number } & { readonly [column in LedgerColumn]: string | null }

export function planRows({ header, rowColumn }: LedgerPlan, text: string): LedgerRow[] {
  const [, ...records] = recordsIn(text, ',', () => {})
  return records.map(({ cells }) => {
    const cell = (name: string): string => cells[header.indexOf(name)] ?? ''
    const values = LEDGER_COLUMNS.map((column): [LedgerColumn, string | null] => [
      column,
      (header.includes(column) && cell(column)) || null,
    ])
    return { row: Number(cell(rowColumn!)), ...Object.fromEntries(values) } as LedgerRow
  })
}
