/** The tables that a column map reads, and what it can say beside renaming: a column of debit or credit, the opposite sign, joined columns, rows that are left out. */
import { present } from '../../../contract/present.ts'
import type { LedgerSetting } from '../../../workspace/company.ts'
import type { SourceFile } from '../../format/format.ts'
import { type SourceName, sheetName } from '../../format/intake.ts'
import { type RecordTable, recordsOfFile, recordsOfSheet } from '../../format/records.ts'
import { delimitersFor, firstRecords, parseHeader, TITLE_ROWS } from '../../text/csv.ts'
import { headerAt, positionsOf } from '../header.ts'

/** The key of a column map for the column that states debit or credit. */
export const DIRECTION = 'direction'
const JOIN = ' + '

/** Whether it does more than rename. */
export const isMapped = ({ columns, skip, count }: LedgerSetting): boolean =>
  skip !== undefined ||
  count !== undefined ||
  Object.entries(columns ?? {}).some(
    ([name, header]) => name === DIRECTION || header.includes(JOIN) || header.startsWith('-'),
  )

const DEBIT = /^(d|dr|deb|debit|s|soll|debet|\+|1)$/i
const CREDIT = /^(c|cr|cred|credit|h|haben|k|kredit|-|-1)$/i

/** Debit or credit, in the words of several languages; null where the text states neither. */
export const sideOf = (text: string): 'debit' | 'credit' | null =>
  CREDIT.test(text) ? 'credit' : DEBIT.test(text) ? 'debit' : null

/** The column of a value, or several columns that are joined by a dash. */
export interface MappedValue {
  readonly at: readonly number[]
  readonly isReversed: boolean
}

/**
 * `Amount`, `-Amount`, `Type + No.`; a header of exactly this name is preferred. Null where the header lacks a
 * column.
 */
export function mappedValue(header: readonly string[], text: string): MappedValue | null {
  const one = (name: string) => positionsOf(header, name)[0]
  const own = one(text)
  if (own !== undefined) return { at: [own], isReversed: false }
  if (text.startsWith('-')) {
    const reversed = one(text.slice(1).trim())
    return reversed === undefined ? null : { at: [reversed], isReversed: true }
  }
  const parts = text.split(JOIN).map((part) => one(part))
  return parts.length > 1 && parts.every((part) => part !== undefined)
    ? { at: parts as number[], isReversed: false }
    : null
}

export const valueAt = (cells: readonly string[], { at }: MappedValue): string => {
  const [first = 0] = at
  if (at.length === 1) return cells[first]?.trim() ?? ''
  return at
    .map((index) => cells[index]?.trim() ?? '')
    .filter((part) => part !== '')
    .join('-')
}

/** A text, or a sheet of a workbook. */
export interface MappedTable extends SourceName, RecordTable {
  readonly header: readonly string[]
  /** The row of the header; those above it are a title. */
  readonly headerRow: number
  readonly titles: readonly string[]
}

/** The header is the first row that names all columns of the map; where none does, the first row is taken. */
export function tablesOf(source: SourceFile, setting: LedgerSetting): MappedTable[] {
  const { columns = {}, skip, count } = setting
  const wanted = [...Object.values(columns), ...Object.keys({ ...skip, ...count })]
  const headerIn = (rows: readonly (readonly string[])[]) =>
    wanted.length === 0
      ? (headerAt(rows, 'ledger') ?? -1)
      : rows
          .slice(0, TITLE_ROWS + 1)
          .findIndex((cells) => wanted.every((text) => mappedValue(cells, text) !== null))
  return source.look.workbook === null
    ? [textIn(source, setting, headerIn)]
    : sheetsIn(source, setting, headerIn)
}

/** The index of the header, or -1. */
type HeaderIn = (rows: readonly (readonly string[])[]) => number

function sheetsIn(source: SourceFile, setting: LedgerSetting, headerIn: HeaderIn): MappedTable[] {
  const names = [setting.sheet ?? []].flat()
  const sheets = present(source.look.workbook, 'workbook').sheets.filter(
    ({ name, isHidden, rows }) => rows.length > 0 && (names.length > 0 ? names.includes(name) : !isHidden),
  )
  const found = sheets.filter(({ rows }) => headerIn(rows.map(({ cells }) => cells)) !== -1)
  return (found.length > 0 ? found : sheets.slice(0, 1)).map(({ name, rows }) => {
    const at = Math.max(0, headerIn(rows.map(({ cells }) => cells)))
    const below = rows.slice(at + 1)
    const { row, cells } = present(rows[at], 'row of the header')
    return {
      ...sheetName(source.file, name, found.length <= 1),
      source,
      header: cells,
      headerRow: row,
      titles: rows.slice(0, at).flatMap(({ cells: above }) => above),
      shape: null,
      records: () => recordsOfSheet(below),
    }
  })
}

function textIn(source: SourceFile, setting: LedgerSetting, headerIn: HeaderIn): MappedTable {
  const { file, look } = source
  const tables = delimitersFor(look.head, setting.delimiter).map((delimiter) => {
    const found = firstRecords(look.head, delimiter, TITLE_ROWS + 1).map(({ cells }) => cells)
    // Where an unclosed quote leaves no records, only the first line can be looked at.
    const rows = found.length > 0 ? found : [parseHeader(look.head, delimiter, file).header]
    const at = headerIn(rows)
    const header = (rows[Math.max(0, at)] ?? []).map((cell) => cell.replace(/^\uFEFF/, ''))
    const headerRow = Math.max(0, at) + 1
    const shape = { delimiter, width: header.length, headerRow }
    const records = () => recordsOfFile(source, shape)
    const titles = rows.slice(0, Math.max(0, at)).flat()
    return { isFound: at !== -1, file, source, header, headerRow, titles, shape, records }
  })
  return present(tables.find(({ isFound }) => isFound) ?? tables[0], 'table of a text')
}
