/**
 * Converts dates between text and numbers. A date is a day of the Gregorian calendar, without a time zone.
 */

import type { DateRange, Period } from './document.ts'
import { present } from './present.ts'

const DAY_MS = 86_400_000

/** Days from 1970-01-01 to a `YYYY-MM-DD` date. */
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS
/** The `YYYY-MM-DD` date of a number of days since 1970-01-01. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
/** The date some days later, or earlier where `days` is negative. */
export const addDays = (date: string, days: number): string => dateOf(dayOf(date) + days)

/** The later of two days (YYYY-MM-DD); null stands for no day. */
export const later = (a: string | null, b: string | null): string | null =>
  a !== null && (b === null || a > b) ? a : b

/** The month of a date as one integer: months since the year 0. */
export const monthOf = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
/** The `YYYY-MM` text of a month number. */
export const monthText = (month: number): string =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`
/** The first day (YYYY-MM-DD) of a month number. */
export const firstDay = (month: number): string => `${monthText(month)}-01`
/**
 * Computed in a year between 2000 and 2399, since the calendar repeats every 400 years and JavaScript cannot
 * write the day after 9999-12-31 with a four-digit year.
 */
export const lastDay = (month: number): string => {
  const days = new Date(Date.UTC(2000 + (Math.floor(month / 12) % 400), (month % 12) + 1, 0)).getUTCDate()
  return `${monthText(month)}-${days}`
}

const CALENDAR_DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** Whether a text is a date of the calendar, `YYYY-MM-DD`. Days up to 28 need no look at the month. */
export const isCalendarDate = (text: string): boolean =>
  CALENDAR_DATE.test(text) && (text.slice(8) <= '28' || text <= lastDay(monthOf(text)))

/**
 * The months of an inclusive range; the first and last are cut to it. Empty where the range ends before it
 * starts.
 */
export function periodsOf(range: DateRange): Period[] {
  const periods: Period[] = []
  if (range.endDate < range.startDate) return periods
  for (let month = monthOf(range.startDate); month <= monthOf(range.endDate); month++) {
    const first = firstDay(month)
    const last = lastDay(month)
    periods.push({
      month: monthText(month),
      startDate: first < range.startDate ? range.startDate : first,
      endDate: last > range.endDate ? range.endDate : last,
    })
  }
  return periods
}

/** The period at an index, which must be inside the list. */
export const periodAt = (periods: readonly Period[], at: number): Period =>
  present(periods[at], 'such period')

/** The part of `range` inside `coverage`; null where they do not overlap. */
export function cutTo(range: DateRange, coverage: DateRange): DateRange | null {
  const startDate = range.startDate > coverage.startDate ? range.startDate : coverage.startDate
  const endDate = range.endDate < coverage.endDate ? range.endDate : coverage.endDate
  return startDate <= endDate ? { startDate, endDate } : null
}

export const isMonthAligned = (range: DateRange): boolean =>
  range.startDate === firstDay(monthOf(range.startDate)) && range.endDate === lastDay(monthOf(range.endDate))
