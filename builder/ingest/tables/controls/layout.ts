/**
 * The layout of a program's own report: what it is, its titles and its foot, its columns, and which rows its totals close. It is
 * that of the profit and loss, the balance sheet and the aged lists of QuickBooks, Xero and Odoo, and of any other program whose
 * report has these rows.
 */
import { addTo } from '../../../contract/grouping.ts'
import { present } from '../../../contract/present.ts'
import { type TextRow, TITLE_ROWS, textAt } from '../../text/csv.ts'
import { LONGEST_AMOUNT } from '../../text/decorations.ts'
import { type Control, controlOf } from '../../workbook/foreign.ts'
import { sectionOfTotal } from '../totals.ts'

export interface ReportLine {
  readonly row: number
  /** The cells before the figures: an account, a heading, a total or a party. */
  readonly label: string
  /** The text under each of the columns; empty where the cell is. */
  readonly cells: readonly string[]
  /** The index of the line with which the section begins that this line is the total of; null where it is no such total. */
  readonly closes: number | null
  /** The labels of the sections that are open here, the outermost first. */
  readonly inside: readonly string[]
}

export interface ReportLayout {
  readonly kind: Control
  /** The row of the header. */
  readonly row: number
  /** What stands above the table and below it, one text for each cell. */
  readonly stated: readonly string[]
  /** The headers of the columns with figures. */
  readonly headers: readonly string[]
  readonly lines: readonly ReportLine[]
}

/** Headers of columns that name a row, and so hold no figures. */
const NAMES_ROWS =
  /^(distribution account|account( name| code| number| type)?|code|name|number|customer|vendor|supplier|contact( account number| group)?|partner|party|full name|invoice date|due date|currency|amount currency)$/i
/** A column of single entries: the report is a detailed one. */
const OF_ENTRIES = /^(date|transaction (date|type|id)|num|no\.|memo(\/description)?|split|reference|source)$/i
const FIGURE = /^[^\p{L}\d<>]*\d[\d.,' \u00a0\u2019]*-?[)%]?(?: ?(?:cr|dr))?[^\p{L}\d+]*$/iu
/** Amounts, in the forms of spreadsheets; a year or a day alone is a header. */
const isFigure = (text: string): boolean =>
  text.length <= LONGEST_AMOUNT && FIGURE.test(text) && !/^((19|20)\d\d|\d{1,2}\.\d{1,2}\.\d{4})$/.test(text)

/** The titles of a table in the file: its sheet and its own name. */
export type Names = readonly (string | null)[]

/**
 * The layout of a report that `names` or a title above its header call a profit and loss, a balance sheet or an aged list; null for
 * any other table. `isTitled`: whether a title above the header says so.
 */
export function reportLayout(
  rows: readonly TextRow[],
  names: Names,
): (ReportLayout & { readonly isTitled: boolean }) | null {
  const at = rows.slice(0, TITLE_ROWS + 1).findIndex(({ cells }) => isHeader(cells))
  const header = rows[at]
  if (header === undefined || header.cells.some((cell) => OF_ENTRIES.test(cell))) return null
  const second = rows[at + 1]
  // Where periods are compared, Odoo writes them in one row and what the columns hold in the next.
  const below = second !== undefined && isHeader(second.cells) ? second : null
  const titles = rows.slice(0, at).flatMap(({ cells }) => cells.filter((cell) => cell !== ''))
  const title = titles.map(controlOf).find((found) => found !== null)
  const kind = title ?? names.map((name) => controlOf(name ?? '')).find((found) => found !== null)
  if (kind == null) return null
  const columns = [...Array(Math.max(header.cells.length, below?.cells.length ?? 0)).keys()].flatMap((i) => {
    const parts = [textAt(header.cells, i), textAt(below?.cells ?? [], i)].filter((part) => part !== '')
    const own = parts.filter((part) => !NAMES_ROWS.test(part))
    return own.length === 0 ? [] : [{ i, header: own[0] ?? '' }]
  })
  const first = columns[0]?.i ?? 0
  const body = rows.slice(at + (below === null ? 1 : 2))
  const unnamed = body.flatMap(({ cells }) =>
    cells.flatMap((cell, i) =>
      i > first && isFigure(cell) && !columns.some((each) => each.i === i) ? [i] : [],
    ),
  )
  for (const i of new Set(unnamed)) columns.push({ i, header: '' })
  const last = body.findLastIndex(({ cells }) => columns.some(({ i }) => isFigure(textAt(cells, i))))
  const lines = body.slice(0, last + 1).map(({ row, cells }) => ({
    row,
    label: cells
      .slice(0, first)
      .filter((cell) => cell !== '' && !isDateCell(cell))
      .join(' '),
    // Shares are no amounts.
    cells: columns.map(({ i }) => textAt(cells, i)).map((cell) => (cell.endsWith('%') ? '' : cell)),
  }))
  if (!lines.some(({ label }) => CLOSING[kind].test(label))) return null
  const sections = sectionsOf(lines.map(({ label }) => label))
  return {
    kind,
    isTitled: title != null,
    row: header.row,
    stated: [...titles, ...body.slice(last + 1).flatMap(({ cells }) => cells.filter((cell) => cell !== ''))],
    headers: columns.map((each) => each.header),
    lines: lines.map((line, i) => ({ ...line, ...present(sections[i], 'section of a line') })),
  }
}

const isDateCell = (cell: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(cell)

/** The line without which a report is not whole, or not of a layout that is known. */
const CLOSING: Readonly<Record<Control, RegExp>> = {
  'profit and loss':
    /^(net|total comprehensive) (income|profit|loss|earnings|surplus)|^(profit|loss|surplus)\b.* (year|period)$/i,
  'balance sheet': /^total\b.*\b(assets|equity|liabilities)$|^(net assets|assets)$/i,
  'aged receivables': /^((grand )?total|aged receivables?)$/i,
  'aged payables': /^((grand )?total|aged payables?)$/i,
}

/** A row with a text beside the names of rows, and no amounts. */
const isHeader = (cells: readonly string[]): boolean => {
  const others = cells.filter((cell, i) => cell !== '' && i > 0 && !NAMES_ROWS.test(cell))
  return others.length > 0 && others.every((cell) => !isFigure(cell) && cell.length < 80)
}

/** A heading and its total differ in these words: `Less Cost of Sales`, `Total Cost of Sales`. */
export const plainLabel = (label: string): string =>
  label
    .replace(/^(less|plus)\s*:?\s+/i, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()

/** For each line the section that it closes, and those around it. A total closes the nearest line above it that is called so. */
function sectionsOf(labels: readonly string[]): Pick<ReportLine, 'closes' | 'inside'>[] {
  const closed = new Map<number, number>()
  const called = new Map<string, number[]>()
  for (const [i, label] of labels.entries()) {
    const name = sectionOfTotal(label)
    const from = name === null ? undefined : called.get(plainLabel(name))?.pop()
    if (from !== undefined) closed.set(i, from)
    addTo(called, plainLabel(label), i)
  }
  const ends = new Map([...closed].map(([to, from]) => [from, to]))
  let around: readonly number[] = []
  return labels.map((_, i) => {
    around = around.filter((from) => (ends.get(from) ?? 0) > i)
    const inside = around.map((from) => labels[from] ?? '')
    if (ends.has(i)) around = [...around, i]
    return { closes: closed.get(i) ?? null, inside }
  })
}
