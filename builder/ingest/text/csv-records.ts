/**
 * Finds the rows of a delimited file that DuckDB does not number. Findings name the row that a spreadsheet shows: there a blank
 * row counts, and a line end inside quotes does not.
 */

import { rawRecordsOf } from './delimited.ts'
import { textOf } from './scan.ts'

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
