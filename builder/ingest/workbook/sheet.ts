/** Turns one sheet of a workbook from XML events into rows of text. */
import { decimalTextOfDouble, shiftPoint } from '../text/amount.ts'
import type { CellRange, TextRow } from '../text/csv.ts'
import { numberOfFormula } from '../text/formulas.ts'
import { dayOfSerial } from '../text/serials.ts'
import { mergeRows } from './merged-cells.ts'
import { type NumberStyle, RichText, unescaped } from './texts.ts'
import type { XmlHandlers } from './xml.ts'

interface SheetContext {
  readonly decimal: '.' | ','
  /** Texts by index, for cells of type `s`. */
  readonly texts: readonly string[]
  /** By the index of a cell's style. */
  readonly styles: readonly NumberStyle[]
  readonly is1904: boolean
  /** How many more cells may be read, in all sheets of the workbook. */
  readonly cells: { left: number }
}

/** The size of the largest sheet of Excel; a cell outside of it means damage. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** Equal strings are stored once, up to this number: dates, accounts and names repeat from row to row. */
const KEPT_TEXTS = 100_000

/** Collects the rows of a sheet while the XML reader goes through it; other elements are ignored. */
export class SheetReader implements XmlHandlers {
  readonly #context: SheetContext
  readonly #rows: TextRow[] = []
  readonly #hiddenRows: number[] = []
  readonly #hiddenColumns: string[] = []
  readonly #merges: CellRange[] = []
  readonly #kept = new Map<string, string>()
  readonly #rich = new RichText()
  #isData = false
  #row = 0
  #column = -1
  #isRowHidden = false
  #cells: string[] = []
  #cell: OpenCell | null = null
  #part: 'value' | 'formula' | null = null

