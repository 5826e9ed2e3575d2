/**
 * Accounting periods of SAF-T files as months. A file numbers its periods within a year of its own, and does not say when
 * that begins, nor that a period is a month: the dates of its transactions do. Reads no amounts.
 */
import { addDays, firstDay, isCalendarDate, lastDay, monthOf, monthText } from '../../../contract/calendar.ts'
import { fiscalYearAt, type Years } from '../../format/fiscal-years.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { SaftHeader, SaftPeriod } from './parse.ts'

/** More distances than any real file has; others are not kept. */
const MOST_DISTANCES = 1000
const LAST_PERIOD = 16

/** Period 1 of the year that a file names, in months since year 0, less the January of that year: 0, or 6 for July. */
export type Offset = number

/** Counts how far the dates lie from the periods: where most agree, that is what a period means. */
export class PeriodVotes {
  /** Distance in months between the date and the period of a transaction → how many have it. */
  readonly #votes = new Map<number, number>()
  #count = 0

  add(period: SaftPeriod, year: string, date: string): void {
    const number = numberOf(period.period)
    const of = yearOf(period.year || year)
    if (number === null || number < 1 || number > 12 || of === null || !isDate(date)) return
    this.#count++
    const distance = monthOf(date) - (of * 12 + number - 1)
    const known = this.#votes.get(distance)
    if (known !== undefined || this.#votes.size < MOST_DISTANCES) this.#votes.set(distance, (known ?? 0) + 1)
  }

  get count(): number {
    return this.#count
  }

  /** The distance that most transactions share, among those that are possible; null where it has no majority. */
  offset(possible: readonly Offset[] | null = null): Offset | null {
    const [best] = [...this.#votes]
      .filter(([distance]) => possible?.includes(distance) ?? Math.abs(distance) < 12)
      .sort(([, a], [, b]) => b - a)
    return best !== undefined && best[1] * 2 > this.#count ? best[0] : null
  }
}

/** A year is named by the calendar year in which it begins, or by that in which it ends. Listed years may begin anywhere. */
export function possibleOffsets({ fiscalMonthEnd, fiscalYears }: Years): readonly Offset[] | null {
  if (fiscalYears !== undefined) return null
  return fiscalMonthEnd === 12 ? [0] : [fiscalMonthEnd, fiscalMonthEnd - 12]
}

const numberOf = (text: string): number | null => (/^\d{1,2}$/.test(text) ? Number(text) : null)
/** The books hold the years 1900 to 2199. */
const yearOf = (text: string): number | null => (/^(19|2[01])\d\d$/.test(text) ? Number(text) : null)
export const isDate = (text: string): boolean =>
  /^(19|2[01])\d\d-\d\d-\d\d$/.test(text) && isCalendarDate(text)

/**
 * The posting period of a transaction in the books' form: `2025-03`, or `2025-13` for the first closing period of the fiscal
 * year that ends in 2025. Empty where the date alone counts: it is in the same month, or the periods are not months.
 */
export function postingPeriod(
  { period, year }: SaftPeriod,
  fiscalYear: string,
  date: string,
  offset: Offset | null,
  years: Years,
): string {
  const number = numberOf(period)
  const of = yearOf(year || fiscalYear)
  if (number === null || number < 1 || number > LAST_PERIOD) return ''
  const first = of === null || offset === null ? null : of * 12 + offset
  if (number > 12) {
    const day = first === null ? date : firstDay(first)
    return isDate(day) ? `${fiscalYearAt(day, years).end.slice(0, 4)}-${number}` : ''
  }
  if (first === null) return ''
  const month = monthText(first + number - 1)
  return date.startsWith(`${month}-`) ? '' : month
}

/** What a file covers by its header; null where the header has no days or months that can be read. */
export function selectionOf(header: SaftHeader, offset: Offset | null): FiscalYear | null {
  if (isDate(header.startDate) && isDate(header.endDate))
    return header.startDate <= header.endDate ? { start: header.startDate, end: header.endDate } : null
  const month = ({ period, year }: SaftPeriod): number | null => {
    const number = numberOf(period)
    const of = yearOf(year)
    if (number === null || of === null || offset === null) return null
    // Closing periods lie inside the last month.
    return of * 12 + offset + Math.min(Math.max(number, 1), 12) - 1
  }
  const start = month(header.start)
  const end = month(header.end)
  return start === null || end === null || start > end ? null : { start: firstDay(start), end: lastDay(end) }
}

/** The first month of the fiscal years, 1 to 12, by the periods of the file, else by its selection; null where neither shows it. */
export function firstMonthOf(header: SaftHeader, votes: PeriodVotes): number | null {
  const offset = votes.offset()
  if (offset !== null) return (((offset % 12) + 12) % 12) + 1
  const { startDate, endDate } = header
  const isYear =
    isDate(startDate) && isDate(endDate) && monthOf(addDays(endDate, 1)) - monthOf(startDate) === 12
  return isYear ? Number(startDate.slice(5, 7)) : null
}
