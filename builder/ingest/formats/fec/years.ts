/**
 * The fiscal year of a FEC. The file does not state its first day: company.yaml may, the file's name gives the last day, and
 * the openings and entries show the months.
 */
import { firstDay, lastDay, monthOf } from '../../../contract/calendar.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { FiscalYear } from '../../format/intake.ts'

/** The days on which the entries and openings of a file are dated. */
export interface Span {
  /** The first and the last day of the entries that are not openings; empty without one. */
  readonly first: string
  readonly last: string
  /** Month of an opening → the first row that is dated in it, in the order of rows. */
  readonly openings: ReadonlyMap<string, number>
  readonly lastOpening: string
}

/** In months: by French law a first fiscal year may be longer than twelve months, but not as long as this. */
const LONGEST_YEAR = 24

/**
 * The fiscal year of a file: as company.yaml states it; to the day that the file's name says, where the entries lie
 * within; else as many months as the entries need, twelve at least.
 */
export function yearOf(
  span: Span,
  named: string | null,
  stated: readonly FiscalYear[] | undefined,
): FiscalYear & { readonly warning: string | null } {
  const from = span.first || span.lastOpening
  const to = span.last || span.lastOpening
  const own = stated?.find(({ start, end }) => start <= from && from <= end)
  if (own !== undefined) return { ...own, warning: null }
  const opened = openedMonth(span)
  const first = opened ?? monthOf(from)
  const fits = named !== null && isMonthEnd(named) && named >= to && monthOf(named) - first < LONGEST_YEAR
  // Without openings the first entry may lie some months into a year of twelve.
  if (fits) {
    const start = opened === null ? Math.min(first, monthOf(named) - 11) : first
    return { start: firstDay(start), end: named, warning: null }
  }
  const year = { start: firstDay(first), end: lastDay(Math.max(monthOf(to), first + 11)) }
  const why =
    named === null
      ? 'the name of the file is not of the form SIREN, FEC, last day of the year (123456789FEC20221231)'
      : `the name of the file says that the year ends on ${named}, which does not fit entries from ${from} to ${to}`
  return { ...year, warning: `${why}: the fiscal year is taken to be ${year.start} to ${year.end}` }
}

/**
 * The month that the openings begin; null where they do not show it. Detailed openings ("à nouveaux détaillés") carry each open
 * invoice on the invoice's own date, and every other balance on the first day of the year.
 */
function openedMonth({ first, openings, lastOpening }: Span): number | null {
  const months = [...openings.keys()].sort().filter((month) => first === '' || month <= first.slice(0, 7))
  const latest = months.at(-1)
  if (latest === undefined) return null
  return months.length === 1 || lastOpening.endsWith('-01') ? monthOf(`${latest}-01`) : null
}

const isMonthEnd = (date: string): boolean => date === lastDay(monthOf(date))

/**
 * The year that a balance brought forward opens: the stated one that it is dated in, else that of the file. One that is dated before the file's year
 * is an open invoice of that year's opening. The books have the same rule (`byYear` of books/read/ledger.ts).
 */
const openedYear = (year: FiscalYear, stated: readonly FiscalYear[] | undefined, date: string): FiscalYear =>
  date < year.start ? year : (stated?.find(({ start, end }) => start <= date && date <= end) ?? year)

/**
 * Balances brought forward are dated in the first month of their year, or before it. Those dated later would count a second
 * time, on top of the entries of the year.
 */
export function lateOpenings(
  span: Span,
  file: string,
  year: FiscalYear,
  stated: readonly FiscalYear[] | undefined,
): Finding[] {
  const late = [...span.openings].filter(
    ([month]) => month > openedYear(year, stated, `${month}-01`).start.slice(0, 7),
  )
  const [first] = late
  if (first === undefined) return []
  const [month, row] = first
  return [
    error(
      'opening-inside-year',
      `the journal of balances brought forward has entries in ${late.map(([each]) => each).join(', ')}, inside the fiscal year ${year.start} to ${year.end}`,
      {
        file,
        row,
        column: 'JournalCode',
        text: month,
        remedy:
          'where the file holds several years, state them under "fiscalYears" in company.yaml; where these are entries of the year, name the true opening journals under opening.journals',
      },
    ),
  ]
}
