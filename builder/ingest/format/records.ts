/**
 * The records of a delimited file, one at a time and numbered. Records of another width than the header are one
 * finding.
 */

import { error, type Finding } from '../../workspace/finding.ts'
import { csvCell, quoteFault } from '../text/csv.ts'
import { type OnFault, type QuoteFault, recordsOf } from '../text/delimited.ts'
import { lineEndOf, linesOf } from '../text/lines.ts'
import { textOf } from '../text/scan.ts'
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

/** The records of a file in batches, and what there is to say of them when the last was taken. */
export function recordsOfFile({ path, look }: SourceFile, shape: Shape) {
  const records = new TextRecords(shape)
  const batches = records.batches(textOf(path, look.encoding, CHUNK), lineEndOf(look.head))
  return { batches, notes: () => records.notes }
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

export const NO_RECORDS: RecordNotes = { records: 0, fault: null, torn: null }

/** The records of a text. */
class TextRecords {
  readonly #shape: Shape
  #row = 0
  #fault: RecordNotes['fault'] = null
  #torn: TornRows | null = null

  constructor(shape: Shape) {
    this.#shape = shape
  }

  /** Complete when the last record was taken. */
  get notes(): RecordNotes {
    return { records: this.#row, fault: this.#fault, torn: this.#torn }
  }

  /** All records below the header. */
  async *batches(
    text: AsyncIterable<string>,
    lineEnd: ReturnType<typeof lineEndOf>,
  ): AsyncGenerator<readonly FileRecord[]> {
    const onFault: OnFault = (row, kind) => {
      this.#fault = { row, kind }
    }
    const { headerRow } = this.#shape
    for await (const records of cellsIn(text, lineEnd, this.#shape, onFault)) {
      const batch = records.map((cells) => this.#read(cells))
      yield this.#row - batch.length < headerRow ? batch.filter(({ row }) => row > headerRow) : batch
    }
  }

  #read(cells: readonly string[]): FileRecord {
    const row = ++this.#row
    if (isBlank(cells)) return { row, cells: null }
    if (isOfWidth(cells, this.#shape.width)) return { row, cells }
    // An unclosed quote makes one record of everything behind it, which may have any width.
    if (row > this.#shape.headerRow && row !== this.#fault?.row) {
      this.#torn = moreRows(this.#torn, { count: 1, row, cells })
    }
    return { row, cells: null }
  }
}

export const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '')

/** A delimiter at the end of each row adds one empty cell. */
const isOfWidth = (cells: readonly string[], width: number): boolean =>
  cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === ''))

async function* cellsIn(
  text: AsyncIterable<string>,
  lineEnd: ReturnType<typeof lineEndOf>,
  { delimiter, isEscaped }: RecordShape,
  onFault: OnFault,
): AsyncGenerator<readonly (readonly string[])[]> {
  if (!isEscaped) {
    yield* recordsOf(text, delimiter, onFault)
    return
  }
  for await (const lines of linesOf(text, lineEnd)) yield lines.map(cellsOfLine)
}

/** Where quotes inside cells are escaped, a line is a record. */
const cellsOfLine = (line: string): readonly string[] => unescapedCells(line.replace(/^\uFEFF/, '').trim())

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
