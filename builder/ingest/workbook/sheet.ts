/** Reads the rows of a sheet from XML events, each cell as text. */
import { decimalTextOfDouble, shiftPoint } from '../text/amount.ts'
import { numberOfFormula } from '../text/amount-remedy.ts'
import type { CellRange, TextRow } from '../text/csv.ts'
import { dayOfSerial } from '../text/months.ts'
import { scaleIn } from '../text/scale.ts'
import type { XmlHandlers } from './xml.ts'

export interface SheetContext {
  readonly decimal: '.' | ','
  /** By the index of a cell's style. */
  readonly styles: readonly NumberStyle[]
  readonly is1904: boolean
  /** The program that wrote the workbook leaves its formulas to be calculated when it is opened. */
  readonly isToBeCalculated: boolean
}

/** Those of the largest sheet of Excel; others mean damage. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** Dates, accounts and names repeat from row to row. A larger map takes longer than it saves. */
const RECENT = 2000

/** Goes through a sheet with the XML reader; elements that hold neither cells nor what belongs to them are ignored. */
export class SheetReader implements XmlHandlers {
  readonly rows: TextRow[] = []
  readonly hiddenRows: number[] = []
  readonly merges: CellRange[] = []
  cellsLeft: number
  readonly #context: SheetContext
  readonly #texts: readonly string[]
  /** Texts that were met a short while ago, so that equal ones are stored once. */
  readonly #recent = new Map<string, string>()
  readonly #rich = new RichText()
  readonly #hidden: { readonly from: number; readonly to: number }[] = []
  #isData = false
  #row = 0
  #cells: string[] = []
  #isHidden = false
  #column = -1
  #cell: OpenCell | null = null
  #part: 'value' | 'formula' | null = null

