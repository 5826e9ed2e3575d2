/** The days and months of values in a sheet of metrics. */
import { error, type Finding } from '../../../workspace/finding.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { lastDayOf, parseDate, parseMonth, parsePeriod } from '../../text/months.ts'
import { remembered } from '../../text/remembered.ts'
import { serialRemedy } from '../../text/serials.ts'
import { wideFigures } from '../periods.ts'
import { cellPlace, isMerged, mergedFigure, type Table } from '../table.ts'

/** A day, or the last day of a whole month. */
export interface Day {
  readonly date: string
  readonly wholeMonth: boolean
}

/** A cell with a value, and what it is of. */
export interface Reading extends Day {
  readonly row: TextRow
  readonly column: number
}

export function longReadings(
  table: Table,
  when: number,
  value: number,
  isMonth: boolean,
  dateFormat: string | undefined,
  findings: Finding[],
): Reading[] {
  const dayOf = remembered((text) => readDay(text, isMonth, dateFormat))
  const readings: Reading[] = []
  for (const row of table.rows) {
    if (row.cells[value] === '') continue
    if (isMerged(row, value)) {
      findings.push(...[mergedFigure(table, row, value) ?? []].flat())
      continue
    }
    const day = dayOf(textAt(row.cells, when))
    if (day === null) findings.push(unreadableDate(cellPlace(table, row, when)))
    else readings.push({ row, column: value, date: day.date, wholeMonth: day.wholeMonth })
  }
  return readings
}

function readDay(text: string, isMonth: boolean, dateFormat: string | undefined): Day | null {
  const day = parseDate(text, dateFormat) ?? parseDate(text)
  const month = parseMonth(text) ?? (isMonth && day !== null ? day.slice(0, 7) : null)
  if (month !== null) return { date: lastDayOf(month), wholeMonth: true }
  return day === null ? null : { date: day, wholeMonth: false }
}

const unreadableDate = (place: ReturnType<typeof cellPlace>): Finding =>
  error('unreadable-date', place.text === '' ? 'has no date' : `"${place.text}" is not a date`, {
    ...place,
    remedy:
      serialRemedy(place.text) ??
      'write a day as 2025-01-31 or a month as 2025-01; state other forms by "dateFormat"',
  })

/** Quarters and years are refused, because how a value is spread over months depends on what it measures. */
export function wideReadings(
  table: Table,
  columns: readonly number[],
  dateFormat: string | undefined,
  findings: Finding[],
): Reading[] {
  const long = columns.filter((column) => {
    const period = parsePeriod(textAt(table.header, column), dateFormat)
    return period !== null && period.kind !== 'month'
  })
  for (const column of long)
    findings.push(
      error('metric-needs-months', `"${table.header[column]}" is longer than a month`, {
        file: table.file,
        row: table.headerRow,
        column: textAt(table.header, column),
        remedy: 'give the metric by month',
      }),
    )
  const months = columns.filter((column) => !long.includes(column))
  const wide = wideFigures(table, months, { fiscalMonthEnd: 12, fiscalYears: [] }, dateFormat)
  findings.push(...wide.findings)
  return wide.figures.flatMap(({ row, column, months }) =>
    months.map((month) => ({ row, column, date: lastDayOf(month), wholeMonth: true })),
  )
}

export const WEEK = /^(week|vecka|uge|uke|woche|kw|semaine|semana|settimana)\b/i

/** Weeks are not divided between months: a value of a week counts in the month of the day that the company names. */
export const ofWeeks = ({ file, header, headerRow }: Table, column: number): Finding =>
  error('metric-needs-months', `"${header[column]}" names weeks, and a week may lie in two months`, {
    ...{ file, row: headerRow, column: textAt(header, column) },
    remedy: `export the metric by day or by month; or let each week count in the month of the day that stands there: columns: { date: "${header[column]}" }`,
  })
