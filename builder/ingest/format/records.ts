/**
 * The records of a delimited file, one at a time and numbered. Records of another width than the header are one
 * finding.
 */

import { error, type Finding } from '../../workspace/finding.ts'
import { createReadStream } from '../../workspace/plain-file.ts'
import { csvCell, quoteFault } from '../text/csv.ts'
import { type OnFault, recordsOf } from '../text/delimited.ts'
import { linesOf } from '../text/lines.ts'
import { decodeChunks } from '../text/scan.ts'
import type { SourceFile } from './format.ts'

export interface FileRecord {
  /** From 1, the first record of the file. */
  readonly row: number
  /** Null where the record is blank or has another width: it is counted but not read. */
  readonly cells: readonly string[] | null
}

interface Shape {
  readonly delimiter: string
  readonly width: number
  /** Records up to this one are title and header and are skipped; 0 where there is none. */
  readonly headerRow: number
  /** Quotes inside cells are written \", as ledger 3.3.0 does. */
  readonly isEscaped?: boolean
}

/** Yields all records below the header. `findings` is complete when the last one was taken. */
export async function* fileRecords(
  source: SourceFile,
  shape: Shape,
  findings: Finding[],
): AsyncGenerator<FileRecord> {
  let row = 0
  let torn = 0
  let first: { readonly row: number; readonly cells: readonly string[] } | null = null
  // An unclosed quote makes one record of everything behind it, which may have any width.
  let last = 0
  const onFault: OnFault = (record, fault) => {
    last = record
    findings.push(quoteFault(source.file, record, fault))
  }
  for await (const records of textRecords(source, shape, onFault))
    for (const cells of records) {
      row++
      if (row <= shape.headerRow) continue
      const isBlank = cells.every((cell) => cell.trim() === '')
      // A delimiter at the end of each row adds one empty cell.
      const isWhole = cells.length === shape.width || isPadded(cells, shape.width)
      if (!isBlank && !isWhole && row !== last) {
        torn++
        first ??= { row, cells }
      }
      yield { row, cells: isBlank || !isWhole ? null : cells }
    }
  if (first !== null) findings.push(tornRows(source.file, shape, torn, first))
}

const isPadded = (cells: readonly string[], width: number): boolean =>
  cells.length > width && cells.slice(width).every((cell) => cell === '')

async function* textRecords(
  { path, look }: SourceFile,
  { delimiter, isEscaped }: Shape,
  onFault: OnFault,
): AsyncGenerator<readonly (readonly string[])[]> {
  const bytes = createReadStream(path, { highWaterMark: 1 << 17 }) as AsyncIterable<Buffer>
  const text = decodeChunks(bytes, look.encoding)
  if (!isEscaped) {
    yield* recordsOf(text, delimiter, onFault)
    return
  }
  for await (const lines of linesOf(text, look.head))
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

function tornRows(
  file: string,
  { width, headerRow }: Shape,
  count: number,
  { row, cells }: { readonly row: number; readonly cells: readonly string[] },
): Finding {
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

/** One row of a CSV that the books read. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`
