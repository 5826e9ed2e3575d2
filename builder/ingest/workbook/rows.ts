/** Makes rows of text of the cells of one sheet. */
import type { TextRow } from '../text/csv.ts'

/** The last one of the largest sheet of Excel; another means damage. */
export const LAST_ROW = 1_048_576

/** Takes what a sheet holds, row by row and cell by cell, in the order of the file. */
export class SheetRows {
  readonly rows: TextRow[] = []
  readonly hiddenRows: number[] = []
  readonly #texts: readonly string[]
  /** Texts that were met a short while ago, so that equal ones are stored once. */
  readonly #recent = new Map<string, string>()
  #cellsLeft: number
  #row = 0
  #cells: string[] = []
  #isHidden = false

  /** `texts` are those that sheets share; `cellsLeft` is how many cells may be read. */
  constructor(texts: readonly string[], cellsLeft: number) {
    this.#texts = texts
    this.#cellsLeft = cellsLeft
  }

  get cellsLeft(): number {
    return this.#cellsLeft
  }

  /** `row` is null where the file leaves the number away: it is then the next one. */
  beginRow(row: number | null, isHidden: boolean): void {
    this.#row = row ?? this.#row + 1
    if (this.#row > LAST_ROW) throw new Error(`there is no row "${this.#row}" in a sheet`)
    this.#cells = []
    this.#isHidden = isHidden
  }

  /** Never an empty text. */
  cell(column: number, text: string): void {
    if (this.#recent.size === RECENT) this.#recent.clear()
    const known = this.#recent.get(text)
    if (known === undefined) this.#recent.set(text, text)
    this.#put(column, known ?? text)
  }

  /** A cell that refers to one of the texts that the workbook's sheets share. */
  sharedCell(column: number, index: string): void {
    const text = this.#texts[Number(index)]
    if (text === undefined) throw new Error(`a cell refers to text ${index}, which is not there`)
    if (text !== '') this.#put(column, text)
  }

  endRow(): void {
    if (this.#cells.length === 0) return
    this.rows.push({ row: this.#row, cells: this.#cells })
    if (this.#isHidden) this.hiddenRows.push(this.#row)
  }

  #put(column: number, text: string): void {
    if (--this.#cellsLeft < 0) throw new Error('it has too many cells: save its sheets as CSV files')
    while (this.#cells.length < column) this.#cells.push('')
    this.#cells[column] = text
  }
}

/** Dates, accounts and names repeat from row to row. A larger map takes longer than it saves. */
const RECENT = 2000
