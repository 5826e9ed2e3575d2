/** The first sheet of a board pack: the key figures of the overview, what was written about the month, and its charts with their figures. */
import type { Note } from '../../books/reference/presentation.ts'
import { formatInteger } from '../../contract/currency.ts'
import type { SummaryName } from '../../contract/vocabulary.ts'
import type { PublishedStatement } from '../../snapshot/files/documents.ts'
import { lastMonthsOf, monthsThrough } from '../charts/series.ts'
import { hasPartial, PARTIAL_EXPLAINED } from '../partial.ts'
import type { ShownStatement } from '../report.ts'
import {
  type About,
  amountFormat,
  BOLD,
  type FigureLook,
  headFigure,
  headText,
  lastDayOf,
  QUIET,
  sheetLayout,
  titleRows,
} from './looks.ts'
import { once } from './sheets.ts'
import { blockRows, headHeight, headRow, lineRows, pixelsOf, widthsOf } from './statement-sheet.ts'
import { ROW_HEIGHT, type Sheet } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'
import type { ChartSeries, SheetChart } from './xlsx-charts.ts'

/** What the sheet is made of; a document is null where none was published for the filter. */
export interface Summary {
  readonly tables: readonly ShownStatement[]
  /** Commentary that is on no line of a statement. */
  readonly notes: readonly Note[]
  readonly result: PublishedStatement | null
  /** Cash belongs to the whole company. */
  readonly cash: PublishedStatement | null
}

const MONTHS = 12
const CHART_ROWS = 18
const GAP = 20
const PIXELS_OF_ROW = 20

type Kind = 'result' | 'cash'
/** The figures that are drawn, in the order of their table. */
const DRAWN: readonly (Pick<ChartSeries, 'name' | 'as' | 'color'> & {
  readonly chart: Kind
  readonly of: readonly SummaryName[]
})[] = [
  {
    name: 'All income',
    of: ['TotalIncome', 'TotalOtherIncome'],
    chart: 'result',
    as: 'bars',
    color: '44546A',
  },
  {
    ...{ name: 'All costs', of: ['TotalCostOfSales', 'TotalExpense', 'TotalOtherExpense'] },
    ...{ chart: 'result', as: 'bars', color: 'BFBFBF' },
  },
  { name: 'Net income', of: ['NetIncome'], chart: 'result', as: 'line', color: 'C55A11' },
  { name: 'Cash', of: ['EndingCash'], chart: 'cash', as: 'line', color: '44546A' },
]

const TITLES = {
  result: 'All income and costs by month, with net income',
  cash: 'Cash at the end of each month',
} as const satisfies Record<Kind, string>

export function summarySheet(summary: Summary, about: About, figures: FigureLook): Sheet {
  const { tables, notes } = summary
  const title = { ...about, title: 'Summary', period: 'Period ended' }
  const budget = tables.find((each) => each.budget !== null)?.budget
  const body = titleRows(budget ? { ...title, figures: [...about.figures, `budget: ${budget.name}`] } : title)
  const heights = new Map<number, number>()
  const widths: number[] = []
  for (const table of tables)
    for (const [c, width] of widthsOf(table, figures, false).entries())
      widths[c] = Math.max(widths[c] ?? 0, width)
  for (const [i, table] of tables.entries()) {
    if (i > 0) body.push([])
    body.push(headRow(table, false, table.statement === 'BalanceSheet' ? 'Position' : 'Result'))
    heights.set(body.length, headHeight(table, widths.slice(1)))
    const rows = table.lines.map((_, line) => body.length + 1 + line)
    body.push(...lineRows(table, figures, { rows, firstColumn: 1 }))
  }
  if (tables.some(hasPartial)) body.push([], [{ text: PARTIAL_EXPLAINED, style: QUIET }])
  if (notes.length > 0) body.push([], [{ text: 'Commentary', style: BOLD }])
  for (const { heading, text } of notes)
    body.push(...(heading === null ? [] : [[{ text: heading, style: BOLD }]]), ...blockRows(text, widths))
  const above = body.length
  const { charts, rows } = drawn(summary, about.month, figures, widths, above)
  body.push(...rows)
  // Whatever the program thinks of empty rows, the charts end above their figures.
  for (let row = 1; row <= CHART_ROWS; row++) heights.set(above + row, ROW_HEIGHT)
  return {
    name: title.title,
    widths,
    frozen: { rows: 0, columns: 0 },
    rows: once(body),
    charts,
    // The charts and their figures fill a page of their own.
    layout: sheetLayout(title, { heights, breaks: charts.length === 0 ? [] : [above] }),
  }
}

/** The charts side by side below so many rows, and the table of their figures below them. */
function drawn(
  { result, cash, tables: [first] }: Summary,
  month: string,
  figures: FigureLook,
  widths: readonly number[],
  above: number,
): { readonly charts: readonly SheetChart[]; readonly rows: readonly SheetCell[][] } {
  const documents = { result, cash }
  const months = lastMonthsOf(result ?? cash ?? { months: [] }, month, MONTHS)
  const columns = DRAWN.flatMap(({ of, ...column }) => {
    const document = documents[column.chart]
    if (document === null) return []
    const values = monthsThrough(document, of, month, MONTHS).values
    return [{ ...column, values: values.map((value) => formatInteger(String(value), figures.decimals)) }]
  })
  if (first === undefined || months.length === 0 || columns.length === 0) return { charts: [], rows: [] }
  const head = above + CHART_ROWS + 1
  const kinds = (['result', 'cash'] as const).filter((kind) => documents[kind] !== null)
  const whole = widths.reduce((sum, width) => sum + pixelsOf(width), 0)
  const width = Math.floor((whole - GAP) / 2)
  const charts = kinds.map((kind, i): SheetChart => {
    const series = columns.flatMap((column, c) =>
      column.chart === kind ? [{ ...column, column: c + 1 }] : [],
    )
    return {
      title: `${TITLES[kind]}, ${first.currency}`,
      description: `${TITLES[kind]}: the figures stand below.`,
      head,
      days: months.map(lastDayOf),
      series,
      format: amountFormat(figures),
      at: { row: above, ...columnAt(widths, i * (width + GAP)) },
      size: { width, height: (CHART_ROWS - 1) * PIXELS_OF_ROW },
    }
  })
  const style = { format: amountFormat(figures) }
  return {
    charts,
    rows: [
      ...Array.from({ length: CHART_ROWS }, (): SheetCell[] => []),
      [headText('Figures of the charts'), ...columns.map(({ name }) => headFigure(name))],
      ...months.map((each, m): SheetCell[] => [
        monthCell(each),
        ...columns.map(({ values }) => ({ number: values[m] ?? '0', style })),
      ]),
    ],
  }
}

const monthCell = (month: string): SheetCell => ({
  date: lastDayOf(month),
  style: { format: 'mmm yyyy', align: 'left' },
})

/** The column in which a place lies, in pixels from the left edge of the sheet, and how far right of the column's edge. */
function columnAt(
  widths: readonly number[],
  place: number,
): { readonly column: number; readonly right: number } {
  let [column, right] = [0, place]
  while (column < widths.length - 1 && right >= pixelsOf(widths[column] ?? 0))
    right -= pixelsOf(widths[column++] ?? 0)
  return { column, right }
}
