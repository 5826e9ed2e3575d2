/**
 * Reads a ledger that is a table, text or workbook. The books read a text as it is where its columns need no more than their names; of any
 * other one, and of a sheet, they get a copy with canonical columns.
 */
import { present } from '../../../contract/present.ts'
import type { LedgerSetting } from '../../../workspace/company.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import { formOfEntry } from '../../format/canonical-plan.ts'
import { recordOf, type SourceFile } from '../../format/format.ts'
import type { FileReading } from '../../format/intake.ts'
import { copyTable, plainCopy } from '../../format/records.ts'
import { textAt } from '../../text/csv.ts'
import { undecodable } from '../../text/decode.ts'
import type { Scratch } from '../../text/scan.ts'
import { swappedDays } from '../../text/swapped-days.ts'
import { emptyFile, mergedFigure, type Table } from '../table.ts'
import { MappedColumns } from './columns.ts'
import { tablesOf, valueAt } from './map.ts'
import { MappedRows } from './rows.ts'

type Part = Pick<FileReading, 'inputs' | 'findings' | 'unread'>

/** `key` names the entry, such as `ledger.0`. Mistakes are findings. */
export async function readLedgerTable(
  source: SourceFile,
  setting: LedgerSetting,
  key: string,
  scratch: Scratch,
  currency: string,
): Promise<FileReading> {
  const refusal = unreadable(source)
  if (refusal !== null) {
    const sources = [{ ...recordOf(source), role: 'ledger' as const, rows: null }]
    return { inputs: [], sources, findings: [refusal], unread: [] }
  }
  const { tables, sources, findings } = tablesOf(source, setting, key)
  const parts: Part[] = []
  for (const table of tables)
    parts.push(await read(new MappedColumns(table, setting, key, currency), scratch))
  return {
    sources,
    inputs: parts.flatMap((part) => part.inputs),
    findings: [...findings, ...parts.flatMap((part) => part.findings)],
    unread: parts.flatMap((part) => part.unread),
  }
}

/** Why a text cannot be read; else null. */
function unreadable({ file, scan, look }: SourceFile): Finding | null {
  if (look.workbook !== null) return null
  if (look.encoding === 'utf-8' && scan.encoding !== 'utf-8') return undecodable(file, 'utf-8', null)
  return look.head.trim() === '' ? emptyFile(file) : null
}

async function read(columns: MappedColumns, scratch: Scratch): Promise<Part> {
  const findings = [...columns.findings, ...columns.titled]
  if (columns.findings.length > 0) return { inputs: [], findings, unread: columns.unread() }
  if (columns.isPlain) return readAsItIs(columns, findings, scratch)
  const { table } = columns
  const rows = new MappedRows(columns)
  const { path, notes } = await copyTable(table, rows, scratch)
  return {
    inputs: [columns.plan(path)],
    findings: [...rows.findings(notes), ...findings, ...(table.sheet ? ofSheet(table.sheet, columns) : [])],
    unread: columns.unread(rows.values),
  }
}

/** Figures in merged cells, and dates with day and month exchanged: in a text no spreadsheet has read them. */
function ofSheet(sheet: Table, { amounts, columns, setting }: MappedColumns): Finding[] {
  const merged = amounts.flatMap((column) =>
    sheet.rows.flatMap((row) => (row.cells[column] === '' ? [] : (mergedFigure(sheet, row, column) ?? []))),
  )
  const date = columns.find(([name]) => name === 'date')?.[1]
  if (!date) return merged
  const dates = sheet.rows.map(({ row, cells }) => [row, valueAt(cells, date)] as const)
  const column = date.at.map((at) => textAt(sheet.header, at)).join(' + ')
  return [...merged, ...swappedDays(dates, setting.dateFormat, { file: sheet.file, column })]
}

/** A text that DuckDB reads: the file itself, else a copy. */
async function readAsItIs(columns: MappedColumns, findings: Finding[], scratch: Scratch): Promise<Part> {
  const { table, setting } = columns
  const { file, header, headerRow, source } = table
  const { path, scan, look } = source
  const { delimiter } = present(table.shape, 'shape of a text')
  const isOdd = scan.hasOddCells || (scan.hasTabbedQuote && delimiter !== '\t')
  const needsCopy = look.encoding !== 'utf-8' || headerRow > 1 || isOdd
  const copy = needsCopy ? await plainCopy(source, { delimiter, headerRow, isOdd }, scratch) : null
  if (copy !== null && copy.findings.length > 0)
    return { inputs: [], findings: [...copy.findings], unread: [] }
  return {
    inputs: [
      {
        ...{ kind: 'csv', file, basis: columns.basis, ...formOfEntry(setting) },
        ...(copy === null ? { path, mayHoldBlankRows: scan.mayHoldBlankRows } : { path: copy.path }),
        delimiter: isOdd ? ',' : delimiter,
        ...columns.others,
        columns: Object.fromEntries(
          columns.columns.map(([name, value]) => [name, textAt(header, value?.at[0] ?? -1)]),
        ),
        header,
      },
    ],
    findings,
    unread: columns.unread(),
  }
}
