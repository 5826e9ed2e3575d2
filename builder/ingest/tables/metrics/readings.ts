/** The days and months of values in a sheet of metrics. */

import { displayDecimal } from '../../../contract/currency.ts'
import type { MetricSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { MetricRow } from '../../format/intake.ts'
import { NO_CURRENCY, plainNumber, shiftPoint } from '../../text/amount.ts'
import { formulaRemedy, shortened } from '../../text/amount-remedy.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { lastDayOf, parseDate, parseMonth, parsePeriod, serialRemedy } from '../../text/months.ts'
import { remembered } from '../../text/remembered.ts'
import { zerosOf } from '../../text/scale.ts'
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

/** The number with a decimal point, where the text is one; a percentage becomes hundredths, as workbooks store it, unless its unit says percent. */
function decimalOf(
  text: string,
  { decimal = '.', thousands = '', scale = 1 }: MetricSetting,
  isInPercent = false,
): string {
  const percent = PERCENT.exec(text.trim())
  const plain = plainNumber(percent?.[1] ?? text, { decimal, thousands, currency: NO_CURRENCY })
  const places = percent === null ? zerosOf(scale) : isInPercent ? 0 : -2
  return places !== 0 && PLAIN.test(plain) ? shiftPoint(plain, places) : plain
}

const PERCENT = /^(.*\d)\s*%$/

/** Most values, which are published as they are written. */
const USUAL = /^(?:0|-?[1-9]\d{0,8}(?:\.\d{0,5}[1-9])?|-?0\.\d{0,5}[1-9])$/
const PLAIN = /^[+-]?\d+(\.\d*)?$/

/** Reads and shows values as exact integers, to check sums. */
export const inMillionths = (setting: MetricSetting) => ({
  read: (text: string) => millionths(decimalOf(text, setting)),
  show: (value: bigint) => displayDecimal(shiftPoint(String(value), -6)),
})

/** Null for more than 6 decimals, which the finding about the value itself reports. */
function millionths(text: string): bigint | null {
  const moved = PLAIN.test(text) ? shiftPoint(text, 6) : ''
  return /^[+-]?\d+$/.test(moved) ? BigInt(moved.replace('+', '')) : null
}

/** The value as plain decimal text with at most 6 decimals and 15 digits, which stays exact in every client. */
export function readValue(
  table: Table,
  row: TextRow,
  column: number,
  setting: MetricSetting,
  findings: Finding[],
  isInPercent: boolean,
): Pick<MetricRow, 'value' | 'scale'> | null {
  const { scale = 1 } = setting
  const text = textAt(row.cells, column)
  if (scale === 1 && setting.decimal !== ',' && USUAL.test(text)) return { value: text }
  const place = cellPlace(table, row, column)
  const match = /^([+-]?)0*(0|[1-9]\d*)(?:\.(\d*))?$/.exec(decimalOf(text, setting, isInPercent))
  if (match === null) {
    findings.push(
      error('unreadable-value', `"${place.text}" is not a number`, {
        ...place,
        remedy:
          formulaRemedy(place.text) ??
          shortened(place.text) ??
          (/^-?\d+(:\d\d){1,2}$/.test(place.text)
            ? 'write a time as a number, such as 1.5 for 1:30, and its unit under "nonFinancial" in company.yaml'
            : null) ??
          'write digits with "." before the decimals, without unit; or leave it empty',
      }),
    )
    return null
  }
  const [, sign = '', whole = '', decimals = ''] = match
  const fraction = decimals.replace(/(?<!0)0+$/, '')
  if (fraction.length > 6 || `${whole}${fraction}`.replace(/^0+/, '').length > 15) {
    findings.push(
      error('too-many-digits', `"${place.text}" has more than 6 decimals, or more than 15 digits`, {
        ...place,
        remedy: 'round it in the spreadsheet: nothing is rounded here',
      }),
    )
    return null
  }
  const isZero = whole === '0' && fraction === ''
  const value = `${sign === '-' && !isZero ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
  return scale === 1 || PERCENT.test(place.text.trim()) ? { value } : { value, scale }
}
