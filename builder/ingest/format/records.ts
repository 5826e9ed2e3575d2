/**
 * The records of a delimited file, one at a time and numbered. Records of another width than the header are one
 * finding.
 */

import { error, type Finding } from '../../workspace/findings/finding.ts'
import { csvCell, quoteFault } from '../text/csv.ts'
import { type OnFault, type QuoteFault, rawRecordsOf, recordsOf } from '../text/delimited.ts'
import { footerLeftOut, isFooter } from '../text/footer.ts'
import { linesOf } from '../text/lines.ts'
import { type Scratch, textOf } from '../text/scan.ts'
import type { SourceFile } from './format.ts'

export interface FileRecord {
  /** From 1, the first record of the file. */
  readonly row: number
  /** Null where the record is blank or has another width: it is counted but not read. */
  readonly cells: readonly string[] | null
}

/** How the records of a file are written. */
export interface RecordShape {
  readonly delimiter: string
  readonly width: number
  /** Quotes inside cells are written \\", as ledger 3.3.0 does. */
  readonly isEscaped?: boolean
}

interface Shape extends RecordShape {
  /** Records up to this one are title and header and are skipped; 0 where there is none. */
  readonly headerRow: number
}

/** Bytes that are read at once. All their records are in memory, and should be gone before they are taken for old ones. */
export const CHUNK = 1 << 15

/** What there is to say of the records of a text. */
export interface RecordNotes {
  /** How many there are, title and header included. */
  readonly records: number
  /** The first record whose quotes are wrong. */
  readonly fault: { readonly row: number; readonly kind: QuoteFault } | null
  readonly torn: TornRows | null
  /** The last records that are none, of another width. */
  readonly footers: readonly TornRows[]
}

/** Rows that have something in common. */
export interface CountedRows {
  readonly count: number
  /** The first one. */
  readonly row: number
}

/** Rows and others below them. */
export const moreRows = <Rows extends CountedRows>(rows: Rows | null, below: Rows | null): Rows | null =>
  rows === null || below === null ? (rows ?? below) : { ...rows, count: rows.count + below.count }

/** Records of another width. */
interface TornRows extends CountedRows {
  readonly cells: readonly string[]
}

export const NO_RECORDS: RecordNotes = { records: 0, fault: null, torn: null, footers: [] }

/** Records in batches, and what there is to say of all when the last one was taken. */
export interface ReadRecords {
  readonly batches: AsyncIterable<readonly FileRecord[]>
  readonly notes: () => RecordNotes
}

/** All records of a text file below its header. */
export function recordsOfFile({ path, look }: SourceFile, shape: Shape): ReadRecords {
  const { delimiter, width, headerRow, isEscaped = false } = shape
  let records = 0
  let fault: RecordNotes['fault'] = null
  let torn: TornRows | null = null
  let footers: TornRows[] = []
  const onFault: OnFault = (row, kind) => {
    fault = { row, kind }
  }
  const read = (cells: readonly string[]): FileRecord => {
    const row = ++records
    if (isBlank(cells)) return { row, cells: null }
    const isWhole = isOfWidth(cells, width)
    if (!isWhole && row > headerRow && isFooter(cells)) footers.push({ count: 1, row, cells })
    else if (footers.length > 0) {
      // Where records stand below it, it is no footer.
      for (const above of footers) torn = moreRows(torn, above)
      footers = []
    }
    if (isWhole) return { row, cells }
    // An unclosed quote makes one record of everything behind it, which may have any width.
    if (row > headerRow && row !== fault?.row && footers.length === 0)
      torn = moreRows(torn, { count: 1, row, cells })
    return { row, cells: null }
  }
  async function* batches(): AsyncGenerator<readonly FileRecord[]> {
    const text = textOf(path, look.encoding, CHUNK)
    const all = isEscaped ? escapedRecords(text, look.head) : recordsOf(text, delimiter, onFault)
    for await (const cells of all) {
      const batch = cells.map(read)
      yield records - batch.length < headerRow ? batch.filter(({ row }) => row > headerRow) : batch
    }
  }
  return { batches: batches(), notes: () => ({ records, fault, torn, footers }) }
}

/** The rows of a sheet below its header. */
export const recordsOfSheet = (rows: readonly FileRecord[]): ReadRecords => ({
  batches: inOneBatch(rows),
  notes: () => NO_RECORDS,
})

async function* inOneBatch(rows: readonly FileRecord[]): AsyncGenerator<readonly FileRecord[]> {
  yield rows
}

/** A table with its records below the header, which may be gone through several times. */
export interface RecordTable {
  readonly source: SourceFile
  /** Of a text file; null where the table is a sheet. */
  readonly shape: Shape | null
  readonly records: () => ReadRecords
}

/** Makes the rows of a table. */
export interface RowWriter {
  readonly header: string
  /** A row in place of a record that is not read. */
  readonly blank: string
  rowOf(record: FileRecord): string
}

