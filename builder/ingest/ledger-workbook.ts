/** A ledger in a workbook: its rows are copied, with their numbers, into a CSV that DuckDB reads. */
import type { LedgerSetting } from '../workspace/company.ts'
import type { Finding } from '../workspace/findings/finding.ts'
import { canonicalPlan, ROW } from './format/canonical-plan.ts'
import type { SourceFile } from './format/format.ts'
import type { FileReading, LedgerPlan } from './format/intake.ts'
import { csvRow } from './format/records.ts'
import { formOf, type Layout, layoutOf } from './tables/ledger-layout.ts'
import { mergedFigure, readTable, type Table } from './tables/table.ts'
import { claimTexts, textsOf, unreadColumns } from './tables/unread/unread.ts'
import { parseDate } from './text/months.ts'
import { remembered } from './text/remembered.ts'
import type { Scratch } from './text/scan.ts'
import { swappedDays } from './text/swapped-days.ts'

/** The entry of `ledger` that names the workbook. */
interface WorkbookEntry {
  readonly folder: string
  readonly setting: LedgerSetting
  readonly key: string
  /** The currency of the company. */
  readonly currency: string
  /** Where the copy is kept. */
  readonly scratch: Scratch
}

/** Copies the rows of a workbook, which DuckDB does not read, into a CSV with their numbers. */
export async function readWorkbookOfEntries(
  { file, look }: SourceFile,
  { folder, setting, key, currency, scratch }: WorkbookEntry,
): Promise<FileReading> {
  const { tables, sources, findings } = await readTable(folder, file, setting, 'ledger', key, look.workbook)
  const layouts = tables.map((table) => ({ table, layout: layoutOf(table, setting) }))
  const merged = layouts.flatMap(({ table, layout }) => mergedFigures(table, layout))
  const inputs: LedgerPlan[] = []
  for (const { table, layout } of layouts) {
    const columns = Object.entries(layout.at)
    const header = [ROW, ...columns.map(([name]) => name)]
    const path = await scratch.written(canonicalRows(table, header, columns, setting.dateFormat))
    const { basis, decimal, thousands } = formOf(setting, layout)
    inputs.push({ ...canonicalPlan({ file: table.file, path, basis }, header), decimal, thousands })
  }
  return {
    inputs,
    sources,
    findings: [
      ...findings,
      ...layouts.flatMap(({ layout }) => layout.findings),
      ...merged,
      ...layouts.flatMap(({ table, layout: { at } }) => {
        const column = at.date
        if (column === undefined) return []
        const dates = table.rows.map(({ row, cells }) => [row, cells[column] ?? ''] as const)
        return swappedDays(dates, setting.dateFormat, {
          file: table.file,
          column: table.header[column] ?? '',
        })
      }),
      ...layouts.flatMap(({ table, layout }) =>
        claimTexts(textsOf(table, layout.amounts, setting), key, setting),
      ),
    ],
    unread: layouts.flatMap(({ table, layout }) =>
      unreadColumns(table, layout.unread, setting, { at: layout.amounts, currency }),
    ),
  }
}

const mergedFigures = (table: Table, { at }: Layout): Finding[] =>
  [at.debit, at.credit, at.amount].flatMap((column) =>
    column === undefined
      ? []
      : table.rows.flatMap((row) =>
          row.cells[column] === '' ? [] : (mergedFigure(table, row, column) ?? []),
        ),
  )

/** So many rows are written at once. */
const BATCH = 1000

/**
 * Rows of a workbook. Cells that are dates are in ISO form already; dates typed as text follow the stated format.
 * Any other text is left for the books to report.
 */
async function* canonicalRows(
  { rows }: Table,
  header: readonly string[],
  columns: readonly (readonly [name: string, at: number])[],
  dateFormat: string | undefined,
): AsyncGenerator<string> {
  const dayOf = remembered((text) => parseDate(text, dateFormat) ?? text)
  const cellOf = (name: string, text: string) => (name === 'date' && text !== '' ? dayOf(text) : text)
  yield csvRow(header)
  for (let i = 0; i < rows.length; i += BATCH)
    yield rows
      .slice(i, i + BATCH)
      .map(({ row, cells }) =>
        csvRow([String(row), ...columns.map(([name, at]) => cellOf(name, cells[at] ?? ''))]),
      )
      .join('')
}
