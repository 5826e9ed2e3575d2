/** The tables of a file that a column map reads: a text, or sheets of a workbook, each with its header. */
import { present } from '../../../contract/present.ts'
import type { LedgerSetting } from '../../../workspace/company.ts'
import { type RecordTable, recordsOfSheet, recordsOfText } from '../../format/copied-tables.ts'
import type { SourceFile } from '../../format/format.ts'
import { type SourceName, sheetName } from '../../format/intake.ts'
import { delimitersFor, firstRecords, parseHeader, TITLE_ROWS } from '../../text/csv.ts'
import { headerAt } from '../header.ts'
import { mappedValue } from './map.ts'

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
    const records = () => recordsOfText(source, shape)
    const titles = rows.slice(0, Math.max(0, at)).flat()
    return { isFound: at !== -1, file, source, header, headerRow, titles, shape, records }
  })
  return present(tables.find(({ isFound }) => isFound) ?? tables[0], 'table of a text')
}
