/**
 * Splits delimited text into records; the only splitter of the program. A quote opens a cell only at its start,
 * also after blanks; elsewhere it is an inch mark. Inside quotes a doubled quote is one quote, and a line end is
 * part of the cell. A closing quote must be followed by a delimiter or a line end. CR LF, LF and CR all end a
 * record; blanks around cells are removed, and so is a byte order mark, which stands in the middle of a file where two
 * were put together. A text that is written as a formula (`="0100"`, to keep its zeros in a spreadsheet) is that text.
 */
import { textOf } from './scan.ts'

/** Trimmed cells. A record of blank cells counts as a row, as it does in a spreadsheet. */
export type Cells = readonly string[]

/** Why a record is unreliable: a quote never closes, or text follows a closing quote. */
export type QuoteFault = 'unclosed' | 'text-after-quote'

/**
 * Called with the first record (from 1) that has a fault. With an unclosed quote, the record contains everything
 * behind it.
 */
export type OnFault = (record: number, fault: QuoteFault) => void

/** Makes a value of a record, given the text, its start and end, and its cells where it holds quotes. */
type Make<T> = (text: string, start: number, end: number, quoted: readonly string[] | null) => T

/** An unclosed quote would otherwise collect the rest of the file. */
const LONGEST_RECORD = 1 << 24

/** The cells of each record of a text that comes in chunks, in batches. */
export const recordsOf = (
  chunks: AsyncIterable<string>,
  delimiter: string,
  onFault: OnFault = () => {},
): AsyncGenerator<Cells[]> =>
  splitChunks(
    chunks,
    delimiter,
    (text, start, end, quoted) => quoted ?? cellsOf(text.slice(start, end), delimiter),
    onFault,
  )

export interface RawRecord {
  /** The record as written, without the line end. */
  readonly text: string
  /** Empty for the last record of a text that does not end with one. */
  readonly lineEnd: '' | '\n' | '\r' | '\r\n'
}

/** The same records as written. */
export const rawRecordsOf = (chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<RawRecord[]> =>
  splitChunks(
    chunks,
    delimiter,
    (text, start, end) => ({ text: text.slice(start, end), lineEnd: lineEndAt(text, end) }),
    () => {},
  )

/** The records of a whole text, at most `most`; `end` is where the next one begins. */
export function recordsIn(
  text: string,
  delimiter: string,
  onFault: OnFault,
  most = Number.POSITIVE_INFINITY,
): readonly { readonly cells: Cells; readonly end: number }[] {
  const { records, fault } = split(
    text,
    delimiter,
    true,
    (whole, start, end, quoted) => ({
      cells: quoted ?? cellsOf(whole.slice(start, end), delimiter),
      end: end + lineEndAt(whole, end).length,
    }),
    most,
  )
  if (fault !== null) onFault(fault.record, fault.kind)
  return records
}

async function* splitChunks<T>(
  chunks: AsyncIterable<string>,
  delimiter: string,
  make: Make<T>,
  onFault: OnFault,
): AsyncGenerator<T[]> {
  let open = ''
  let count = 0
  let isFaulty = false
  const take = (text: string, isLast: boolean) => {
    const { records, end, fault } = split(text, delimiter, isLast, make)
    if (fault !== null && !isFaulty) onFault(count + fault.record, fault.kind)
    isFaulty ||= fault !== null
    count += records.length
    return { records, end }
  }
  // A record that is not complete is read again once it has doubled: with every chunk, the time would grow with its square.
  let wanted = 0
  for await (const chunk of chunks) {
    open += chunk
    if (open.length < wanted && open.length <= LONGEST_RECORD) continue
    const { records, end } = take(open, false)
    if (records.length > 0) yield records
    open = open.slice(end)
    if (open.length > LONGEST_RECORD) break
    wanted = records.length > 0 ? 0 : 2 * open.length
  }
  const { records } = take(open, true)
  if (records.length > 0) yield records
}

/**
 * Returns the complete records at the beginning of a text, where the first incomplete one begins, and the first
 * record with a fault. Lines without quotes, which most are, are split at once; others are read quote by quote.
 */
function split<T>(
  text: string,
  delimiter: string,
  isLast: boolean,
  make: Make<T>,
  most = Number.POSITIVE_INFINITY,
): { records: T[]; end: number; fault: { readonly record: number; readonly kind: QuoteFault } | null } {
  const records: T[] = []
  let fault: { readonly record: number; readonly kind: QuoteFault } | null = null
  const nextLf = nextOf(text, '\n')
  const nextCr = nextOf(text, '\r')
  const nextQuote = nextOf(text, '"')
  let at = 0
  while (at < text.length && records.length < most) {
    let end = Math.min(nextLf(at), nextCr(at))
    let quoted: QuotedRecord | null = null
    if (nextQuote(at) < end) {
      quoted = quotedRecord(text, at, delimiter)
      end = quoted.end
    }
    // A CR at the end of a chunk may be half of a line end.
    if (!isLast && (end === text.length || (text[end] === '\r' && end === text.length - 1))) break
    records.push(make(text, at, end, quoted?.cells ?? null))
    if (quoted !== null && quoted.fault !== null) fault ??= { record: records.length, kind: quoted.fault }
    at = end + lineEndAt(text, end).length
  }
  return { records, end: at, fault }
}

/** The cells of a line without quotes. */
export const cellsOf = (line: string, delimiter: string): string[] => {
  const cells = line.split(delimiter)
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ''
    if (mayBeginOrEndBlank(cell)) cells[i] = cell.trim()
  }
  return cells
}