  /** `texts` are those that sheets share; `cellsLeft` is how many cells may be read. */
  constructor(context: SheetContext, texts: readonly string[], cellsLeft: number) {
    this.#context = context
    this.#texts = texts
    this.cellsLeft = cellsLeft
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
    if (name === 'row') this.#endRow()
    else if (name === 'c' && this.#cell !== null) this.#endCell(this.#cell)
    else if (name === 'f' || name === 'v') this.#part = null
    else if (this.#cell !== null) this.#rich.close(name)
  }

  #hideColumns({ min, max }: Attributes): void {
    this.#hidden.push({ from: Math.max(Number(min), 1), to: Math.min(Number(max), LAST_COLUMN) })
  }

  /** Letters of hidden columns, each once and in order, however often and far the ranges of a sheet overlap. */
  get hiddenColumns(): string[] {
    const columns: string[] = []
    let next = 1
    for (const { from, to } of this.#hidden.toSorted((a, b) => a.from - b.from)) {
      for (next = Math.max(next, from); next <= to; next++) columns.push(columnLetters(next - 1))
    }
    return columns
  }

  #beginRow({ r, hidden }: Attributes): void {
    // Programs may omit the address of a cell or row: it is then the next one.
    this.#row = r === undefined ? this.#row + 1 : Number(r)
    if (!(this.#row >= 1 && this.#row <= LAST_ROW))
      throw new Error(`there is no row "${r ?? this.#row}" in a sheet`)
    this.#column = -1
    this.#cells = []
    this.#isHidden = isTrue(hidden)
  }

  #endRow(): void {
    if (this.#cells.length === 0) return
    this.rows.push({ row: this.#row, cells: this.#cells })
    if (this.#isHidden) this.hiddenRows.push(this.#row)
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
    const shown = isShared(cell) ? this.#shared(text) : this.#stored(text)
    if (shown === '') return
    if (--this.cellsLeft < 0) throw new Error('it has too many cells: save its sheets as CSV files')
    while (this.#cells.length < this.#column) this.#cells.push('')
    this.#cells[this.#column] = shown
  }

  #shared(index: string): string {
    const text = this.#texts[Number(index)]
    if (text === undefined) throw new Error(`a cell refers to text ${index}, which is not there`)
    return text
  }

  #stored(text: string): string {
    if (this.#recent.size === RECENT) this.#recent.clear()
    const known = this.#recent.get(text)
    if (known === undefined) this.#recent.set(text, text)
    return known ?? text
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
  const rowOf = (address: string) => Number(/(?<!\d)\d+$/.exec(address)?.[0])
  const [top, bottom] = [rowOf(from), rowOf(to)]
  if (!(top >= 1 && bottom >= top && bottom <= LAST_ROW)) throw new Error(`"${name}" is not a range of cells`)
  return { name, top, bottom, left: columnOf(from), right: columnOf(to) }
}

/** `_x000D_` stands for a character that XML cannot hold (ECMA-376-1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

/** Collects the text of an item: its runs one after the other, without phonetic readings (`rPh`). */
export class RichText {
  #text = ''
  #isText = false
  #readings = 0

  open(name: string): void {
    if (name === 'rPh') this.#readings++
    this.#isText = name === 't' && this.#readings === 0
  }
  add(text: string): void {
    if (this.#isText) this.#text += text
  }
  close(name: string): void {
    if (name === 'rPh') this.#readings--
    this.#isText = false
  }
  take(): string {
    const text = unescaped(this.#text).trim()
    this.#text = ''
    return text
  }
}

/** Reads the part with the shared strings, and adds each to `texts`. */
export function textsReader(texts: string[]): XmlHandlers {
  const item = new RichText()
  return {
    open: (name) => {
      // What stands between items belongs to none of them.
      if (name === 'si') item.take()
      item.open(name)
    },
    text: (text) => item.add(text),
    close: (name) => {
      item.close(name)
      if (name === 'si') texts.push(item.take())
    },
  }
}

/** What the format of a cell says about its number; `shown …` is a unit behind it, such as k, that multiplies it. */
export type NumberStyle = 'number' | 'date' | 'percent' | 'time' | `shown ${string}`

/** Reads the part with the styles, and returns the meaning of each cell style. */
export function stylesReader(): XmlHandlers & { readonly styles: readonly NumberStyle[] } {
  const styles: NumberStyle[] = []
  const codes = new Map<number, string>()
  let isCells = false
  return {
    styles,
    open: (name, { numFmtId, formatCode }) => {
      if (name === 'cellXfs') isCells = true
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '')
      if (name === 'xf' && isCells) styles.push(styleOf(Number(numFmtId ?? 0), codes))
    },
    close: (name) => {
      if (name === 'cellXfs') isCells = false
    },
  }
}

/** Date formats with fixed numbers (ECMA-376-1, 18.8.30); 27 to 36 and 50 to 58 are dates of East Asia. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Formats of a time of day or of a duration with fixed numbers. */
const isBuiltInTime = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 45 && id <= 47)
/** `#,##0"k"` shows 100 as 100k; `#,##0,"k"` shows 100,000 so, which it is. */
const SHOWN_UNIT = /[0#?].*?(?:"\s*([^"]*?)\s*"|\\\s?(\S))/
const isUnit = (text: string): boolean =>
  /^(?:[kK]|M|[mM](?:io|n|ln)\.?)$/.test(text) || scaleIn(text) !== null

function styleOf(id: number, codes: ReadonlyMap<number, string>): NumberStyle {
  // Programs write no longer ones, and the patterns below take time with the square of the length.
  const code = codes.get(id)?.slice(0, 255)
  if (code === undefined) {
    if (isBuiltInTime(id)) return 'time'
    return isBuiltInDate(id) ? 'date' : id === 9 || id === 10 ? 'percent' : 'number'
  }
  const [first = ''] = code.split(';')
  const unit = /[0#?],+(?![0#?,])/.test(first) ? null : SHOWN_UNIT.exec(first)
  const text = unit?.[1] ?? unit?.[2] ?? ''
  if (isUnit(text)) return `shown ${text}`
  // Text in quotes, behind a backslash or in brackets (a colour, a currency) is only shown. `_` and `*` use the
  // next character as a width and a filler.
  const [shown = ''] = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./g, '').split(';')
  if (shown.includes('%')) return 'percent'
  // An hour, minute or second alone is a time; `mmm` is the name of a month.
  const bare = shown.replace(/general|am\/pm/gi, '')
  if (/[yd]|mmm/i.test(bare)) return 'date'
  return /[hs]/i.test(bare) || /\[(h+|m+|s+)\]/i.test(first) ? 'time' : 'number'
}
