/** Fiscal years: stated ones first, the rest in twelve-month steps (accounting.md §4). */
import { addDays, firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import type { DateRange } from '../contract/document.ts'
import type { FiscalYear } from '../ingest/format/intake.ts'
import { monthsOfFiscalYear } from '../ingest/tables/periods.ts'
import { error, type Finding } from '../workspace/finding.ts'

/** First day of the first `fiscalMonthEnd` month end on or after `date`, as the last day of that year. */
function yearEndFrom(date: string, fiscalMonthEnd: number): string {
  const month = monthOf(date)
  return lastDay(month + ((fiscalMonthEnd - 1 - (month % 12) + 12) % 12))
}

/** Last day of the fiscal year that ends in a calendar year: as stated, else with `fiscalMonthEnd`. */
export const yearEndIn = (
  calendarYear: number,
  stated: readonly FiscalYear[],
  fiscalMonthEnd: number,
): string =>
  stated
    .filter((year) => Math.floor(monthsOfFiscalYear(year, stated).last / 12) === calendarYear)
    .map((year) => year.end)
    .sort()
    .at(-1) ?? lastDay(calendarYear * 12 + fiscalMonthEnd - 1)

/**
 * All fiscal years from the one that holds `from` to the one that holds `to`. Stated years win; a year that is not
 * stated ends with `fiscalMonthEnd`, or on the day before the next stated one.
 */
export function fiscalYearsBetween(
  from: string,
  to: string,
  stated: readonly FiscalYear[],
  fiscalMonthEnd: number,
): FiscalYear[] {
  const known = [...stated].sort((a, b) => (a.start < b.start ? -1 : 1))
  const years: FiscalYear[] = []
  // The year end before `from` closes the year that must be the first one.
  const previousEnd = lastDay(monthOf(yearEndFrom(from, fiscalMonthEnd)) - 12)
  const before = known.filter((year) => year.end < from).at(-1)
  let start = addDays(before && before.end > previousEnd ? before.end : previousEnd, 1)
  while (years.length === 0 || years.at(-1)!.end < to) {
    const year = known.find((candidate) => candidate.start <= start && candidate.end >= start)
    const next = known.find((candidate) => candidate.start > start)
    const end = yearEndFrom(start, fiscalMonthEnd)
    const cut = next && next.start <= end ? addDays(next.start, -1) : end
    const found: FiscalYear = year ?? { start, end: cut }
    if (found.end >= from) years.push(found)
    start = addDays(found.end, 1)
  }
  return years
}

export const fiscalYearOf = (years: readonly FiscalYear[], date: string): FiscalYear | undefined =>
  years.find((year) => year.start <= date && date <= year.end)

/** First days of the years that begin inside a month, after those of earlier years: they cut the results of that month in two. */
export const cuttingStarts = (years: readonly FiscalYear[]): string[] =>
  years.slice(1).flatMap(({ start }) => (isFirstOfMonth(start) ? [] : [start]))

/** The last day after the first one of a stretch of days on which a fiscal year begins: results before it are of years before. */
export const startInside = (
  years: readonly FiscalYear[],
  { startDate, endDate }: DateRange,
): string | undefined =>
  years
    .slice(1)
    .map(({ start }) => start)
    .filter((start) => start > startDate && start <= endDate)
    .at(-1)

/** The month in which the fiscal year of a month begins, also beyond the years of the books, as budgets reach. */
export function budgetYearStart(
  {
    fiscalYears,
    fiscalMonthEnd,
  }: { readonly fiscalYears: readonly FiscalYear[]; readonly fiscalMonthEnd: number },
  month: number,
): number {
  const known = fiscalYears
    .map((year) => monthsOfFiscalYear(year, fiscalYears))
    .find(({ first, last }) => first <= month && month <= last)
  return known?.first ?? month - ((month - fiscalMonthEnd + 12) % 12)
}

const isFirstOfMonth = (date: string): boolean => date === firstDay(monthOf(date))
const isLastOfMonth = (date: string): boolean => date === lastDay(monthOf(date))

/** The month that a year ends with; one that ends inside a month says less than company.yaml does. */
export const fiscalMonthEndOf = ({ end }: FiscalYear, stated: number): number =>
  isLastOfMonth(end) ? Number(end.slice(5, 7)) : stated

const place = ({ start, end }: FiscalYear, file: string) => ({
  file,
  column: 'fiscalYears',
  text: `${start} to ${end}`,
})

/** Years may not overlap. */
export function fiscalYearFindings(stated: readonly FiscalYear[], file: string): Finding[] {
  const sorted = [...stated].sort((a, b) => (a.start < b.start ? -1 : 1))
  return sorted.flatMap((year, i) => {
    const previous = sorted[i - 1]
    if (!previous || previous.end < year.start) return []
    return [
      error(
        'fiscal-years-overlap',
        `the fiscal year ${year.start} to ${year.end} begins before the previous one has ended (${previous.end})`,
        {
          ...place(year, file),
          remedy: 'correct the dates so that each year begins on the day after the previous one ends',
        },
      ),
    ]
  })
}

/**
 * A year may begin and end on any day; then the year beside it does too, which nobody but the company can date to its other
 * end. `covered`: first posting to the end of the last month.
 */
export function unlistedYearFindings(
  stated: readonly FiscalYear[],
  covered: DateRange,
  file: string,
): Finding[] {
  const sorted = [...stated].sort((a, b) => (a.start < b.start ? -1 : 1))
  return sorted.flatMap((year, i) => {
    const after = addDays(year.end, 1)
    const previous = sorted[i - 1]
    const found: Finding[] = []
    const isFirstKnown = previous === undefined || isLastOfMonth(previous.end)
    if (isFirstKnown && !isFirstOfMonth(year.start) && covered.startDate < year.start)
      found.push(
        error(
          'fiscal-year-inside-month',
          `the fiscal year that starts on ${year.start} begins inside a month; the books hold postings from ${covered.startDate} on, and the year before it is not listed`,
          { ...place(year, file), remedy: `list the fiscal year that ends on ${addDays(year.start, -1)}` },
        ),
      )
    if (!isLastOfMonth(year.end) && covered.endDate > year.end && sorted[i + 1]?.start !== after)
      found.push(
        error(
          'fiscal-year-inside-month',
          `the fiscal year that starts on ${year.start} ends inside a month, on ${year.end}; the books reach to ${covered.endDate}, and the year after it is not listed`,
          { ...place(year, file), remedy: `list the fiscal year that starts on ${after}` },
        ),
      )
    return found
  })
}