/** Most cells do not, and need no trimming. */
const mayBeginOrEndBlank = (cell: string): boolean =>
  cell !== '' && (isNoSign(cell.charCodeAt(0)) || isNoSign(cell.charCodeAt(cell.length - 1)))
const isNoSign = (code: number): boolean => code <= 0x20 || code >= 0x80

/**
 * Returns a function that finds the next occurrence of a letter at or after a position, which must not decrease;
 * the text's length where there is none.
 */
function nextOf(text: string, letter: string): (from: number) => number {
  let found = -1
  return (from) => {
    if (found >= from) return found
    const next = text.indexOf(letter, from)
    found = next === -1 ? text.length : next
    return found
  }
}

function lineEndAt(text: string, end: number): RawRecord['lineEnd'] {
  const char = text[end]
  if (char === '\n') return '\n'
  if (char === '\r') return text[end + 1] === '\n' ? '\r\n' : '\r'
  return ''
}

const MARK = '\ufeff'

const textOfFormula = (cell: string): string =>
  cell.startsWith('="') ? (/^="([^"]*)"$/.exec(cell)?.[1]?.trim() ?? cell) : cell

interface QuotedRecord {
  readonly cells: readonly string[]
  /** Where its line end stands; the text's length where there is none. */
  readonly end: number
  readonly fault: QuoteFault | null
}

function quotedRecord(text: string, from: number, delimiter: string): QuotedRecord {
  const cells: string[] = []
  let fault: QuoteFault | null = null
  let at = from
  for (;;) {
    while (text[at] === ' ' || text[at] === MARK || (text[at] === '\t' && delimiter !== '\t')) at++
    const isQuoted = text[at] === '"'
    let cell = ''
    if (isQuoted) {
      at++
      for (;;) {
        const quote = text.indexOf('"', at)
        if (quote === -1) {
          cells.push((cell + text.slice(at)).trim())
          return { cells, end: text.length, fault: 'unclosed' }
        }
        cell += text.slice(at, quote)
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
    }
    let end = at
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++
    const rest = text.slice(at, end)
    if (isQuoted && rest.trim() !== '') fault ??= 'text-after-quote'
    cells.push(textOfFormula((cell + rest).trim()))
    if (text[end] !== delimiter) return { cells, end, fault }
    at = end + 1
  }
}

export interface Records {
  /** Numbers of blank rows, ascending; the first row is 1. */
  readonly blank: readonly number[]
  /** The first row that ends differently from the first one (CR LF, LF, CR); null where all end alike. */
  readonly otherLineEnd: number | null
}

/** Reads the whole file as UTF-8, as DuckDB does. */
export async function scanRecords(path: string, delimiter: string): Promise<Records> {
  const blank: number[] = []
  let row = 0
  let first: string | null = null
  let otherLineEnd: number | null = null
  for await (const records of rawRecordsOf(textOf(path, 'utf-8'), delimiter))
    for (const { text, lineEnd } of records) {
      row++
      if (text === '') blank.push(row)
      first ??= lineEnd
      if (lineEnd !== first && lineEnd !== '') otherLineEnd ??= row
    }
  return { blank, otherLineEnd }
}