  constructor(context: SheetContext) {
    this.#context = context
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'sheetData') this.#isData = true
    else if (name === 'mergeCell') this.#merges.push(rangeOf(attributes.ref ?? ''))
    else if (name === 'col' && isTrue(attributes.hidden)) this.#hideColumns(attributes)
    if (!this.#isData) return
    if (name === 'row') this.#beginRow(attributes)
    else if (name === 'c') this.#beginCell(attributes)
    else if (this.#cell !== null && name === 'f') {
      this.#part = 'formula'
      this.#cell.formula = ''
    } else if (this.#cell !== null && name === 'v') {
      this.#part = 'value'
      this.#cell.value = ''
    } else if (this.#cell !== null) this.#rich.open(name)
  }

  text(text: string): void {
    if (this.#cell === null) return
    if (this.#part === 'formula') this.#cell.formula += text
    else if (this.#part === 'value') this.#cell.value += text
    else this.#rich.add(text)
  }

  close(name: string): void {
    if (name === 'sheetData') this.#isData = false
    if (!this.#isData) return
    if (name === 'row') this.#endRow()
    else if (name === 'c' && this.#cell !== null) this.#endCell(this.#cell)
    else if (name === 'f' || name === 'v') this.#part = null
    else if (this.#cell !== null) this.#rich.close(name)
  }

  /** Call it once the whole part is read. Throws where rows are not in order. */
  done() {
    return {
      rows: mergeRows(inOrder(this.#rows), this.#merges),
      hiddenRows: this.#hiddenRows,
      hiddenColumns: this.#hiddenColumns,
      merges: this.#merges,
    }
  }

  #hideColumns({ min, max }: Attributes): void {
    for (let at = Number(min); at <= Math.min(Number(max), LAST_COLUMN); at++)
      this.#hiddenColumns.push(columnLetters(at - 1))
  }

  #beginRow({ r, hidden }: Attributes): void {
    // Programs may omit the address of a cell or row: it is then the next one.
    this.#row = r === undefined ? this.#row + 1 : Number(r)
    if (!(this.#row >= 1 && this.#row <= LAST_ROW)) throw new Error(`there is no row "${r}" in a sheet`)
    this.#column = -1
    this.#cells = []
    this.#isRowHidden = isTrue(hidden)
  }

  #endRow(): void {
    if (this.#cells.length === 0) return
    this.#rows.push({ row: this.#row, cells: this.#cells })
    if (this.#isRowHidden) this.#hiddenRows.push(this.#row)
  }

  #beginCell({ r, t = 'n', s }: Attributes): void {
    this.#column = r === undefined ? this.#column + 1 : columnOf(r)
    this.#cell = {
      type: t,
      style: this.#context.styles[Number(s ?? 0)] ?? 'number',
      value: null,
      formula: null,
    }
  }

  #endCell(cell: OpenCell): void {
    const text = cellText(cell, this.#rich.take(), this.#context)
    this.#cell = null
    if (text === '') return
    if (--this.#context.cells.left < 0) throw new Error('it has too many cells: save its sheets as CSV files')
    while (this.#cells.length < this.#column) this.#cells.push('')
    this.#cells[this.#column] = this.#keep(text)
  }

  #keep(text: string): string {
    const known = this.#kept.get(text)
    if (known !== undefined) return known
    if (this.#kept.size < KEPT_TEXTS) this.#kept.set(text, text)
    return text
  }
}

type Attributes = Readonly<Record<string, string>>

const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true'

/** Of a row that stands twice, one would be hidden. */
function inOrder(rows: TextRow[]): TextRow[] {
  let before = 0
  for (const { row } of rows) {
    if (row <= before) throw new Error(`row ${row} stands at a wrong place`)
    before = row
  }
  return rows
}

interface OpenCell {
  readonly type: string
  readonly style: NumberStyle
  value: string | null
  formula: string | null
}

/**
 * The text of a cell by its type (ECMA-376-1, 18.18.11). A formula that was never calculated is its own text,
 * unless it is a number.
 */
function cellText({ type, style, value, formula }: OpenCell, inline: string, context: SheetContext): string {
  if (type === 'e') return value?.trim() || '#ERROR!'
  // A text formula may have an empty result; a number is never empty.
  if (formula !== null && (type === 'str' ? value === null : !value)) {
    const text = `=${formula}`
    const number = numberOfFormula(text)
    return number === null ? text : numberText(number, style, context)
  }
  if (type === 'inlineStr') return inline
  const plain = value?.trim() ?? ''
  if (plain === '') return ''
  if (type === 's') return sharedText(plain, context.texts)
  if (type === 'str') return unescaped(plain).trim()
  if (type === 'b') return plain === '1' || plain === 'true' ? 'true' : 'false'
  if (type === 'd') return /^\d{4}-\d\d-\d\d/.test(plain) ? plain.slice(0, 10) : plain
  return numberText(plain, style, context)
}

function sharedText(index: string, texts: readonly string[]): string {
  const text = texts[Number(index)]
  if (text === undefined) throw new Error(`a cell refers to text ${index}, which is not there`)
  return text
}

/**
 * A number as the file holds it. Whole numbers are taken as written, since ids may have more digits than a double;
 * others are doubles, of which people type at most 15 digits.
 */
function numberText(text: string, style: NumberStyle, { decimal, is1904 }: SheetContext): string {
  const value = Number(text)
  if (!Number.isFinite(value)) return text
  const day = style === 'date' ? dayOfSerial(value, is1904) : null
  if (day !== null) return day
  const plain = /^-?\d+$/.test(text) ? text : decimalTextOfDouble(value)
  return (style === 'percent' ? `${shiftPoint(plain, 2)}%` : plain).replace('.', decimal)
}

/** 0 → A, 25 → Z, 26 → AA. */
export const columnLetters = (column: number): string =>
  (column < 26 ? '' : columnLetters(Math.floor(column / 26) - 1)) + String.fromCharCode(65 + (column % 26))

/** `AB12` → 27. */
function columnOf(address: string): number {
  let column = 0
  for (let at = 0; at < address.length; at++) {
    const letter = address.charCodeAt(at) & ~0x20
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  if (column < 1 || column > LAST_COLUMN) throw new Error(`there is no cell "${address}" in a sheet`)
  return column - 1
}

/** `B2:D2`; a single cell is a range of one. */
function rangeOf(name: string): CellRange {
  const [from = '', to = from] = name.replaceAll('$', '').split(':')
  const rowOf = (address: string) => Number(/\d+$/.exec(address)?.[0])
  const [top, bottom] = [rowOf(from), rowOf(to)]
  if (!(top >= 1 && bottom >= top && bottom <= LAST_ROW)) throw new Error(`"${name}" is not a range of cells`)
  return { name, top, bottom, left: columnOf(from), right: columnOf(to) }
}
