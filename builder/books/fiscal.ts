/** Fiscal years: stated ones first, the rest in twelve-month steps (accounting.md §4). */
import { addDays, firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import type { FiscalYear } from '../ingest/intake.ts'
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
    .map((year) => year.end)
    .filter((end) => Number(end.slice(0, 4)) === calendarYear)
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

/** The month in which the fiscal year of a month begins, also beyond the years of the books, as budgets reach. */
export function budgetYearStart(
  {
    fiscalYears,
    fiscalMonthEnd,
  }: { readonly fiscalYears: readonly FiscalYear[]; readonly fiscalMonthEnd: number },
  month: number,
): number {
  const known = fiscalYearOf(fiscalYears, lastDay(month))
  return known === undefined ? month - ((month - fiscalMonthEnd + 12) % 12) : monthOf(known.start)
}

/** Only the first fiscal year may start inside a month; years may not overlap. */
export function fiscalYearFindings(years: readonly FiscalYear[], file: string): Finding[] {
  const sorted = [...years].sort((a, b) => (a.start < b.start ? -1 : 1))
  return sorted.flatMap((year, i) => {
    const found: Finding[] = []
    const place = { file, column: 'fiscalYears', text: `${year.start} to ${year.end}` }
    const previous = sorted[i - 1]
    if (previous && previous.end >= year.start)
      found.push(
        error(
          'fiscal-years-overlap',
          `the fiscal year ${year.start} to ${year.end} begins before the previous one has ended (${previous.end})`,
          {
            ...place,
            remedy: 'correct the dates so that each year begins on the day after the previous one ends',
          },
        ),
      )
    if (i > 0 && year.start !== firstDay(monthOf(year.start)))
      found.push(
        error(
          'fiscal-year-inside-month',
          `the fiscal year that starts on ${year.start} begins inside a month`,
          {
            ...place,
            remedy:
              'only the first fiscal year may start inside a month: months are never split between years',
          },
        ),
      )
    if (year.end !== lastDay(monthOf(year.end)))
      found.push(
        error(
          'fiscal-year-inside-month',
          `the fiscal year that starts on ${year.start} ends inside a month, on ${year.end}`,
          {
            ...place,
            remedy: 'let it end on the last day of a month',
          },
        ),
      )
    return found
  })
}
