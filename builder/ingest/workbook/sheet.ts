/** Reads the cells of a sheet from XML events, each as text. */
import { decimalTextOfDouble, shiftPoint } from '../text/amount.ts'
import type { CellRange } from '../text/csv.ts'
import { numberOfFormula } from '../text/formulas.ts'
import { dayOfSerial } from '../text/serials.ts'
import { LAST_ROW, type SheetRows } from './rows.ts'
import { type NumberStyle, RichText, unescaped } from './texts.ts'
import type { XmlHandlers } from './xml.ts'

export interface SheetContext {
  readonly decimal: '.' | ','
  /** By the index of a cell's style. */
  readonly styles: readonly NumberStyle[]
  readonly is1904: boolean
  /** The program that wrote the workbook leaves its formulas to be calculated when it is opened. */
  readonly isToBeCalculated: boolean
}

/** The last one of the largest sheet of Excel; another means damage. */
const LAST_COLUMN = 16_384

/** Goes through a sheet with the XML reader; elements that hold neither cells nor what belongs to them are ignored. */
export class SheetReader implements XmlHandlers {
  readonly hiddenColumns: string[] = []
  readonly merges: CellRange[] = []
  readonly #context: SheetContext
  readonly #rows: SheetRows
  readonly #rich = new RichText()
  #isData = false
  #column = -1
  #cell: OpenCell | null = null
  #part: 'value' | 'formula' | null = null

  constructor(context: SheetContext, rows: SheetRows) {
    this.#context = context
    this.#rows = rows
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'sheetData') this.#isData = true
    else if (name === 'mergeCell') this.merges.push(rangeOf(attributes.ref ?? ''))
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
    if (name === 'row') this.#rows.endRow()
    else if (name === 'c' && this.#cell !== null) this.#endCell(this.#cell)
    else if (name === 'f' || name === 'v') this.#part = null
    else if (this.#cell !== null) this.#rich.close(name)
  }

  #hideColumns({ min, max }: Attributes): void {
    for (let at = Number(min); at <= Math.min(Number(max), LAST_COLUMN); at++)
      this.hiddenColumns.push(columnLetters(at - 1))
  }

  #beginRow({ r, hidden }: Attributes): void {
    // Programs may omit the address of a cell or row: it is then the next one.
    const row = r === undefined ? null : Number(r)
    if (row !== null && !(row >= 1 && row <= LAST_ROW)) throw new Error(`there is no row "${r}" in a sheet`)
    this.#column = -1
    this.#rows.beginRow(row, isTrue(hidden))
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
    this.#cell = null
    const text = cellText(cell, this.#rich.take(), this.#context)
    if (text === '') return
    if (isShared(cell)) this.#rows.sharedCell(this.#column, text)
    else this.#rows.cell(this.#column, text)
  }
}

type Attributes = Readonly<Record<string, string>>

export const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true'

interface OpenCell {
  readonly type: string
  readonly style: NumberStyle
  value: string | null
  formula: string | null
}

/** A text formula may have an empty result; a number is never empty. Some programs write a zero until it is calculated. */
const isUncalculated = ({ type, value, formula }: OpenCell, { isToBeCalculated }: SheetContext): boolean =>
  formula !== null && (type === 'str' ? value === null : !value || (value === '0' && isToBeCalculated))

/** Its text is the index of one that sheets share. */
const isShared = (cell: OpenCell): boolean =>
  cell.type === 's' && (cell.formula === null || cell.value !== '')

/**
 * The text of a cell by its type (ECMA-376-1, 18.18.11). A formula that was never calculated is its own text,
 * unless it is a number.
 */
function cellText(cell: OpenCell, inline: string, context: SheetContext): string {
  const { type, style, value } = cell
  if (type === 'e') return value?.trim() || '#ERROR!'
  if (isUncalculated(cell, context)) {
    const text = `=${cell.formula}`
    const number = numberOfFormula(text)
    return number === null ? text : numberText(number, style, context)
  }
  if (type === 'inlineStr') return inline
  const plain = value?.trim() ?? ''
  if (plain === '' || type === 's') return plain
  if (type === 'str') return unescaped(plain).trim()
  if (type === 'b') return plain === '1' || plain === 'true' ? 'true' : 'false'
  if (type === 'd') return /^\d{4}-\d\d-\d\d/.test(plain) ? plain.slice(0, 10) : plain
  return numberText(plain, style, context)
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
  // A larger number is a day with its time, whatever its format shows.
  if (style === 'time' && Math.abs(value) < 10_000) return timeOfDays(value)
  const plain = WHOLE.test(text) || isTyped(text) ? text : decimalTextOfDouble(value)
  const shown = style === 'percent' ? `${shiftPoint(plain, 2)}%` : plain
  return `${shown.replace('.', decimal)}${style.startsWith('shown ') ? style.slice(6) : ''}`
}

/** `1:30` for an hour and a half, which a workbook keeps as a part of a day; `1:30:05` where there are seconds. */
function timeOfDays(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400)
  const two = (count: number) => String(count).padStart(2, '0')
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`
  return `${days < 0 ? '-' : ''}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}${rest}`
}

const WHOLE = /^-?\d+$/
const DECIMAL = /^-?(?:0|[1-9]\d*)\.\d*[1-9]$/

/** It is the shortest text of its double, as it has at most 15 digits and no zeros that say nothing. */
const isTyped = (text: string): boolean => text.length <= 16 && DECIMAL.test(text)

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
