/**
 * Fiscal years: which month they end in, where no file states it but the days that exports cover suggest it, which the owner has
 * to check; and the months of a stated year, also where it begins or ends inside a month.
 */
import { dayOf, firstDay, lastDay, monthOf, monthText } from '../../contract/calendar.ts'
import { type Classification, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Company } from '../../workspace/company.ts'
import type { Assumed } from '../../workspace/company-edit.ts'
import type { FiscalYear } from './intake.ts'

/** What a company.yaml says about its years. */
export type Years = Pick<Company, 'fiscalMonthEnd' | 'fiscalYears'>

/** The fiscal year of a day: as company.yaml lists it, else twelve months. */
export function fiscalYearAt(date: string, { fiscalMonthEnd, fiscalYears }: Years): FiscalYear {
  const listed = fiscalYears?.find(({ start, end }) => start <= date && date <= end)
  if (listed !== undefined) return listed
  const end = monthOf(date) + ((fiscalMonthEnd - 1 - (monthOf(date) % 12) + 12) % 12)
  return { start: firstDay(end - 11), end: lastDay(end) }
}

/** Assumes that exports hold whole fiscal years: a range of twelve months, or a multiple, ends with one. */
export function wholeYears(ranges: readonly FiscalYear[]): Assumed<number> | null {
  const range = rangeOf(ranges)
  if (range === null) return null
  const [first, last] = [monthOf(range.start), monthOf(range.end)]
  if ((last - first + 1) % 12 !== 0) return null
  return { value: (last % 12) + 1, why: `what was added covers ${monthText(first)} to ${monthText(last)}` }
}

/** A balance that an export brings forward to its first day. */
export interface BroughtForward {
  /** Null where it is unknown. */
  readonly classification: Classification | null
}

/**
 * Income and expenses begin each fiscal year at zero, while other accounts continue. `isStated` says that a title
 * states the first day; otherwise only the first month of a quarter is taken for that of a year, since a month
 * before the first entry may have had none. Where nothing at all is brought forward, the books begin there, and
 * only January is taken.
 */
export function yearBeginning(
  { start, isStated }: { readonly start: string; readonly isStated: boolean },
  brought: readonly BroughtForward[],
): Assumed<number> | null {
  const month = monthOf(start)
  if (firstDay(month) !== start) return null
  if (brought.some(({ classification }) => classification === null || isProfitAndLoss(classification)))
    return null
  const isUsual = isStated || month % 3 === 0
  if (brought.length === 0 ? month % 12 !== 0 : !isUsual) return null
  const before = lastDay(month - 1)
  return {
    value: Number(before.slice(5, 7)),
    why: `no income or expense is brought forward into ${monthText(month)}`,
  }
}

export const rangeOf = (ranges: readonly FiscalYear[]): FiscalYear | null =>
  ranges.length === 0
    ? null
    : {
        start: ranges.map(({ start }) => start).reduce((a, b) => (a < b ? a : b)),
        end: ranges.map(({ end }) => end).reduce((a, b) => (a > b ? a : b)),
      }

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
    2 * daysBetween(from, to) < daysBetween(firstDay(month), lastDay(month)) && isShared(month)
  return {
    first: first < last && isOthers(first, year.start, lastDay(first)) ? first + 1 : first,
    last: first < last && isOthers(last, firstDay(last), year.end) ? last - 1 : last,
  }
}

const daysBetween = (from: string, to: string): number => dayOf(to) - dayOf(from) + 1
