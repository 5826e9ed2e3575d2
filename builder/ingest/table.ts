/**
 * One form for the spreadsheets that people keep: a header and rows of text cells, from delimited text or XLSX,
 * told apart by content. Which column is which is settled here too.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TableSetting } from '../workspace/company.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { parseCsv, type TextRow } from './csv.ts'
import { decodeText } from './decode.ts'
import { findFiles, sha256 } from './files.ts'
import {
  type ColumnMap,
  headerAt,
  headerFor,
  locateHeader,
  positionsOf,
  REQUIRED,
  type TableKind,
} from './header.ts'
import type { SourceRecord } from './intake.ts'
import { isCompoundFile, isZip, parseXlsx, type TextSheet, type Workbook } from './xlsx.ts'

/** The part of a table that says what its columns are. */
export interface Head {
  /** Path relative to the company's folder; `path#Sheet` where several sheets of a workbook are read. */
  readonly file: string
  /** The key of company.yaml that names the file. */
  readonly key: string
  readonly header: readonly string[]
  /** Row of the header: 1, unless a title stands above it. */
  readonly headerRow: number
}

export interface Table extends Head {
  readonly isWorkbook: boolean
  /** Rows below it, blank ones left out; as many cells as the header. */
  readonly rows: readonly TextRow[]
}

