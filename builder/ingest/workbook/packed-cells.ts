/** Cells and texts in a form that a thread hands over at little cost: numbers, and one text that is cut by them. */
import { present } from '../../contract/present.ts'
import { type CellSink, RecentTexts, type SheetRows } from './rows.ts'

/** Several texts as one. */
export interface PackedTexts {
  readonly text: string
  /** Where each ends in it. */
  readonly ends: Uint32Array
}

export const packTexts = (texts: readonly string[]): PackedTexts => {
  const ends = new Uint32Array(texts.length)
  let end = 0
  for (const [i, text] of texts.entries()) ends[i] = end += text.length
  return { text: texts.join(''), ends }
}

export function unpackTexts({ text, ends }: PackedTexts): string[] {
  const texts: string[] = []
  let start = 0
  for (const end of ends) {
    texts.push(text.slice(start, end))
    start = end
  }
  return texts
}

export interface PackedRows {
  /** The number of each row; 0 where the file leaves it away. */
  readonly rows: Float64Array
  readonly isHidden: Uint8Array
  /** How many cells each row has. */
  readonly counts: Uint32Array
  readonly columns: Uint32Array
  /** What each cell holds: the index of one of `texts`, or -1 less the index of one that sheets share. */
  readonly held: Int32Array
  readonly texts: PackedTexts
}

/** Packs the rows of a part. Throws where a row is inside of another or a cell outside of rows, and of indexes that are not plain numbers. */
export class RowPacker implements CellSink {
  readonly #rows: number[] = []
  readonly #isHidden: number[] = []
  readonly #counts: number[] = []
  readonly #columns: number[] = []
  readonly #held: number[] = []
  readonly #texts: string[] = []
  readonly #recent = new RecentTexts<number>()
  /** How many cells there were above the row; null between rows. */
  #above: number | null = null

  beginRow(row: number | null, isHidden: boolean): void {
    this.#above = this.#columns.length
    this.#rows.push(row ?? 0)
    this.#isHidden.push(Number(isHidden))
  }

  cell(column: number, text: string): void {
    this.#put(column, this.#recent.find(text) ?? this.#recent.add(text, this.#texts.push(text) - 1))
  }

  sharedCell(column: number, index: string): void {
    if (!/^\d{1,9}$/.test(index)) throw new Error(`"${index}" is not written as an index`)
    this.#put(column, -1 - Number(index))
  }

  endRow(): void {
    this.#counts.push(this.#columns.length - present(this.#above, 'beginning of the row'))
    this.#above = null
  }

  packed(): PackedRows {
    return {
      rows: Float64Array.from(this.#rows),
      isHidden: Uint8Array.from(this.#isHidden),
      counts: Uint32Array.from(this.#counts),
      columns: Uint32Array.from(this.#columns),
      held: Int32Array.from(this.#held),
      texts: packTexts(this.#texts),
    }
  }

  #put(column: number, held: number): void {
    if (this.#above === null) throw new Error('a cell outside of rows')
    this.#columns.push(column)
    this.#held.push(held)
  }
}

/** Adds the rows of a part to those above it, as if they had been read there. */
export function addRows({ rows, isHidden, counts, columns, held, texts }: PackedRows, to: SheetRows): void {
  const own = unpackTexts(texts)
  let at = 0
  for (let i = 0; i < rows.length; i++) {
    to.beginRow(rows[i] || null, isHidden[i] === 1)
    for (const end = at + (counts[i] ?? 0); at < end; at++) {
      const column = columns[at] ?? 0
      const index = held[at] ?? 0
      if (index < 0) to.sharedCell(column, String(-1 - index))
      else to.put(column, own[index] ?? '')
    }
    to.endRow()
  }
}
