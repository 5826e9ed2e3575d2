/** Delimited text: finds the delimiter, splits rows, reports quotes that never close and rows of another width. */
import { CsvError, parse } from 'csv-parse/sync'
import { error, type Finding } from '../../workspace/finding.ts'

/** Rows that may stand above a header: the firm, the report's name, the period. No report has a longer title. */
export const TITLE_ROWS = 30

export const DELIMITERS = [',', ';', '\t', '|'] as const

export interface TextRow {
  /** The header is row 1; blank rows count, as they do in a spreadsheet. */
  readonly row: number
  /** Trimmed; empty text where the cell is empty. */
  readonly cells: readonly string[]
  /** By column, of which merged range of a sheet a cell is a part: its text stands for all of it. */
  readonly merged?: ReadonlyMap<number, CellRange>
}

/** A range of cells of a sheet. Rows as people count them, columns from 0; both ends belong to it. */
export interface CellRange {
  /** `B5:D5` */
  readonly name: string
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

const options = {
  bom: true,
  // Counted here, so that every row of another width is found, not only the first.
  relax_column_count: true,
  // Blanks around a quoted cell.
  trim: true,
  // A quote inside an unquoted cell is an inch mark, not a mistake.
  relax_quotes: true,
  // Named, since detection takes the first line end, which may stand inside a quoted cell.
  record_delimiter: ['\r\n', '\n', '\r'],
}

/** The delimiter that occurs most often in the first line, outside quotes; a single column is `,`. */
export function detectDelimiter(text: string): string {
  const line = firstLine(text.trimStart()).replace(/"(?:[^"]|"")*"/g, '')
  const count = (delimiter: string) => line.split(delimiter).length - 1
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}

const firstLine = (text: string): string => /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)![0]

/** The first row alone, for files whose rows are read elsewhere; the mark of the encoding (BOM) is left out. */
export function parseHeader(
  text: string,
  delimiter: string,
  file: string,
): { readonly header: readonly string[]; readonly findings: readonly Finding[] } {
  const body = text.replace(/^\uFEFF/, '')
  const line = firstLine(body)
  const { records, findings } = parseRecords(body.slice(0, line.length + 1), delimiter, file)
  return { header: records[0] ?? [], findings }
}

/** The first rows with where each ends, in bytes of the text as UTF-8; none where they cannot be told apart. */
export function firstRecords(
  text: string,
  delimiter: string,
  count: number,
): readonly { readonly cells: readonly string[]; readonly end: number }[] {
  try {
    const found = parse(text, { ...options, delimiter, bom: false, to: count, info: true })
    return (found as unknown as readonly { record: string[]; info: { bytes: number } }[]).map(
      ({ record, info }) => ({ cells: record, end: info.bytes }),
    )
  } catch (cause) {
    if (cause instanceof CsvError) return []
    throw cause
  }
}

/** All rows from the header on; `title` rows stand above it. */
export function parseCsv(
  text: string,
  delimiter: string,
  file: string,
  title = 0,
): {
  readonly rows: readonly TextRow[]
  /** The rows above the header. */
  readonly above: readonly TextRow[]
  readonly findings: readonly Finding[]
} {
  const { records, findings } = parseRecords(text, delimiter, file)
  const all = records
    .map((cells, i) => ({ row: i + 1, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const rows = all.filter(({ row }) => row > title)
  const above = all.filter(({ row }) => row <= title)
  return { rows, above, findings: [...findings, ...widthFindings(rows, file)] }
}

function parseRecords(
  text: string,
  delimiter: string,
  file: string,
): { readonly records: readonly string[][]; readonly findings: readonly Finding[] } {
  try {
    return { records: parse(text, { ...options, delimiter }), findings: [] }
  } catch (cause) {
    return { records: [], findings: [unreadableCsv(cause, file)] }
  }
}

/** Throws again what is no fault of the text. */
function unreadableCsv(cause: unknown, file: string): Finding {
  if (!(cause instanceof CsvError)) throw cause
  const row = typeof cause.records === 'number' ? cause.records + 1 : null
  return cause.code === 'CSV_QUOTE_NOT_CLOSED'
    ? unclosedQuote(file, row)
    : error('unreadable-csv', `not readable as delimited text: ${cause.message}`, {
        file,
        row,
        remedy: EXPORT_AGAIN,
      })
}

const EXPORT_AGAIN = 'export the file again, or double the quotes inside quoted cells'

export const unclosedQuote = (file: string, row: number | null): Finding =>
  error(
    'unreadable-csv',
    'a quote (") opens here and never closes: the file is cut off, or a quote too many was typed',
    { file, row, remedy: EXPORT_AGAIN },
  )

/** More cells than the header is harmless where they are empty (a trailing delimiter); fewer is a torn row. */
function widthFindings(rows: readonly TextRow[], file: string): Finding[] {
  const width = (rows[0]?.cells.findLastIndex((cell) => cell !== '') ?? -1) + 1
  return rows
    .filter(({ cells }) => cells.length < width || cells.slice(width).some((cell) => cell !== ''))
    .map(({ row, cells }) =>
      error('column-count', `has ${cells.length} cells where the header has ${width}`, {
        file,
        row,
        text: cells.join(' | ').slice(0, 200),
        remedy: 'quote cells that hold the delimiter; if this is the last row, the file may be cut off',
      }),
    )
}
