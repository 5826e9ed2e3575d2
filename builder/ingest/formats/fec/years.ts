/**
 * What the journals of a FEC say, and its fiscal year. The file does not state its first day: company.yaml may, the file's name gives the
 * last day, and the openings and entries show the months.
 */
import { firstDay, lastDay, monthOf } from '../../../contract/calendar.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { FecLine } from './parse.ts'

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

/** Lines that are told once for the file: how many, and the first row. */
export class NotedLines {
  count = 0
  row = Number.POSITIVE_INFINITY

  add(row: number, count = 1): void {
    this.count += count
    this.row = Math.min(this.row, row)
  }
}

/** What the lines of a journal say. */
class JournalLines {
  /** Whether any of its lines says that it carries balances from the year before. */
  isOpening = false
  first = ''
  last = ''
  /** Month → the first row that is dated in it. */
  readonly months = new Map<string, number>()
  /** Lines on accounts that begin each year with nothing. */
  readonly results = new NotedLines()
}

export class Journals extends Map<string, JournalLines> {
  /** Most lines have the journal of the line above, with the same name. */
  #last: { readonly lines: JournalLines; readonly journal: string; readonly name: string } | null = null

  note(line: FecLine): void {
    const { journal, journalName: name, date, account, row } = line
    if (this.#last?.journal !== journal || this.#last.name !== name) {
      this.#last = { journal, name, lines: this.get(journal) ?? new JournalLines() }
      this.set(journal, this.#last.lines)
      this.#last.lines.isOpening ||= isOpeningJournal(line)
    }
    const { lines } = this.#last
    if (date !== lines.last) {
      if (lines.first === '' || date < lines.first) lines.first = date
      if (date > lines.last) lines.last = date
      const month = date.slice(0, 7)
      if (!lines.months.has(month)) lines.months.set(month, row)
    }
    if (/^[67]/.test(account)) lines.results.add(row)
  }

  /** The days of entries and openings. */
  span(openings: ReadonlySet<string>): Span {
    const span = { first: '', last: '', lastOpening: '' }
    const rows = new Map<string, number>()
    for (const [journal, { first, last, months }] of this)
      if (openings.has(journal)) {
        if (last > span.lastOpening) span.lastOpening = last
        for (const [month, row] of months) rows.set(month, Math.min(row, rows.get(month) ?? row))
      } else {
        if (span.first === '' || first < span.first) span.first = first
        if (last > span.last) span.last = last
      }
    return { ...span, openings: new Map([...rows].sort(([, a], [, b]) => a - b)) }
  }

  /** Openings of accounts that begin each year with nothing. */
  results(openings: ReadonlySet<string>): NotedLines {
    const found = new NotedLines()
    for (const [journal, { results }] of this)
      if (openings.has(journal)) found.add(results.row, results.count)
    return found
  }
}

/** An opening journal is named "à nouveaux" or the like; or its code says so (AN, ANO, RAN) and its name does not contradict it. */
function isOpeningJournal({ journal, journalName }: FecLine): boolean {
  const name = journalName.slice(0, 500).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  if (/\ba[\s._'-]*nouv|report.*nouv|bilan d.?ouverture/.test(name)) return true
  return /^(an|ano|anv|ran|anouv|an\d+)$/i.test(journal) && !/achat|vente|analy|banque|caisse/.test(name)
}
