/** How cells and sheets of a workbook look: figures, heads, titles, and what the sheets of a board pack share on paper. */
import { lastDay, monthOf } from '../../contract/calendar.ts'
import type { ShownUnit } from '../../workspace/presentation.ts'
import { PARTIAL } from '../partial.ts'
import type { SheetLayout } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'
import type { CellStyle } from './xlsx-styles.ts'

/** In what unit figures are shown; the cells hold them as published. */
export interface FigureLook {
  readonly decimals: number
  readonly unit: ShownUnit
  /** The figure leaves out what a budget does not state, and says so by a mark. */
  readonly isPartial?: boolean
}

const RED = '[Red]'

/** Positive, negative in brackets, a dash for zero: the digits of all three end at the same place. */
const signed = (positive: string, negative: string): string => `${positive}_);${negative};"–"_)`

export const amountFormat = (figures: FigureLook): string => {
  const digits = digitsOf(figures)
  return figures.isPartial
    ? signed(`${digits}"${PARTIAL}"`, `(${digits})"${PARTIAL}"`)
    : signed(digits, `(${digits})`)
}

/** A variance says by a mark, and in red where it is worse, what it means for the result, also after somebody changed a figure. */
export function varianceFormat(figures: FigureLook, better: 'more' | 'less' | null): string {
  if (better === null) return amountFormat(figures)
  const digits = digitsOf(figures)
  const [more, less] = ['"▲ "', `${RED}"▼ "`]
  return better === 'more'
    ? signed(`${more}${digits}`, `${less}(${digits})`)
    : signed(`${less}${digits}`, `${more}(${digits})`)
}

export const PERCENT = signed('0.0%', '(0.0%)')

function digitsOf({ decimals, unit }: FigureLook): string {
  if (unit === 'thousands') return '#,##0,'
  return unit === 'whole' ? '#,##0' : plainDigits(decimals)
}

export const plainDigits = (decimals: number): string =>
  decimals === 0 ? '#,##0' : `#,##0.${'0'.repeat(decimals)}`

const GREY = '595959'
export const BOLD: CellStyle = { bold: true }
export const QUIET: CellStyle = { color: GREY }
export const LINK: CellStyle = { color: '0563C1', underline: true }
const COMPANY: CellStyle = { bold: true, size: 16 }
const TITLE: CellStyle = { bold: true, size: 13 }
const HEAD: CellStyle = { bold: true, fill: 'F2F2F2', bottom: 'thin', wrap: true }
const HEAD_RIGHT: CellStyle = { ...HEAD, align: 'right' }

export const headText = (text: string): SheetCell => ({ text, style: HEAD })
export const headFigure = (text: string): SheetCell => ({ text, style: HEAD_RIGHT })
/** The last day of a month, `YYYY-MM`, shown as its month or as the day. */
export const headDate = (month: string, shown: 'month' | 'day'): SheetCell => ({
  date: lastDayOf(month),
  style: { ...HEAD_RIGHT, format: shown === 'day' ? 'd mmm yyyy' : 'mmm yyyy' },
})

export const lastDayOf = (month: string): string => lastDay(monthOf(`${month}-01`))

/** What every sheet of a pack says of itself. */
export interface About {
  readonly company: string
  /** `YYYY-MM` */
  readonly month: string
  readonly snapshotId: string
  readonly figures: readonly string[]
  /** The class and the department that it is of. */
  readonly members: readonly string[]
}

export interface SheetTitle extends About {
  readonly title: string
  /** The words before the day of the title: `Period ended`. */
  readonly period: string
}

export const titleRows = ({
  company,
  title,
  period,
  month,
  figures,
  members,
  snapshotId,
}: SheetTitle): SheetCell[][] => [
  [{ text: company, style: COMPANY }],
  [{ text: title, style: TITLE }],
  [{ date: lastDayOf(month), style: { format: `"${period} "d mmmm yyyy`, align: 'left' } }],
  [{ text: [...figures, ...members, `snapshot ${snapshotId}`].join(', '), style: QUIET }],
  [],
]

/** The width of the first column, in characters: the day of the title fits. */
export const TITLE_WIDTH = 36

/** Heights of the rows with the company and with the title, in points. */
const TITLE_HEIGHTS = [
  [1, 21],
  [2, 18],
] as const

export const sheetLayout = (
  { company, title, snapshotId }: Pick<SheetTitle, 'company' | 'title' | 'snapshotId'>,
  own: Partial<SheetLayout> = {},
): SheetLayout => ({
  ...{ repeated: null, merged: [], links: [], levels: new Map(), breaks: [] },
  footer: [`${company}, ${title}`, snapshotId],
  ...own,
  heights: new Map([...TITLE_HEIGHTS, ...(own.heights ?? [])]),
})
