/** One sheet of a workbook, from XML events to rows of text. */
import { decimalTextOfDouble, shiftPoint } from '../text/amount.ts'
import type { CellRange, TextRow } from '../text/csv.ts'
import { numberOfFormula } from '../text/formulas.ts'
import { dayOfSerial } from '../text/serials.ts'
import { mergeRows } from './merged-cells.ts'
import { type NumberStyle, RichText, unescaped } from './texts.ts'
import type { XmlHandlers } from './xml.ts'

interface SheetContext {
  readonly decimal: '.' | ','
  /** By the number that a cell of type `s` holds. */
  readonly texts: readonly string[]
  /** By the number of a cell's style. */
  readonly styles: readonly NumberStyle[]
  readonly is1904: boolean
  /** How many cells may still be read, in all sheets of the workbook. */
  readonly cells: { left: number }
}

export interface ReadSheet {
  done(): {
    readonly rows: readonly TextRow[]
    readonly hiddenRows: readonly number[]
    readonly hiddenColumns: readonly string[]
    readonly merges: readonly CellRange[]
  }
}

/** The largest sheet of Excel; a cell outside of it is damage. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** Strings of one value are kept once: dates, accounts and names repeat from row to row. */
const KEPT_TEXTS = 100_000

export function sheetReader(context: SheetContext): ReadSheet & XmlHandlers {
  const rows: TextRow[] = []
  const hiddenRows: number[] = []
  const hiddenColumns: string[] = []
  const merges: CellRange[] = []
  const kept = new Map<string, string>()
  const rich = new RichText()
  let isData = false
  let row = 0
  let column = -1
  let isRowHidden = false
  let cells: string[] = []
  let cell: OpenCell | null = null
  let part: 'value' | 'formula' | null = null

  const keep = (text: string): string => {
    const before = kept.get(text)
    if (before !== undefined) return before
    if (kept.size < KEPT_TEXTS) kept.set(text, text)
    return text
  }
  const beginRow = (stated: string | undefined, hidden: string | undefined): void => {
    // Programs may leave the address away: then it is the next one.
    row = stated === undefined ? row + 1 : Number(stated)
    if (!(row >= 1 && row <= LAST_ROW)) throw new Error(`there is no row "${stated}" in a sheet`)
    column = -1
    cells = []
    isRowHidden = hidden === '1' || hidden === 'true'
  }
  const beginCell = ({ r, t = 'n', s }: Readonly<Record<string, string>>): void => {
    column = r === undefined ? column + 1 : columnOf(r)
    cell = { type: t, style: context.styles[Number(s ?? 0)] ?? 'number', value: null, formula: null }
  }
  const endCell = (): void => {
    const text = cellText(cell!, rich.take(), context)
    cell = null
    if (text === '') return
    if (--context.cells.left < 0) throw new Error('it holds too many cells: save its sheets as CSV files')
    while (cells.length < column) cells.push('')
    cells[column] = keep(text)
  }
  const endRow = (): void => {
    if (cells.length === 0) return
    rows.push({ row, cells })
    if (isRowHidden) hiddenRows.push(row)
  }
  return {
    open: (name, attributes) => {
      if (name === 'sheetData') isData = true
      else if (name === 'mergeCell') merges.push(rangeOf(attributes.ref ?? ''))
      else if (name === 'col' && (attributes.hidden === '1' || attributes.hidden === 'true'))
        for (let at = Number(attributes.min); at <= Math.min(Number(attributes.max), LAST_COLUMN); at++)
          hiddenColumns.push(columnLetters(at - 1))
      if (!isData) return
      if (name === 'row') beginRow(attributes.r, attributes.hidden)
      else if (name === 'c') beginCell(attributes)
      else if (cell !== null && name === 'f') {
        part = 'formula'
        cell.formula = ''
      } else if (cell !== null && name === 'v') {
        part = 'value'
        cell.value = ''
      } else if (cell !== null) rich.open(name)
    },
    text: (text) => {
      if (cell === null) return
      if (part === 'formula') cell.formula += text
      else if (part === 'value') cell.value += text
      else rich.add(text)
    },
    close: (name) => {
      if (name === 'sheetData') isData = false
      if (!isData) return
      if (name === 'row') endRow()
      else if (name === 'c' && cell !== null) endCell()
      else if (name === 'f' || name === 'v') part = null
      else if (cell !== null) rich.close(name)
    },
    done: () => ({ rows: mergeRows(inOrder(rows), merges), hiddenRows, hiddenColumns, merges }),
  }
}

/** A row that stands there twice would hide one of the two. */
function inOrder(rows: TextRow[]): TextRow[] {
  const twice = rows.find(({ row }, i) => i > 0 && row <= rows[i - 1]!.row)
  if (twice !== undefined) throw new Error(`row ${twice.row} stands at a wrong place`)
  return rows
}

interface OpenCell {
  readonly type: string
  readonly style: NumberStyle
  value: string | null
  formula: string | null
}

/** By the cell's type (ECMA-376-1, 18.18.11). A formula that no program has calculated stands as its text, unless it is a number. */
function cellText({ type, style, value, formula }: OpenCell, inline: string, context: SheetContext): string {
  if (type === 'e') return value?.trim() || '#ERROR!'
  // A text formula may well give empty text; a number is never empty.
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
 * A number as the file holds it. Whole numbers are taken as they stand, since ids may be longer than a double is
 * exact; all else is a double, of which a person typed at most 15 digits.
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
  const [from, to = from] = name.replaceAll('$', '').split(':') as [string, string?]
  const rowOf = (address: string) => Number(/\d+$/.exec(address)?.[0])
  const [top, bottom] = [rowOf(from), rowOf(to!)]
  if (!(top >= 1 && bottom >= top && bottom <= LAST_ROW)) throw new Error(`"${name}" is no range of cells`)
  return { name, top, bottom, left: columnOf(from), right: columnOf(to!) }
}
