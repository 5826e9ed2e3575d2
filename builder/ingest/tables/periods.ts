/**
 * Reads figures by month from a table: wide, with months as columns, or long, with one figure in each row. The
 * months of a quarter or year follow from the company's fiscal calendar.
 */
import { monthText } from '../../contract/calendar.ts'
import type { FiscalYearName } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { meaningOfHeader } from '../claims/claims.ts'
import { monthsOfFiscalYear } from '../format/fiscal-years.ts'
import type { FiscalYear } from '../format/intake.ts'
import { type TextRow, textAt } from '../text/csv.ts'
import { monthsOf, type Period, parsePeriod, serialRemedy } from '../text/months.ts'
import { remembered } from '../text/remembered.ts'
import { withoutScale } from '../text/scale.ts'
import { cellPlace, columnsNotRead, isMerged, mergedFigure, type Table } from './table.ts'

export interface FiscalCalendar {
  readonly fiscalMonthEnd: number
  readonly fiscalYears: readonly FiscalYear[]
  /** The calendar year that a fiscal year is called after, where the company says so. */
  readonly fiscalYearName?: FiscalYearName | undefined
}

/** Fiscal years that end in January or February are called after either calendar year. */
const UNCLEAR_UNTIL = 2

/** The number of months in a part of a year. */
const SIZES = { half: 6, quarter: 3, nth: 1 } as const

/**
 * The months of a period, in order; null where the calendar leaves them open. `FY2025` is the fiscal year that ends
 * in 2025, unless the company calls it after its first day. A bare `2025` or `2025-Q1` is only clear where fiscal years are calendar years.
 */
export function monthsOfPeriod(period: Period, calendar: FiscalCalendar): readonly string[] | null {
  if (period.kind === 'month') return [period.month]
  if (period.kind === 'span') return monthsOf(period)
  const { kind, part, fiscal } = period
  if (!fiscal && !isCalendarYear(calendar)) return null
  const year = monthsOfYear(period.year, calendar, fiscal === 'both')
  if (year === null || kind === 'year') return year
  const months = year.slice((part - 1) * SIZES[kind], part * SIZES[kind])
  return (year.length === 12 || kind === 'nth') && months.length > 0 ? months : null
}

const isCalendarYear = ({ fiscalMonthEnd, fiscalYears }: FiscalCalendar): boolean =>
  fiscalMonthEnd === 12 &&
  fiscalYears.every(({ start, end }) => start.endsWith('-01-01') && end === `${start.slice(0, 4)}-12-31`)

function monthsOfYear(
  year: number,
  { fiscalMonthEnd, fiscalYears, fiscalYearName }: FiscalCalendar,
  isNamedByBoth: boolean,
): string[] | null {
  if (isNamedByBoth && fiscalMonthEnd === 12 && fiscalYears.length === 0) return null
  const isByStart = fiscalYearName === 'start' && !isNamedByBoth
  const stated = fiscalYears
    .map((each) => monthsOfFiscalYear(each, fiscalYears))
    .filter(({ first, last }) => Math.floor((isByStart ? first : last) / 12) === year)
  if (stated.length > 1) return null
  const endYear = isByStart && fiscalMonthEnd < 12 ? year + 1 : year
  const last = stated[0]?.last ?? endYear * 12 + fiscalMonthEnd - 1
  if (last % 12 < UNCLEAR_UNTIL && fiscalYearName === undefined && !isNamedByBoth) return null
  const first = stated[0]?.first ?? last - 11
  return Array.from({ length: last - first + 1 }, (_, i) => monthText(first + i))
}

/** A cell with a figure, and the months of its period. */
export interface Figure {
  readonly row: TextRow
  /** Position of the figure's column. */
  readonly column: number
  readonly months: readonly string[]
  readonly text: string
}

export interface Figures {
  readonly figures: readonly Figure[]
  readonly findings: readonly Finding[]
}

/** The columns whose headers are months, quarters or years. */
export const periodColumns = (
  table: Table,
  columns: readonly number[],
  dateFormat: string | undefined,
): number[] => columns.filter((column) => periodOf(table, column, dateFormat) !== null)

/** The period that a header names, apart from any unit in it. */
export const periodOf = (table: Table, column: number, dateFormat: string | undefined): Period | null =>
  parsePeriod(withoutScale(textAt(table.header, column)), dateFormat)

/** All cells with text in those of `columns` (positions) whose headers are months, quarters or years. */
export function wideFigures(
  table: Table,
  columns: readonly number[],
  calendar: FiscalCalendar,
  dateFormat: string | undefined,
): Figures {
  const findings: Finding[] = []
  const monthsAt = monthsByColumn(table, columns, calendar, dateFormat, findings)
  findings.push(...figuresWithoutHeader(table, Math.min(...monthsAt.keys())))
  const columnsWithMonths = [...monthsAt]
  const figures: Figure[] = []
  for (const row of table.rows)
    for (const [column, months] of columnsWithMonths) {
      const text = textAt(row.cells, column)
      if (text === '') continue
      if (isMerged(row, column)) findings.push(...[mergedFigure(table, row, column) ?? []].flat())
      else figures.push({ row, column, months, text })
    }
  return { figures, findings }
}

