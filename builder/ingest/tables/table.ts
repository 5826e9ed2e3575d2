/**
 * Reads spreadsheets, delimited text or XLSX by their content, into one form: a header and rows of text cells; and
 * finds the columns. First file of the room that owns charts, budgets, metrics, trial balances and mapped ledgers
 * as tables. Must not judge their figures: the books do.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../system/hash.ts'
import { readFile } from '../../system/plain-file.ts'
import type { TableSetting } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { findFiles } from '../../workspace/source-files.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { type SourceRecord, sheetName } from '../format/intake.ts'
import { parseCsv, type TextRow } from '../text/csv.ts'
import { decodeText, undecodable } from '../text/decode.ts'
import { LOST, lostInRows, mixedInText, zeroBytes } from '../text/lost-letters.ts'
import { foreignFile, wrongReport } from '../workbook/foreign.ts'
import { columnLetters } from '../workbook/sheet.ts'
import { isCompoundFile, isZip, parseXlsx, type Workbook } from '../workbook/xlsx.ts'
import { type ColumnMap, headerFor, locateHeader, positionsOf, roleOf, type TableKind } from './header.ts'
import { sheetTables } from './sheets.ts'

/** The part of a table that names its columns. */
export interface Head {
  /** Path relative to the company's folder; `path#Sheet` where several sheets of a workbook are read. */
  readonly file: string
  /** The key of company.yaml that names the file. */
  readonly key: string
  readonly header: readonly string[]
  /** Row of the header; 1 unless a title stands above it. */
  readonly headerRow: number
}

export interface Table extends Head {
  readonly isWorkbook: boolean
  /** The sheet of a workbook; null for text. */
  readonly sheet: string | null
  /** Titles: the rows above the header. */
  readonly above: readonly TextRow[]
  /** Rows below the header, without blank ones; as many cells as the header has. */
  readonly rows: readonly TextRow[]
}

