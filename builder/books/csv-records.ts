/**
 * Where the records of a delimited file stand. DuckDB numbers what it returns; people look for a row where their
 * spreadsheet shows it, where blank rows count and a line end inside quotes does not.
 */
import { createReadStream } from '../workspace/plain-file.ts'

const QUOTE = 0x22
const SPACE = 0x20
const CR = 0x0d
const LF = 0x0a

export interface Records {
  /** Numbers of blank rows, ascending; the first row is 1. */
  readonly blank: readonly number[]
  /** The first row that ends differently from the first one (CR LF, LF, CR); null where all end alike. */
  readonly otherLineEnd: number | null
}

/** Reads the whole file byte by byte. */
export async function scanRecords(path: string, delimiter: string): Promise<Records> {
  const separator = delimiter.charCodeAt(0)
  const blank: number[] = []
  let row = 1
  let empty = true
  let inQuotes = false
  /** A quote opens a cell at its start only, also after one blank, as DuckDB reads it; elsewhere it is an inch mark. */
  let atStart = true
  let afterSeparator = true
  /** A quote inside quotes: the end of the cell, or the first of a doubled one. */
  let closing = false
  let pendingCr = false
  let lineEnd: string | null = null
  let otherLineEnd: number | null = null

  const endRecord = (end: string): void => {
    lineEnd ??= end
    if (end !== lineEnd) otherLineEnd ??= row
    if (empty) blank.push(row)
    row++
    empty = true
    atStart = true
    afterSeparator = true
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
    for (const byte of chunk) {
      if (inQuotes) {
        if (closing) {
          closing = false
          if (byte === QUOTE) continue
          inQuotes = false
        } else {
          closing = byte === QUOTE
          continue
        }
      }
      if (pendingCr) {
        pendingCr = false
        endRecord(byte === LF ? '\r\n' : '\r')
        if (byte === LF) continue
      }
      if (byte === CR) pendingCr = true
      else if (byte === LF) endRecord('\n')
      else {
        empty = false
        inQuotes = byte === QUOTE && atStart
        atStart = byte === separator || (afterSeparator && byte === SPACE)
        afterSeparator = byte === separator
      }
    }
  if (pendingCr) endRecord('\r')
  return { blank, otherLineEnd }
}
