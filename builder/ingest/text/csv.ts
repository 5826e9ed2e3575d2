/** Delimited text: finds the delimiter, splits rows, and reports quotes that never close and rows of another width. */
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { type Cells, type QuoteFault, recordsIn } from './delimited.ts'
import { footersOf } from './footer.ts'

/** Rows that may stand above a header (company, name of the report, period); no report has more. */
export const TITLE_ROWS = 30

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export interface TextRow {
  /** From 1, the header; blank rows count, as they do in a spreadsheet. */
  readonly row: number
  /** Trimmed; an empty cell is empty text. */
  readonly cells: readonly string[]
  /** Column → the merged range that the cell is a part of, whose text stands for all of it. */
  readonly merged?: ReadonlyMap<number, CellRange>
}

/** The text of a cell or header; empty where the row ends before the column. */
export const textAt = (cells: readonly string[], column: number): string => cells[column] ?? ''

/** A range of cells of a sheet, both ends included. Rows are counted from 1, columns from 0. */
export interface CellRange {
  /** `B5:D5` */
  readonly name: string
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** A cell as it is written in CSV, in quotes where it needs them. */
export const csvCell = (text: string): string =>
  text !== '' && /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** The delimiter that occurs most often in the first line, outside quotes; `,` for a single column. */
function detectDelimiter(text: string): Delimiter {
  const line = firstLine(text.trimStart()).replace(/"(?:[^"]|"")*"/g, '')
  const count = (delimiter: Delimiter) => line.split(delimiter).length - 1
  const most = (best: Delimiter, delimiter: Delimiter) => (count(delimiter) > count(best) ? delimiter : best)
  return DELIMITERS.reduce(most)
}

/** The stated delimiter; else all that the text may have, that of its first line first: rows below a title may have another. */
export const delimitersFor = (
  text: string,
  stated: Delimiter | undefined,
): readonly [Delimiter, ...Delimiter[]] => {
  if (stated !== undefined) return [stated]
  const usual = detectDelimiter(text)
  return [usual, ...DELIMITERS.filter((other) => other !== usual)]
}

const firstLine = (text: string): string => /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? ''

/** Only the first row, for files whose rows are read elsewhere; a byte order mark is left out. */
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

/** The first rows, with the end of each in bytes of the text as UTF-8; none where faulty quotes make them doubtful. */
export function firstRecords(
  text: string,
  delimiter: string,
  count: number,
): readonly { readonly cells: Cells; readonly end: number }[] {
  let isFaulty = false
  const records = recordsIn(text, delimiter, () => (isFaulty = true), count)
  let read = 0
  let bytes = 0
  return isFaulty
    ? []
    : records.map(({ cells, end }) => {
        bytes += Buffer.byteLength(text.slice(read, end))
        read = end
        return { cells, end: bytes }
      })
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
  const rows: TextRow[] = []
  const above: TextRow[] = []
  for (const [i, cells] of records.entries())
    if (cells.some((cell) => cell !== '')) (i < title ? above : rows).push({ row: i + 1, cells })
  return { rows, above, findings: [...findings, ...widthFindings(rows, file)] }
}

function parseRecords(
  text: string,
  delimiter: string,
  file: string,
): { readonly records: readonly Cells[]; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const records = recordsIn(text.replace(/^\uFEFF/, ''), delimiter, (row, fault) =>
    findings.push(quoteFault(file, row, fault)),
  )
  // A faulty quote makes every row below it doubtful.
  return { records: findings.length > 0 ? [] : records.map(({ cells }) => cells), findings }
}

const QUOTE_FAULTS: Readonly<Record<QuoteFault, string>> = {
  unclosed: 'a quote (") opens here and never closes: the file is cut off, or a quote too many was typed',
  'text-after-quote':
    'more text follows a quote (") that closes a cell: a quote inside of quotes is not doubled, or a delimiter is missing',
}

export const quoteFault = (file: string, row: number, fault: QuoteFault): Finding =>
  error('unreadable-csv', QUOTE_FAULTS[fault], {
    file,
    row,
    remedy: 'export the file again, or double the quotes inside quoted cells',
  })

/**
 * Reports rows of another width than the header. More cells are harmless where they are empty (a trailing
 * delimiter); fewer mean a torn row, except below the table.
 */
function widthFindings(rows: readonly TextRow[], file: string): Finding[] {
  const width = (rows[0]?.cells.findLastIndex((cell) => cell !== '') ?? -1) + 1
  return rows
    .slice(0, rows.length - footersOf(rows).length)
    .filter(
      ({ cells }) =>
        cells.length < width || (cells.length > width && cells.slice(width).some((cell) => cell !== '')),
    )
    .map(({ row, cells }) =>
      error('column-count', `has ${cells.length} cells where the header has ${width}`, {
        file,
        row,
        text: cells.join(' | ').slice(0, 200),
        remedy: 'quote cells that hold the delimiter; if this is the last row, the file may be cut off',
      }),
    )
}
