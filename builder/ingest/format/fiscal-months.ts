/** The months of a stated fiscal year, also where it begins or ends inside a month. */
import { dayOf, firstDay, lastDay, monthOf } from '../../contract/calendar.ts'
import type { FiscalYear } from './intake.ts'

/**
 * Monthly figures cannot be divided: a month that two fiscal years share belongs to the one with most of its days,
 * so that a year of 52 or 53 weeks has twelve months. A year that ends within a month shares it with the next; so
 * does the first stated year with the one before, which is not stated.
 */
export function monthsOfFiscalYear(
  year: FiscalYear,
  stated: readonly FiscalYear[],
): { readonly first: number; readonly last: number } {
  const [first, last] = [monthOf(year.start), monthOf(year.end)]
  const isOfWeeks = year.end !== lastDay(last)
  const isShared = (month: number) =>
    isOfWeeks ||
    stated.some(({ start, end }) => start !== year.start && monthOf(start) <= month && monthOf(end) >= month)
  const isOthers = (month: number, from: string, to: string) =>
    isShared(month) && 2 * daysBetween(from, to) < daysBetween(firstDay(month), lastDay(month))
  return {
    first: first < last && isOthers(first, year.start, lastDay(first)) ? first + 1 : first,
    last: first < last && isOthers(last, firstDay(last), year.end) ? last - 1 : last,
  }
}

const daysBetween = (from: string, to: string): number => dayOf(to) - dayOf(from) + 1
