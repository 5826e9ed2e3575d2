/** The days that a ledger covers which is a plain table: canonical, or read by a column map. */
import type { LedgerSetting } from '../../workspace/company.ts'
import { type Covered, CoveredLines } from '../format/covered-lines.ts'
import type { SourceFile } from '../format/format.ts'
import { parseDate } from '../text/months.ts'
import { DIRECTION, mappedValue, valueAt } from './mapped/map.ts'
import { tablesOf } from './mapped/tables.ts'

/** Lines are compared by account, amount and basis, since the next export may number entries differently. */
const COLUMNS = ['account', 'debit', 'credit', 'amount', DIRECTION, 'basis'] as const

export async function coveredByTable(
  source: SourceFile,
  setting: LedgerSetting,
): Promise<readonly Covered[]> {
  const columns = { date: 'date', account: 'account', ...setting.columns }
  const lines = new CoveredLines()
  for (const table of tablesOf(source, { ...setting, columns })) {
    const columnOf = (name: string) =>
      mappedValue(table.header, (columns as Record<string, string>)[name] ?? name)
    const date = columnOf('date')
    if (date === null) continue
    const values = COLUMNS.map(columnOf)
    const entry = columnOf('transaction_id')
    for await (const batch of table.records().batches)
      for (const { cells } of batch) {
        if (cells === null) continue
        const text = valueAt(cells, date)
        lines.add(
          parseDate(text) ?? parseDate(text, setting.dateFormat),
          values.map((value) => (value === null ? '' : valueAt(cells, value))),
          entry === null ? '' : valueAt(cells, entry),
        )
      }
  }
  return lines.covers
}