export interface TableReading {
  readonly tables: readonly Table[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** A table is kept in memory as text; a ledger, which may be larger, is not read here unless it is a workbook. */
const BYTE_LIMIT = 256 * 1024 * 1024

/** Reads every file that `setting` names; `key` is its key in company.yaml. */
export async function readTables(
  folder: string,
  setting: TableSetting,
  role: TableKind,
  key: string,
): Promise<TableReading> {
  const { files, findings } = await findFiles(folder, setting.files, `${key}.files`)
  const readings = await Promise.all(files.map((file) => readTable(folder, file, setting, role, key)))
  return {
    tables: readings.flatMap((reading) => reading.tables),
    sources: readings.flatMap((reading) => reading.sources),
    findings: [...findings, ...readings.flatMap((reading) => reading.findings)],
  }
}

/** `read` is a workbook that was read already. */
export async function readTable(
  folder: string,
  file: string,
  setting: TableSetting,
  role: TableKind,
  key: string,
  read: Workbook | null = null,
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
  const record = { bytes: size, sha256: sha256(bytes), role }
  if (!isZip(bytes) && !isCompoundFile(bytes)) {
    const { table, encoding, delimiter, findings } = readText(bytes, file, setting, role, key)
    const source = {
      ...record,
      file,
      encoding,
      rows: table?.rows.length ?? 0,
      ...(delimiter === null ? {} : { delimiter }),
    }
    return { tables: table === null ? [] : [table], sources: [source], findings }
  }
  const workbook = read ?? (await parseXlsx(bytes, setting.decimal ?? '.', file))
  if (workbook.findings.length > 0) return only(workbook.findings)
  const chosen = chooseSheets(workbook.sheets, setting, file, key)
  const { sheets, findings } = setting.sheet === undefined ? onlyTables(chosen, file, role, setting) : chosen
  const several = sheets.length > 1
  const tables = sheets.map((sheet) => {
    const title = headerOf(sheet, role, setting) ?? 0
    const source = { file: several ? `${file}#${sheet.name}` : file, key, isWorkbook: true }
    return asTable(source, sheet.rows.slice(title))
  })
  const sources = tables.map((table, i) => ({
    ...record,
    file: table.file,
    ...(several ? { path: file } : {}),
    sheet: sheets[i]!.name,
    encoding: 'xlsx',
    rows: table.rows.length,
  }))
  return { tables, sources, findings }
}

const only = (findings: readonly Finding[]): TableReading => ({ tables: [], sources: [], findings })

function readText(
  bytes: Buffer,
  file: string,
  setting: TableSetting,
  role: TableKind,
  key: string,
): { table: Table | null; encoding: string; delimiter: string | null; findings: readonly Finding[] } {
  const { text, encoding, undecodableLine } = decodeText(bytes, setting.encoding)
  if (undecodableLine !== null)
    return {
      table: null,
      encoding,
      delimiter: null,
      findings: [undecodable(file, encoding, undecodableLine)],
    }
  const { delimiter, title } = locateHeader(text, role, setting)
  const { rows, findings } = parseCsv(text, delimiter, file, title)
  if (rows.length > 0)
    return { table: asTable({ file, key, isWorkbook: false }, rows), encoding, delimiter, findings }
  return { table: null, encoding, delimiter, findings: findings.length > 0 ? findings : [emptyFile(file)] }
}

export const undecodable = (file: string, encoding: string, row: number | null): Finding =>
  error('undecodable-text', `holds bytes that are no ${encoding} text`, {
    file,
    row,
    remedy: 'save the file as UTF-8, or name its encoding in company.yaml, such as "encoding: windows-1252"',
  })

export const emptyFile = (file: string): Finding =>
  error('empty-file', 'holds no row, not even a header', { file, remedy: 'export the file again' })

/** Trailing columns that are blank throughout are dropped, and every row is as wide as the header. */
function asTable(source: Pick<Table, 'file' | 'key' | 'isWorkbook'>, rows: readonly TextRow[]): Table {
  const [head, ...rest] = rows as [TextRow, ...TextRow[]]
  const width = rows.reduce(
    (widest, { cells }) => Math.max(widest, cells.findLastIndex((c) => c !== '') + 1),
    0,
  )
  const fit = (cells: readonly string[]) => Array.from({ length: width }, (_, i) => cells[i] ?? '')
  return {
    ...source,
    header: fit(head.cells),
    headerRow: head.row,
    rows: rest.map(({ row, cells }) => ({ row, cells: fit(cells) })),
  }
}

interface Chosen {
  readonly sheets: readonly TextSheet[]
  readonly findings: readonly Finding[]
}

const headerOf = ({ rows }: TextSheet, role: TableKind, { columns }: TableSetting): number | null =>
  headerAt(
    rows.map(({ cells }) => cells),
    role,
    columns,
  )

/** Notes beside the figures are no table; but a sheet that is left out in silence may be the one that was misspelt. */
function onlyTables(chosen: Chosen, file: string, role: TableKind, setting: TableSetting): Chosen {
  const tables = chosen.sheets.filter((sheet) => headerOf(sheet, role, setting) !== null)
  if (tables.length === 0) return chosen
  const others = chosen.sheets.filter((sheet) => !tables.includes(sheet))
  const names = tables.map(({ name }) => `"${name}"`).join(', ')
  const findings = others.map(({ name, rows }) =>
    error('not-a-table', `the sheet "${name}" has no row with the columns ${REQUIRED[role].join(', ')}`, {
      file: `${file}#${name}`,
      row: rows[0]!.row,
      text: rows[0]!.cells
        .filter((cell) => cell !== '')
        .join(', ')
        .slice(0, 200),
      remedy: `name the sheets that are to be read in company.yaml: "sheet: ${tables.length === 1 ? names : `[${names}]`}"; or correct its header`,
    }),
  )
  return { sheets: tables, findings: [...chosen.findings, ...findings] }
}

/** The sheets that the setting names, else all that are not blank. */
function chooseSheets(
  sheets: readonly TextSheet[],
  setting: TableSetting,
  file: string,
  key: string,
): Chosen {
  const filled = sheets.filter((sheet) => sheet.rows.length > 0)
  if (setting.sheet === undefined)
    return { sheets: filled, findings: filled.length > 0 ? [] : [emptyFile(file)] }
  const names = [setting.sheet].flat()
  const findings = names
    .filter((name) => !filled.some((sheet) => sheet.name === name))
    .map((name) =>
      error('no-such-sheet', `${file} has no sheet "${name}" with rows in it`, {
        file: COMPANY_FILE,
        column: `${key}.sheet`,
        text: name,
        remedy: `its sheets are ${filled.map((sheet) => `"${sheet.name}"`).join(', ') || 'all blank'}`,
      }),
    )
  return { sheets: filled.filter((sheet) => names.includes(sheet.name)), findings }
}

/** Where a cell is, for findings: the column by its header, in a workbook also the cell's address. */
export function cellPlace(table: Table, row: TextRow, column: number) {
  const address = `${columnLetters(column)}${row.row}`
  const header = table.header[column]
  const name = header ? (table.isWorkbook ? `${header} (${address})` : header) : columnLetters(column)
  return { file: table.file, row: row.row, column: name, text: row.cells[column] ?? '' }
}

/** 0 → A, 25 → Z, 26 → AA. */
const columnLetters = (column: number): string =>
  (column < 26 ? '' : columnLetters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

export interface Columns<Name extends string> {
  /** Canonical column → its position in the header. */
  readonly at: { readonly [name in Name]?: number }
  /** Positions of the header cells that are no canonical column. */
  readonly others: readonly number[]
  readonly findings: readonly Finding[]
}

/**
 * Finds the canonical columns `names` in a header: through `map` (canonical column → header in the file), else by
 * their own name. `required` columns that are not there are findings.
 */
export function findColumns<Name extends string>(
  head: Head,
  names: readonly Name[],
  required: readonly Name[],
  map: ColumnMap = {},
): Columns<Name> {
  const { file, key, header, headerRow } = head
  const findings = Object.entries(map)
    .filter(([name]) => !(names as readonly string[]).includes(name))
    .map(([name, text]) =>
      error('unknown-column', `"${name}" is no column that is read here`, {
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
    if (found.length > 1)
      findings.push(
        error('duplicate-column', `the header names "${wanted}" ${found.length} times`, {
          file,
          row: headerRow,
          column: wanted,
          remedy: 'keep one of these columns, or rename the others',
        }),
      )
    if (found[0] !== undefined) at[name] = found[0]
    else if (mapped || required.includes(name)) findings.push(missingColumn(head, wanted, name))
  }
  const taken = new Set<number | undefined>(Object.values(at))
  const others = header.flatMap((cell, i) => (cell.trim() === '' || taken.has(i) ? [] : [i]))
  return { at, others, findings }
}

export const missingColumn = ({ file, header, headerRow }: Head, wanted: string, column: string): Finding =>
  error('missing-column', `there is no column "${wanted}"`, {
    file,
    row: headerRow,
    column: wanted,
    text: header.filter((cell) => cell !== '').join(', '),
    remedy: `add it, or say under "columns" in company.yaml which header stands for it: { ${column}: "…" }`,
  })

/** Columns that are there but mean nothing to us are said once, since one of them may be a misspelt one. */
export const columnsNotRead = (
  { file, headerRow }: Pick<Head, 'file' | 'headerRow'>,
  headers: readonly string[],
  known: readonly string[],
): Finding[] =>
  headers.length === 0
    ? []
    : [
        warning('columns-not-read', `not read: ${headers.map((header) => `"${header}"`).join(', ')}`, {
          file,
          row: headerRow,
          remedy: `columns that are read: ${known.join(', ')}; "columns" in company.yaml maps other headers to them`,
        }),
      ]
