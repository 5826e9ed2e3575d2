/** Cells of a workbook as XML (ECMA-376 §18.3.1). */
import { type CellStyle, DATE_STYLE, type Styles } from './xlsx-styles.ts'

/** What stands in a cell, and how it looks. Numbers are decimal text. */
export type SheetCell = null | (CellContent & { readonly style?: CellStyle })
type CellContent =
  | { readonly text: string }
  | { readonly number: string }
  /** As a workbook stores it: English names, without `=`. `value` is its result, for readers that do not calculate. */
  | { readonly formula: string; readonly value: string }
  /** `YYYY-MM-DD` */
  | { readonly date: string }
  /** Nothing, for a cell that only has a look. */
  | { readonly blank: true }

/** Counts what was changed because the format cannot hold it; the provenance sheet states it. */
export interface Losses {
  /** Figures of more than 15 digits, which are written as text, since spreadsheets would round them. */
  longFigures: number
  /** Texts of more than 32,767 characters, which are cut. */
  longTexts: number
}

const MOST_CHARACTERS = 32_767
const MOST_DIGITS = 15

export function cellXml(cell: SheetCell, at: string, styles: Styles, losses: Losses): string {
  if (cell === null) return ''
  const looks = (style: CellStyle | undefined) => {
    const number = styles.numberOf(style)
    return number === 0 ? '' : ` s="${number}"`
  }
  if ('text' in cell) return textCell(cell.text, at, looks(cell.style), losses)
  if ('blank' in cell) return `<c r="${at}"${looks(cell.style)}/>`
  if ('formula' in cell)
    return `<c r="${at}"${looks(cell.style)}><f>${escaped(cell.formula)}</f><v>${cell.value}</v></c>`
  if ('date' in cell) {
    const serial = serialOf(cell.date)
    if (serial === null) return textCell(cell.date, at, looks(cell.style), losses)
    return `<c r="${at}"${looks(cell.style ?? DATE_STYLE)}><v>${serial}</v></c>`
  }
  if (!isHeldExactly(cell.number)) {
    losses.longFigures++
    return textCell(cell.number, at, looks(cell.style), losses)
  }
  return `<c r="${at}"${looks(cell.style)}><v>${cell.number}</v></c>`
}

/** Spreadsheets keep 15 digits of a number. */
export const isHeldExactly = (number: string): boolean =>
  number.replace(/^-?0*|\./g, '').length <= MOST_DIGITS

function textCell(text: string, at: string, style: string, losses: Losses): string {
  let shown = text
  if (text.length > MOST_CHARACTERS) {
    losses.longTexts++
    // A surrogate pair is not cut in half.
    shown = `${text.slice(0, MOST_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`
  }
  return `<c r="${at}" t="inlineStr"${style}><is><t xml:space="preserve">${escaped(shown)}</t></is></c>`
}

/**
 * The serial day of a spreadsheet. Excel counts a 29 February 1900 that never was, so that days before March 1900
 * have no right number: null.
 */
export function serialOf(date: string): number | null {
  const serial = Date.parse(`${date}T00:00:00Z`) / 86_400_000 + 25_569
  return serial >= 61 ? serial : null
}

/** 0 → A, 26 → AA. */
export function lettersOfColumn(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : lettersOfColumn(Math.floor(index / 26) - 1) + last
}

/**
 * XML cannot hold control characters. ECMA-376 §22.9.2.19 writes them as `_x000B_`, and escapes a text that looks
 * like that.
 */
export function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000d-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
