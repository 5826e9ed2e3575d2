/** Determines the fiscal years: stated ones first, the rest in steps of twelve months (accounting.md §4). */
import { addDays, firstDay, lastDay, monthOf, monthText } from '../../contract/calendar.ts'
import type { DateRange, Period } from '../../contract/document.ts'
import { monthsOfFiscalYear } from '../../ingest/format/fiscal-years.ts'
import type { FiscalYear } from '../../ingest/format/intake.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'

/** The last day of the fiscal year that holds `date`: the first end of the month `fiscalMonthEnd` (1 to 12) on or after it. */
function yearEndFrom(date: string, fiscalMonthEnd: number): string {
  const month = monthOf(date)
  return lastDay(month + ((fiscalMonthEnd - 1 - (month % 12) + 12) % 12))
}

/** The last day of the fiscal year that ends in a calendar year, as stated or else by `fiscalMonthEnd`. */
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
  // The first fiscal year starts on the day after the last year end before `from`.
  const previousEnd = lastDay(monthOf(yearEndFrom(from, fiscalMonthEnd)) - 12)
  const before = known.filter((year) => year.end < from).at(-1)
  let start = addDays(before && before.end > previousEnd ? before.end : previousEnd, 1)
  for (let last: FiscalYear | undefined; last === undefined || last.end < to; last = years.at(-1)) {
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

/** The fiscal year that holds a day (`YYYY-MM-DD`). */
export const fiscalYearOf = (years: readonly FiscalYear[], date: string): FiscalYear | undefined =>
  years.find((year) => year.start <= date && date <= year.end)

/**
 * First days of the fiscal years, without the first one, that begin inside a month. Each of them divides the results of that month
 * between two years.
 */
export const cuttingStarts = (years: readonly FiscalYear[]): string[] =>
  years.slice(1).flatMap(({ start }) => (isFirstOfMonth(start) ? [] : [start]))

/** The books in stretches of days, each inside one fiscal year; `places` are those of them that are a part of a month. */
export interface YearStretches {
  readonly stretches: readonly Period[]
  readonly places: readonly number[]
}

/** Divides the coverage where fiscal years begin, and around each month that one of them divides. */
export function yearStretches({
  fiscalYears,
  coverage,
}: {
  readonly fiscalYears: readonly FiscalYear[]
  readonly coverage: DateRange
}): YearStretches {
  const months = new Set(cuttingStarts(fiscalYears).map(monthOf))
  const around = [...months].flatMap((month) => [firstDay(month), firstDay(month + 1)])
  const starts = [...fiscalYears.slice(1).map(({ start }) => start), ...around]
  const inside = starts.filter((day) => day > coverage.startDate && day <= coverage.endDate)
  const days = [coverage.startDate, ...[...new Set(inside)].sort()]
  const stretches = days.map((startDate, i) => {
    const next = days[i + 1]
    const endDate = next === undefined ? coverage.endDate : addDays(next, -1)
    return { month: monthText(monthOf(startDate)), startDate, endDate }
  })
  return {
    stretches,
    places: stretches.flatMap(({ startDate }, i) => (months.has(monthOf(startDate)) ? [i] : [])),
  }
}

/**
 * The latest start of a fiscal year inside a range, after the range's first day. Results before it belong to earlier years. The
 * start of the first fiscal year does not count.
 */
export const startInside = (
  years: readonly FiscalYear[],
  { startDate, endDate }: DateRange,
): string | undefined =>
  years
    .slice(1)
    .map(({ start }) => start)
    .filter((start) => start > startDate && start <= endDate)
    .at(-1)

/** The months of the fiscal year that holds a day, counted from year 0, as budgets divide them. */
export function monthsOfYear(
  years: readonly FiscalYear[],
  date: string,
): { readonly first: number; readonly last: number } | undefined {
  const year = fiscalYearOf(years, date)
  return year && monthsOfFiscalYear(year, years)
}

/** What is known of the fiscal years of whole months, in which budgets are stated. */
export interface MonthlyYears {
  readonly fiscalYears: readonly FiscalYear[]
  readonly fiscalMonthEnd: number
  /** The first months of the fiscal years (`YYYY-MM`), where the other two do not say them; budgets may reach beyond the years of the books. */
  readonly budgetYears?: readonly string[]
}

/** The first month of the fiscal year that holds a month, both counted from year 0. */
export function budgetYearStart(
  { fiscalYears, fiscalMonthEnd, budgetYears = [] }: MonthlyYears,
  month: number,
): number {
  const listed = budgetYears.findLast((start) => monthOf(start) <= month)
  if (listed !== undefined) return monthOf(listed)
  const known = fiscalYears
    .map((year) => monthsOfFiscalYear(year, fiscalYears))
    .find(({ first, last }) => first <= month && month <= last)
  return known?.first ?? month - ((month - fiscalMonthEnd + 12) % 12)
}

/**
 * The first months of the fiscal years of books and budgets, each month in one year, where {@link budgetYearStart} would find others
 * without them: listed years count also beyond the postings, and of a month that two years share by halves the earlier one has all.
 */
export function budgetYearsOf(
  known: MonthlyYears,
  budgets: readonly { readonly startMonth: string | null; readonly endMonth: string | null }[],
  stated: readonly FiscalYear[],
  fiscalMonthEnd: number,
): Pick<MonthlyYears, 'budgetYears'> {
  const months = budgets
    .flatMap(({ startMonth, endMonth }) => [startMonth, endMonth])
    .filter((month) => month !== null)
    .sort()
  const [first, last = first] = [months[0], months.at(-1)]
  const books = known.fiscalYears[0]
  if (first === undefined || last === undefined || books === undefined) return {}
  const from = `${first}-01` < books.start ? `${first}-01` : books.start
  const years = fiscalYearsBetween(from, lastDay(monthOf(last)), stated, fiscalMonthEnd)
  const starts = new Set<number>()
  let next = Number.NEGATIVE_INFINITY
  for (const year of years) {
    const own = monthsOfFiscalYear(year, years)
    starts.add(Math.max(own.first, next))
    next = Math.max(own.last + 1, next)
  }
  const budgetYears = [...starts].map(monthText)
  const isKnown = (month: number) =>
    budgetYearStart(known, month) === budgetYearStart({ ...known, budgetYears }, month)
  for (let month = monthOf(first); month <= monthOf(last); month++)
    if (!isKnown(month)) return { budgetYears }
  return {}
}

const isFirstOfMonth = (date: string): boolean => date === firstDay(monthOf(date))
const isLastOfMonth = (date: string): boolean => date === lastDay(monthOf(date))

/** The calendar month (1 to 12) in which fiscal years end. For a year that ends inside a month, the setting of company.yaml is taken. */
export const fiscalMonthEndOf = ({ end }: FiscalYear, stated: number): number =>
  isLastOfMonth(end) ? Number(end.slice(5, 7)) : stated

const place = ({ start, end }: FiscalYear, file: string) => ({
  file,
  column: 'fiscalYears',
  text: `${start} to ${end}`,
})

/** One error for each stated year that overlaps the year before it. */
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
 * A fiscal year that begins or ends inside a month needs its neighbour stated as well, because only the company knows where
 * the neighbour's other end lies. Reports neighbours that are missing. `covered` reaches from the first posting to the end of the last month.
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
