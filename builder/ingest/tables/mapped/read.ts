/** Reads ledgers whose column map does more than rename. They are copied into canonical CSV. */
import type { LedgerSetting } from '../../../workspace/company.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import { recordOf, type SourceFile } from '../../format/format.ts'
import { type FileReading, nameOf, type SourceRecord } from '../../format/intake.ts'
import { copyTable } from '../../format/records.ts'
import { undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { swappedDays } from '../../text/swapped-days.ts'
import { emptyFile } from '../table.ts'
import { MappedColumns } from './columns.ts'
import { type MappedTable, tablesOf, valueAt } from './map.ts'
import { MappedRows } from './rows.ts'

/** All files of an entry together; mistakes are findings. `key` names the entry, such as `ledger.0`. */
export async function readMapped(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  key: string,
  scratch: Scratch,
  currency: string,
): Promise<FileReading[]> {
  const refused = sources.map(unreadable)
  const tables = sources
    .filter((_, i) => refused[i] === null)
    .flatMap((source) => tablesOf(source, setting))
    .map((table) => new MappedColumns(table, setting, key, currency))
  const copies = new Map<MappedColumns, FileReading>()
  for (const columns of tables.filter(({ findings }) => findings.length === 0)) {
    const rows = new MappedRows(columns)
    const { path, notes } = await copyTable(columns.table, rows, scratch)
    copies.set(columns, {
      ...readingOf(columns, columns.unread(rows.values)),
      inputs: [columns.plan(path)],
      findings: [...rows.findings(notes), ...columns.titled, ...(await swappedIn(columns))],
    })
  }
  return sources.flatMap((source, i) => {
    const finding = refused[i] ?? null
    if (finding !== null)
      return [
        {
          inputs: [],
          sources: [{ ...recordOf(source), role: 'ledger', rows: null }],
          findings: [finding],
          unread: [],
        },
      ]
    return tables
      .filter(({ table }) => table.source === source)
      .map((columns) => copies.get(columns) ?? readingOf(columns))
  })
}

/** In a sheet, dates with day and month exchanged; in a text no spreadsheet has read them. */
async function swappedIn({ table, columns, setting }: MappedColumns): Promise<Finding[]> {
  const date = columns.find(([name]) => name === 'date')?.[1]
  if (table.shape !== null || !date) return []
  const dates: [row: number, text: string][] = []
  for await (const rows of table.records().batches)
    for (const { row, cells } of rows) if (cells !== null) dates.push([row, valueAt(cells, date)])
  const column = date.at.map((at) => table.header[at]).join(' + ')
  return swappedDays(dates, setting.dateFormat, { file: table.file, column })
}

/** Why a text cannot be read; else null. */
function unreadable({ file, scan, look }: SourceFile): Finding | null {
  if (look.workbook !== null) return null
  if (look.encoding === 'utf-8' && scan.encoding !== 'utf-8') return undecodable(file, 'utf-8', null)
  return look.head.trim() === '' ? emptyFile(file) : null
}

/** Without the rows. */
const readingOf = (columns: MappedColumns, unread = columns.unread()): FileReading => ({
  inputs: [],
  sources: [sourceOf(columns.table)],
  findings: columns.findings,
  unread,
})

const sourceOf = ({ source, shape, ...table }: MappedTable): SourceRecord => ({
  ...recordOf(source),
  ...nameOf(table),
  ...{ role: 'ledger', rows: null },
  ...(shape === null ? {} : { delimiter: shape.delimiter }),
})