/** The months of each column, by its header. */
function monthsByColumn(
  table: Table,
  columns: readonly number[],
  calendar: FiscalCalendar,
  dateFormat: string | undefined,
  findings: Finding[],
): ReadonlyMap<number, readonly string[]> {
  const monthsAt = new Map<number, readonly string[]>()
  const headerOf = new Map<string, string>()
  const notRead: string[] = []
  for (const column of columns) {
    const header = textAt(table.header, column)
    const place = { file: table.file, row: table.headerRow, column: header, text: header }
    const period = periodOf(table, column, dateFormat)
    if (period === null) {
      if (isDescription(table, column)) notRead.push(header)
      else findings.push(unreadableHeader(header, place))
      continue
    }
    const months = monthsOfPeriod(period, calendar)
    if (months === null) {
      findings.push(unclearPeriod(header, place))
      continue
    }
    const twice = months.find((month) => headerOf.has(month))
    if (twice !== undefined) {
      findings.push(
        error('duplicate-month', `"${headerOf.get(twice)}" and "${header}" both speak for ${twice}`, {
          ...place,
          remedy: 'keep one of the two columns',
        }),
      )
      continue
    }
    for (const month of months) headerOf.set(month, header)
    monthsAt.set(column, months)
  }
  const remedy = 'give a column of figures its month as header, such as 2025-01'
  findings.push(...columnsNotRead(table, notRead, remedy))
  if (monthsAt.size === 0 && findings.every((found) => found.severity !== 'error'))
    findings.push(
      error('missing-column', 'there is no column with figures', {
        file: table.file,
        row: table.headerRow,
        text: table.header.join(', '),
        remedy: 'add a column for each month, with headers such as 2025-01',
      }),
    )
  return monthsAt
}

/**
 * Reports figures in a column without a header right of the first month, where the name of a month may be missing;
 * left of it stand labels.
 */
const figuresWithoutHeader = (table: Table, first: number): Finding[] =>
  table.header.flatMap((header, column) => {
    const row =
      header === '' && column > first
        ? table.rows.find(({ cells }) => /\d/.test(textAt(cells, column)))
        : undefined
    return row === undefined
      ? []
      : [
          error('unreadable-header', 'there are figures under no header', {
            ...cellPlace(table, row, column),
            remedy: 'write the month above them, such as 2025-01; or remove the column',
          }),
        ]
  })

/** One figure in each row: its period in the column `period`, its text in the column `value`. */
export function longFigures(
  table: Table,
  period: number,
  value: number,
  calendar: FiscalCalendar,
  dateFormat: string | undefined,
): Figures {
  const findings: Finding[] = []
  const periodIn = remembered((text) => {
    const found = parsePeriod(text, dateFormat)
    return { found, months: found && monthsOfPeriod(found, calendar) }
  })
  const figures: Figure[] = []
  for (const row of table.rows) {
    const text = textAt(row.cells, value)
    if (text === '') continue
    if (isMerged(row, value)) {
      findings.push(...[mergedFigure(table, row, value) ?? []].flat())
      continue
    }
    const { found, months } = periodIn(textAt(row.cells, period))
    if (months) figures.push({ row, column: value, months, text })
    else findings.push(unreadablePeriod(found, cellPlace(table, row, period)))
  }
  return { figures, findings }
}

const unreadablePeriod = (found: Period | null, place: ReturnType<typeof cellPlace>): Finding =>
  found === null
    ? error('unreadable-month', place.text === '' ? 'has no month' : `"${place.text}" is not a month`, {
        ...place,
        remedy: serialRemedy(place.text) ?? 'write the month as 2025-01',
      })
    : unclearPeriod(place.text, place)

const DESCRIPTIONS =
  /^((account|metric)[ _])?(no\.?|number|name|code|type|classification|unit)$|^(grand[ _])?total$|^(sum|ytd|notes?|memo|comments?|description)$/i

/** Whether a column describes or summarises the row: by its name, or because no cell of it is a number. Several companies have been asked. */
const isDescription = (table: Table, column: number): boolean =>
  DESCRIPTIONS.test(textAt(table.header, column)) ||
  meaningOfHeader(textAt(table.header, column)) === 'company' ||
  table.rows.every(({ cells }) => !/\d/.test(textAt(cells, column)) || /\p{L}/u.test(textAt(cells, column)))

const unreadableHeader = (header: string, place: Partial<Finding>): Finding =>
  error('unreadable-header', `"${header}" is not a month, and there are figures under it`, {
    ...place,
    remedy:
      serialRemedy(header) ??
      'write the month with its year, such as 2025-01 or Jan 2025; or remove the column',
  })

const unclearPeriod = (text: string, place: Partial<Finding>): Finding =>
  error('unclear-period', `which months "${text}" means is not clear with these fiscal years`, {
    ...place,
    remedy:
      'write FY2025 for the fiscal year that ends in 2025, FY2025-Q1 for its quarter, or single months; where years end in January or February, state in company.yaml whether the company calls them after the year in which they end ("fiscalYearName: end") or begin ("fiscalYearName: start")',
  })
