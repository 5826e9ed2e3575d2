/**
 * Reads ledgers whose column map does more than rename. They are copied into canonical CSV: large ones in parts, several side by side,
 * by threads.
 */
import type { LedgerSetting } from '../../../workspace/company.ts'
import type { Finding } from '../../../workspace/finding.ts'
import type { ReadBy } from '../../../workspace/threads.ts'
import { copyTables } from '../../format/copied-tables.ts'
import type { SourceFile } from '../../format/format.ts'
import { type FileReading, nameOf, type SourceRecord } from '../../format/intake.ts'
import { withHands } from '../../format/part-hands.ts'
import { undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { swappedDays } from '../../text/swapped-days.ts'
import { emptyFile } from '../table.ts'
import { MappedColumns } from './columns.ts'
import { MappedLedger } from './ledger.ts'
import { valueAt } from './map.ts'
import type { MapHands, WORK } from './parts.ts'
import { type MappedTable, tablesOf } from './tables.ts'

const MB = 1024 ** 2
const WORTH = { partBytes: 2 * MB, threadBytes: 12 * MB }

/** All files of an entry together; mistakes are findings. `key` names the entry, such as `ledger.0`. */
export function readMapped(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  key: string,
  scratch: Scratch,
  by: ReadBy | null,
  currency: string,
): Promise<FileReading[]> {
  const size = sources.reduce((sum, { scan, look }) => sum + (look.workbook === null ? scan.bytes : 0), 0)
  return withHands<typeof WORK, FileReading[]>(import.meta.url, WORTH, size, by, (hands) =>
    readMappedFiles(sources, setting, key, scratch, hands, currency),
  )
}

/** What is read does not depend on `hands`. */
export async function readMappedFiles(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  key: string,
  scratch: Scratch,
  hands: MapHands | null,
  currency: string,
): Promise<FileReading[]> {
  const refused = sources.map(unreadable)
  const tables = sources
    .filter((_, i) => refused[i] === null)
    .flatMap((source) => tablesOf(source, setting))
    .map((table) => new MappedColumns(table, setting, key, currency))
  const begin = (columns: MappedColumns) => new MappedLedger(columns)
  const readable = tables.filter(({ findings }) => findings.length === 0)
  const copies = new Map<MappedColumns, FileReading>()
  for await (const { copy, path } of copyTables(readable, begin, scratch, hands))
    copies.set(copy.columns, {
      ...readingOf(copy.columns, copy.unread),
      inputs: [copy.columns.plan(path)],
      findings: [...copy.findings, ...copy.columns.titled, ...(await swappedIn(copy.columns))],
    })
  return sources.flatMap((source, i) => {
    const finding = refused[i] ?? null
    if (finding !== null)
      return [
        {
          inputs: [],
          sources: [{ ...recordOf(source), encoding: source.look.encoding }],
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
async function swappedIn({ table, form, setting }: MappedColumns): Promise<Finding[]> {
  const date = form.columns.find(([name]) => name === 'date')?.[1]
  if (form.sheetDates === null || !date) return []
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

const recordOf = ({ file, scan }: SourceFile) => ({
  file,
  bytes: scan.bytes,
  sha256: scan.sha256,
  role: 'ledger' as const,
  rows: null,
})

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
  encoding: shape === null ? 'xlsx' : source.look.encoding,
  ...(shape === null ? {} : { delimiter: shape.delimiter }),
})