export interface TableReading {
  readonly tables: readonly Table[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** Tables are kept in memory as text. A ledger, which may be larger, is only read here where it is a workbook. */
const BYTE_LIMIT = 256 * 1024 * 1024

/** Reads every file that `setting` names; `key` is its key in company.yaml. */
export async function readTables(
  folder: string,
  setting: TableSetting,
  role: TableKind,
  key: string,
): Promise<TableReading> {
  const { files, findings } = await findFiles(folder, setting.files, `${key}.files`)
  const readings: TableReading[] = []
  for (const file of files) readings.push(await readTable(folder, file, setting, role, key))
  return {
    tables: readings.flatMap((reading) => reading.tables),
    sources: readings.flatMap((reading) => reading.sources),
    findings: [...findings, ...readings.flatMap((reading) => reading.findings)],
  }
}

export async function readTable(
  folder: string,
  file: string,
  setting: TableSetting,
  role: TableKind,
  key: string,
): Promise<TableReading> {
  const path = join(folder, file)
  const { size } = await stat(path)
  if (size > BYTE_LIMIT)
    return only([
      error('file-too-large', `is ${size} bytes; a table is read up to ${BYTE_LIMIT} bytes`, {
        file,
        remedy: 'split it into several files and name them by a pattern, such as "budgets/2025-*.csv"',
      }),
    ])
  const bytes = await readFile(path)
  if (!isZip(bytes) && !isCompoundFile(bytes))
    return withoutReports(readText(bytes, file, setting, role, key), role)
  const workbook = await parseXlsx(bytes, setting.decimal ?? '.', file)
  const state = { bytes: bytes.length, sha256: sha256(bytes) }
  return withoutReports(tablesIn(workbook, { file, ...state }, setting, role, key), role)
}

/** The sheets of a workbook that are tables of this kind. */
export function tablesIn(
  workbook: Workbook,
  { file, bytes, sha256 }: Pick<SourceRecord, 'file' | 'bytes' | 'sha256'>,
  setting: TableSetting,
  role: TableKind,
  key: string,
): TableReading {
  if (workbook.findings.length > 0) return only(workbook.findings)
  const record = { bytes, sha256, role: roleOf(role), encoding: 'xlsx' }
  const { tables: sheets, findings } = sheetTables(workbook.sheets, setting, { file, key, role })
  const readings = sheets.map(({ name: sheet, rows, above }): TableReading => {
    const name = sheetName(file, sheet, sheets.length === 1)
    const { table, findings } = asTable({ file: name.file, key, isWorkbook: true, sheet, above }, rows)
    if (table === null) return only(findings)
    const source = { ...record, ...name, rows: table.rows.length }
    return { tables: [table], sources: [source], findings }
  })
  const tables = readings.flatMap((reading) => reading.tables)
  const lost = tables.flatMap((table) => lostInRows(table.file, table.rows))
  const sources = readings.flatMap((reading) => reading.sources)
  return { tables, sources, findings: [...findings, ...readings.flatMap((each) => each.findings), ...lost] }
}

const only = (findings: readonly Finding[]): TableReading => ({ tables: [], sources: [], findings })

/** Reports are no budgets, whatever their columns look like; nothing else need be said of them. */
function withoutReports(reading: TableReading, role: TableKind): TableReading {
  if (role !== 'budget' && role !== 'metrics') return reading
  const wrong = reading.tables.flatMap(
    ({ above, header, file }) => wrongReport([...above.map(({ cells }) => cells), header], file, true) ?? [],
  )
  return wrong.length === 0 ? reading : { ...reading, tables: [], findings: wrong }
}

/** Reads delimited text. */
function readText(
  bytes: Buffer,
  file: string,
  setting: TableSetting,
  role: TableKind,
  key: string,
): TableReading {
  const { text, encoding, undecodableLine } = decodeText(bytes, setting.encoding)
  const record = { bytes: bytes.length, sha256: sha256(bytes), role: roleOf(role), file, encoding }
  const reading = (findings: readonly Finding[], form = {}, table: Table | null = null): TableReading => ({
    tables: table === null ? [] : [table],
    sources: [{ ...record, ...form, rows: table?.rows.length ?? 0 }],
    findings,
  })
  if (undecodableLine !== null) return reading([undecodable(file, encoding, undecodableLine)])
  const foreign = foreignFile(text, file)
  if (foreign !== null) return reading([foreign])
  const zero = text.indexOf('\0')
  if (zero !== -1) return reading([zeroBytes(file, text.slice(0, zero).split('\n').length)])
  const { delimiter, title } = locateHeader(text, role, setting)
  const { rows, above, findings } = parseCsv(text, delimiter, file, title)
  if (rows.length === 0) return reading(findings.length > 0 ? findings : [emptyFile(file)], { delimiter })
  const { table, findings: unfit } = asTable({ file, key, isWorkbook: false, sheet: null, above }, rows)
  const lost = text.includes(LOST) ? lostInRows(file, table?.rows ?? []) : []
  const mixed = setting.encoding === undefined ? mixedInText(file, bytes, text) : []
  return reading([...findings, ...unfit, ...lost, ...mixed], { delimiter }, table)
}

export const emptyFile = (file: string): Finding =>
  error('empty-file', 'has no row, not even a header', { file, remedy: 'export the file again' })

/** Cells of a table as a rectangle. A stray note far to the right would otherwise make billions of cells. */
const CELL_LIMIT = 20_000_000

/** Removes trailing columns that are blank throughout, and makes every row as wide as the header. */
function asTable(
  source: Omit<Table, 'header' | 'headerRow' | 'rows'>,
  rows: readonly TextRow[],
): { readonly table: Table | null; readonly findings: readonly Finding[] } {
  const [head, ...rest] = rows
  if (head === undefined) return { table: null, findings: [emptyFile(source.file)] }
  const width = rows.reduce(
    (widest, { cells }) =>
      cells.length > widest ? Math.max(widest, cells.findLastIndex((c) => c !== '') + 1) : widest,
    0,
  )
  if (width * rows.length > CELL_LIMIT) {
    const widest = rows.find(({ cells }) => cells.findLastIndex((c) => c !== '') === width - 1) ?? head
    const what = `has ${rows.length} rows and ${width} columns; up to ${CELL_LIMIT} cells are read`
    return {
      table: null,
      findings: [
        error('table-too-large', what, {
          file: source.file,
          row: widest.row,
          column: columnLetters(width - 1),
          remedy: 'remove cells that stand far outside of the table, or split the file',
        }),
      ],
    }
  }
  const fit = (cells: readonly string[]) => Array.from({ length: width }, (_, i) => cells[i] ?? '')
  const table = {
    ...source,
    header: fit(head.cells),
    headerRow: head.row,
    rows: rest.map((row) => (row.cells.length === width ? row : { ...row, cells: fit(row.cells) })),
  }
  return { table, findings: [] }
}

/** The place of a cell for findings: the column by its header, and in a workbook by the cell's address too. */
export function cellPlace(table: Table, row: TextRow, column: number) {
  const address = `${columnLetters(column)}${row.row}`
  const header = table.header[column]
  const name = header ? (table.isWorkbook ? `${header} (${address})` : header) : columnLetters(column)
  return { file: table.file, row: row.row, column: name, text: row.cells[column] ?? '' }
}

/**
 * The finding about a figure in merged cells; null where the cell is not merged, or where the first row of the
 * range has the finding.
 */
export function mergedFigure(table: Table, row: TextRow, column: number): Finding | null {
  const range = row.merged?.get(column)
  if (range === undefined || range.top !== row.row) return null
  const { text, ...place } = cellPlace(table, row, column)
  return error(
    'merged-figure',
    `"${text}" is merged over ${range.name}: which row and column it belongs to is not stated`,
    {
      ...place,
      text,
      remedy: 'split the merged cells, and write each figure into its own',
    },
  )
}

export const isMerged = (row: TextRow, column: number): boolean => row.merged?.has(column) ?? false

export interface Columns<Name extends string> {
  /** Canonical column → its position in the header. */
  readonly at: { readonly [name in Name]?: number }
  /** Positions of the header cells that are not canonical columns. */
  readonly others: readonly number[]
  readonly findings: readonly Finding[]
}

/**
 * Finds the canonical columns `names` in a header: by `map` (canonical column → header in the file), else by their
 * own name. Missing columns of `required` are findings.
 */
export function findColumns<Name extends string>(
  head: Head,
  names: readonly Name[],
  required: readonly Name[],
  map: ColumnMap = {},
): Columns<Name> {
  const { key, header } = head
  const findings = Object.entries(map)
    .filter(([name]) => !(names as readonly string[]).includes(name))
    .map(([name, text]) =>
      error('unknown-column', `"${name}" is not a column that is read here`, {
        file: COMPANY_FILE,
        column: `${key}.columns.${name}`,
        text,
        remedy: `"columns" maps these to headers of the file: ${names.join(', ')}`,
      }),
    )
  const at: { [name in Name]?: number } = {}
  for (const name of names) {
    const mapped = Object.hasOwn(map, name)
    const wanted = headerFor(name, map)
    const found = positionsOf(header, wanted)
    if (found.length > 1) findings.push(duplicateColumn(head, wanted))
    if (found[0] !== undefined) at[name] = found[0]
    else if (mapped || required.includes(name)) findings.push(missingColumn(head, wanted, name))
  }
  const taken = new Set<number | undefined>(Object.values(at))
  const others = header.flatMap((cell, i) => (cell.trim() === '' || taken.has(i) ? [] : [i]))
  return { at, others, findings }
}

export const duplicateColumn = ({ file, header, headerRow }: Head, wanted: string): Finding =>
  error('duplicate-column', `the header names "${wanted}" ${positionsOf(header, wanted).length} times`, {
    file,
    row: headerRow,
    column: wanted,
    remedy: 'keep one of these columns, or rename the others',
  })

export const missingColumn = ({ file, header, headerRow }: Head, wanted: string, column: string): Finding =>
  error('missing-column', `there is no column "${wanted}"`, {
    file,
    row: headerRow,
    column: wanted,
    text: header.filter((cell) => cell !== '').join(', '),
    remedy: `add it, or say under "columns" in company.yaml which header stands for it: { ${column}: "…" }`,
  })

/** Warns once about all columns that are not read, since one of them may be misspelt. `known`: what is read, or what to do. */
export const columnsNotRead = (
  { file, headerRow }: { readonly file: string; readonly headerRow: number | null },
  headers: readonly string[],
  known: readonly string[] | string,
): Finding[] =>
  headers.length === 0
    ? []
    : [
        warning('columns-not-read', `not read: ${headers.map((header) => `"${header}"`).join(', ')}`, {
          file,
          row: headerRow,
          remedy:
            typeof known === 'string'
              ? known
              : `columns that are read: ${known.join(', ')}; "columns" in company.yaml maps other headers to them`,
        }),
      ]
