/** A statement as a sheet of a board pack: the lines and columns of the report pages, with formulas for what follows from other cells. */
import { blocksOf } from '../notes.ts'
import { Numbers } from '../numbers.ts'
import { hasPartial, PARTIAL_EXPLAINED } from '../partial.ts'
import type { ShownColumn, ShownLine, ShownStatement } from '../report.ts'
import { monthTitle } from '../views.ts'
import { type FigureCell, figuresOf, type Places } from './formulas.ts'
import {
  amountFormat,
  BOLD,
  type FigureLook,
  headDate,
  headFigure,
  headText,
  PERCENT,
  QUIET,
  type SheetTitle,
  sheetLayout,
  TITLE_WIDTH,
  titleRows,
  varianceFormat,
} from './looks.ts'
import { once } from './sheets.ts'
import { PAPER_HEIGHT, PAPER_WIDTH, ROW_HEIGHT, type Sheet } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'
import type { CellStyle } from './xlsx-styles.ts'

/** Totals that end a statement, or a side of the balance sheet. */
const LAST_TOTALS: ReadonlySet<string> = new Set([
  ...['NetIncome', 'TotalAssets', 'TotalLiabilitiesAndEquity', 'EndingCash'],
])

export function statementSheet(shown: ShownStatement, about: SheetTitle, figures: FigureLook): Sheet {
  const { lines, budget } = shown
  const title = { ...about, figures: [...about.figures, ...(budget ? [`budget: ${budget.name}`] : [])] }
  const hasNumbers = lines.some(({ number }) => number !== '')
  const firstColumn = hasNumbers ? 2 : 1
  const above = titleRows(title)
  const head = headRow(shown, hasNumbers)
  const body = [...above, head]
  const rows: number[] = []
  for (const [i, line] of lines.entries()) {
    if (i > 0 && line.kind === 'heading' && line.depth === 0) body.push([])
    body.push([])
    rows.push(body.length)
  }
  for (const [i, cells] of lineRows(shown, figures, { rows, firstColumn }).entries())
    body[(rows[i] ?? 0) - 1] = cells
  const widths = widthsOf(shown, figures, hasNumbers)
  if (hasPartial(shown)) body.push([], [{ text: PARTIAL_EXPLAINED, style: QUIET }])
  body.push(...noteRows(shown, widths))
  return {
    name: title.title,
    widths,
    frozen: { rows: above.length + 1, columns: firstColumn },
    rows: once(body),
    layout: sheetLayout(title, {
      repeated: { from: above.length + 1, through: above.length + 1 },
      merged: hasNumbers ? ['A3:B3'] : [],
      heights: new Map([[above.length + 1, headHeight(shown, widths.slice(firstColumn))]]),
      breaks: pageBreaks(lines, rows, widths),
      levels: new Map(lines.map((line, i) => [rows[i] ?? 0, line.depth])),
    }),
  }
}

/** The cells of each line, its names before its figures. */
export function lineRows(shown: ShownStatement, figures: FigureLook, places: Places): SheetCell[][] {
  const { lines, columns } = shown
  const figureAt = figuresOf(shown, places)
  return lines.map((line, i) => [
    ...nameCells(line, shown, places.firstColumn === 2),
    ...columns.map((column, c) =>
      figureCell(figureAt(i, c), line, column, { ...figures, isPartial: line.partial.includes(c) }),
    ),
  ])
}

export function headRow(
  { statement, columns }: ShownStatement,
  hasNumbers: boolean,
  name = 'Account',
): SheetCell[] {
  const isPosition = statement === 'BalanceSheet'
  return [
    ...(hasNumbers ? [headText('No.')] : []),
    headText(name),
    ...columns.map(({ title, months }) => {
      const isMonth = months !== null && (isPosition ? !months.end : title === monthTitle(months.through))
      return isMonth ? headDate(months.through, isPosition ? 'day' : 'month') : headFigure(title)
    }),
  ]
}

/** The height of the head in points, for the title with the most lines. */
export const headHeight = ({ columns }: ShownStatement, widths: readonly number[]): number =>
  ROW_HEIGHT * Math.max(1, ...columns.map(({ title }, i) => wrapped(title, (widths[i] ?? 0) - 1).length))

/** The width of a head in characters. A title is broken into two lines, and bold letters are wider than others. */
const headWidth = (title: string): number =>
  Math.max(Math.ceil(title.length / 2) + 3, ...title.split(' ').map(({ length }) => length + 2))

function nameCells(line: ShownLine, { notes }: ShownStatement, hasNumbers: boolean): SheetCell[] {
  const marks = notes.filter((note) => note.line === line.id).map(({ number }) => ` [${number}]`)
  const name = { text: `${line.label}${marks.join('')}`, style: { ...looksOf(line), indent: line.depth } }
  if (!hasNumbers) return [name]
  return [line.number === '' ? null : { text: line.number, style: QUIET }, name]
}

/** Sections and totals stand out. */
const looksOf = ({ kind, depth }: ShownLine): CellStyle =>
  kind === 'account' || (kind === 'subtotal' && depth > 0) ? {} : BOLD