/** Writes the table as canonical CSV, a row for each record so that rows keep their numbers. The writer also keeps what the records say beside. */
export async function copyTable(table: RecordTable, writer: RowWriter, scratch: Scratch) {
  const { batches, notes } = table.records()
  return { path: await scratch.written(rowsOf(batches, writer)), notes: notes() }
}

/** Has the writer read the whole table, and writes nothing. */
export async function readRows(table: RecordTable, writer: RowWriter): Promise<RecordNotes> {
  const { batches, notes } = table.records()
  for await (const _ of rowsOf(batches, writer));
  return notes()
}

async function* rowsOf(batches: ReadRecords['batches'], writer: RowWriter): AsyncGenerator<string> {
  let text = writer.header
  let next = 2
  for await (const batch of batches) {
    for (const record of batch) {
      // Rows of a title are above the first one, and a workbook leaves blank rows out.
      text += writer.blank.repeat(record.row - next) + writer.rowOf(record)
      next = record.row + 1
    }
    if (text.length < 1 << 16) continue
    yield text
    text = ''
  }
  yield text
}

export const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '')

/** A delimiter at the end of each row adds one empty cell. */
const isOfWidth = (cells: readonly string[], width: number): boolean =>
  cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === ''))

/** Where quotes inside cells are escaped, a line is a record. */
async function* escapedRecords(text: AsyncIterable<string>, head: string) {
  for await (const lines of linesOf(text, head))
    yield lines.map((line) => unescapedCells(line.replace(/^\uFEFF/, '').trim()))
}

/** Splits at quote, comma, quote; quotes inside a cell are escaped. */
const unescapedCells = (line: string): readonly string[] =>
  line === ''
    ? ['']
    : line
        .slice(1, -1)
        .split('","')
        .map((cell) => cell.replace(/\\(["n])/g, (_, sign) => (sign === 'n' ? ' ' : sign)))

/** What is wrong with the records of a file. */
export const recordFindings = (file: string, shape: Shape, notes: RecordNotes): Finding[] => [
  ...(notes.fault === null ? [] : [quoteFault(file, notes.fault.row, notes.fault.kind)]),
  ...(notes.torn === null ? [] : [tornRows(file, shape, notes.torn)]),
  ...notes.footers.map(({ row, cells }) => footerLeftOut(file, row, cells.join(shape.delimiter).trim())),
]

function tornRows(file: string, { width, headerRow }: Shape, { count, row, cells }: TornRows): Finding {
  const more = count === 1 ? '' : `; so have ${count - 1} other rows`
  return error(
    'column-count',
    `has ${cells.length} cells where ${headerRow > 0 ? 'the header' : 'the first row'} has ${width}${more}`,
    {
      file,
      row,
      text: cells.join(' | ').slice(0, 200),
      remedy: 'export the file again; if this is the last row, it may have been cut off',
    },
  )
}

/** The rows of a CSV, below its header. */
export async function* withHeader(
  header: string,
  rows: AsyncIterable<string | Buffer>,
): AsyncGenerator<string | Buffer> {
  yield header
  yield* rows
}

/** One row of a CSV that the books read. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`

/**
 * Copies a text as DuckDB reads it: in UTF-8, and its header first. All rows keep their numbers, since those of the title are blank ones
 * below the header. Where cells are odd (`Scan.hasOddCells`), there are commas between them, and each quote is at the start of its cell.
 */
export async function plainCopy(
  { file, path, look }: SourceFile,
  { delimiter, headerRow, isOdd }: Pick<Shape, 'delimiter' | 'headerRow'> & { readonly isOdd: boolean },
  scratch: Scratch,
): Promise<{ readonly path: string; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = []
  const onFault: OnFault = (row, fault) => findings.push(quoteFault(file, row, fault))
  const text = textOf(path, look.encoding, CHUNK)
  if (!isOdd && headerRow === 1) return { path: await scratch.written(text), findings }
  async function* rows(): AsyncGenerator<readonly string[]> {
    if (isOdd) for await (const batch of recordsOf(text, delimiter, onFault)) yield batch.map(csvRow)
    else
      for await (const batch of rawRecordsOf(text, delimiter))
        yield batch.map((record) => record.text + record.lineEnd)
  }
  return { path: await scratch.written(headerFirst(rows(), headerRow)), findings }
}

async function* headerFirst(
  batches: AsyncIterable<readonly string[]>,
  headerRow: number,
): AsyncGenerator<string> {
  let row = 0
  for await (const batch of batches) {
    const hasHeader = row < headerRow && row + batch.length >= headerRow
    const [header = '', ...others] = batch.slice(Math.max(0, headerRow - 1 - row))
    row += batch.length
    const end = hasHeader ? (/\r?\n$|\r$/.exec(header)?.[0] ?? '') : ''
    yield [header, end.repeat(headerRow - 1), ...others].join('')
  }
}