function figureCell(
  figure: FigureCell | null,
  line: ShownLine,
  { kind }: ShownColumn,
  figures: FigureLook,
): SheetCell {
  const { kind: lineKind, id, better, isRatio } = line
  if (lineKind === 'heading') return null
  const isSum = lineKind !== 'account'
  const style: CellStyle = {
    ...looksOf(line),
    ...(isSum ? { top: 'thin' } : {}),
    ...(lineKind === 'total' && LAST_TOTALS.has(id) ? { bottom: 'double' } : {}),
    format:
      kind === 'percent' || isRatio
        ? PERCENT
        : kind === 'difference'
          ? varianceFormat(figures, better)
          : amountFormat(figures),
  }
  if (figure === null) return isSum ? { blank: true, style } : null
  const { value, formula } = figure
  return formula === null ? { number: value, style } : { formula, value, style }
}

const MOST_NAME_WIDTH = 60
const LEAST_WIDTH = 10
/** The width of the mark before a variance, in characters. */
const MARK_WIDTH = 2

export function widthsOf(
  { statement, lines, columns, notes }: ShownStatement,
  { decimals, unit }: FigureLook,
  hasNumbers: boolean,
): number[] {
  const numbers = new Numbers(decimals, { format: '1,234.50', negative: 'brackets', unit })
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length))
  const marked = notes.length === 0 ? 0 : 5
  const number = hasNumbers ? [Math.max(8, longest(lines.map(({ number }) => number)) + 2)] : []
  const named = Math.max(...lines.map(({ label, depth }) => label.length + 2 * depth + marked), 0) + 2
  return [
    ...number,
    Math.min(Math.max(named, TITLE_WIDTH - (number[0] ?? 0)), MOST_NAME_WIDTH),
    ...columns.map(({ kind, title }, i) => {
      // The last day of a month is as wide as its title and the day.
      const head = statement === 'BalanceSheet' && kind === 'amount' ? title.length + 5 : headWidth(title)
      const figures = lines.map(({ cells, isRatio }) => {
        const cell = cells[i] ?? null
        return kind === 'percent' || isRatio ? `(${numbers.percent(cell)}%)` : numbers.shown(cell)
      })
      const least = Math.max(LEAST_WIDTH, longest(figures) + 2, head)
      return least + (kind === 'difference' ? MARK_WIDTH : 0)
    }),
  ]
}

/** Commentary below the statement, in lines as wide as the sheet. */
function noteRows({ notes }: ShownStatement, widths: readonly number[]): SheetCell[][] {
  if (notes.length === 0) return []
  return [
    [],
    [{ text: 'Commentary', style: BOLD }],
    ...notes.flatMap(({ number, heading, text }) => [
      [{ text: `[${number}] ${heading}`, style: BOLD }],
      ...blockRows(text, widths),
    ]),
  ]
}

/** A text in lines as wide as the sheet. */
export function blockRows(text: string, widths: readonly number[]): SheetCell[][] {
  const width = widths.reduce((sum, each) => sum + each, 0)
  const lines = (text: string): SheetCell[][] => wrapped(text, width).map((line) => [{ text: line }])
  return blocksOf(text).flatMap((block) =>
    typeof block === 'string' ? lines(block) : block.flatMap((item) => lines(`• ${item}`)),
  )
}

/** Breaks between words, where a line would become longer than `width` characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}

/** Widths in pixels, 96 to the inch: of an ordinary character, and of what a cell has beside its text. */
const CHARACTER = 7
const PADDING = 5
const PER_INCH = 96
/** The width of a column in pixels. */
export const pixelsOf = (width: number): number => width * CHARACTER + PADDING

/** The part of a page that is filled at most, since programs and printers differ a little. */
const SURE = 0.98
/** Where this much of a page is filled, the next part of the statement begins on a new one, and so does the next group. */
const FILLED = { part: 0.7, group: 0.75 }
/** How much the rows of the title are higher than ordinary rows, counted in ordinary rows. */
const HIGHER_TITLE = 2

/**
 * The rows, counted from 1, after which a page ends: not between a heading and what follows it, nor before the sum of
 * what stands above. `rows` are those of the lines; the row of heads before them is repeated on each page.
 */
function pageBreaks(
  lines: readonly ShownLine[],
  rows: readonly number[],
  widths: readonly number[],
): number[] {
  const room = rowsOnPage(widths)
  const starts = lines.flatMap((line, i) =>
    mayBegin(line, lines[i - 1]) ? [{ line, row: rows[i] ?? 0 }] : [],
  )
  const breaks: number[] = []
  const end = rows.at(-1) ?? 0
  for (let first = 1, fits = room - HIGHER_TITLE; first + fits <= end; fits = room - HIGHER_TITLE) {
    const possible = starts.filter(({ row }) => row > first && row <= first + fits)
    const headAfter = (filled: number, isPart: boolean) =>
      possible.findLast(
        ({ line, row }) =>
          line.kind === 'heading' && row - first > fits * filled && (line.depth === 0 || !isPart),
      )
    const next = (headAfter(FILLED.part, true) ?? headAfter(FILLED.group, false) ?? possible.at(-1))?.row
    if (next === undefined) break
    breaks.push(next - 1)
    first = next
  }
  return breaks
}

const mayBegin = ({ kind }: ShownLine, above: ShownLine | undefined): boolean =>
  above !== undefined && above.kind !== 'heading' && (kind === 'heading' || kind === 'account')

/** How many rows fit on a page. A sheet that is too wide is scaled down to the width of the page; none is scaled up. */
function rowsOnPage(widths: readonly number[]): number {
  const width = widths.reduce((sum, each) => sum + pixelsOf(each), 0)
  const percent = Math.min(100, Math.floor((100 * PAPER_WIDTH * PER_INCH) / width))
  return Math.floor((SURE * 100 * PAPER_HEIGHT * 72) / (ROW_HEIGHT * percent))
}
