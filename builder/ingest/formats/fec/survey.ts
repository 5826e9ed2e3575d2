/** What a FEC says as a whole, in one pass that keeps no line: accounts, journals, dates, entries, and what is wrong. */
import { basename } from 'node:path'
import { firstDay, isCalendarDate, lastDay, monthOf } from '../../../contract/calendar.ts'
import { displayMinor } from '../../../contract/currency.ts'
import { CappedFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { notChecked, several } from '../../../workspace/not-checked.ts'
import type { Unbalanced } from '../../format/entries.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { Numbering } from '../../format/numbering.ts'
import { linesOf } from '../../text/lines.ts'
import { FecEntries } from './entries.ts'
import { type FecLayout, type FecLine, isUnread, parseLine, type UnreadLine } from './parse.ts'
import { RepeatedEntries } from './repeats.ts'

export interface FecAccount {
  readonly name: string
  /** Where it is used first. */
  readonly row: number
}

export interface FecSurvey {
  /** Path relative to the company's folder. */
  readonly file: string
  /** Of the file's name, which by rule is SIREN, FEC and the year's last day; null where it is another one. */
  readonly siren: string | null
  readonly rows: number
  readonly accounts: ReadonlyMap<string, FecAccount>
  /** Codes of the journals that carry the balances of the year before. */
  readonly openingJournals: readonly string[]
  /** Null where the file holds no line that can be read. */
  readonly year: FiscalYear | null
  /** Why the year is only assumed; null where the file or company.yaml says it. */
  readonly yearDoubt: string | null
  readonly entries: FecEntries
  /** Lines that were left out; each has its findings. */
  readonly unread: readonly UnreadRow[]
  readonly findings: readonly Finding[]
}

/** The days that a file speaks of. */
interface Span {
  /** Of entries of the year, empty without one. */
  first: string
  last: string
  /** Month of an opening → its first row. */
  readonly openings: Map<string, number>
  lastOpening: string
}

export interface SurveyOptions {
  readonly file: string
  readonly layout: FecLayout
  readonly parts: AsyncIterable<string>
  readonly head: string
  /** company.yaml: which journals are openings; undefined: as the journals say of themselves. */
  readonly openingJournals: readonly string[] | undefined
  readonly statedYears: readonly FiscalYear[] | undefined
}

export async function surveyFec(options: SurveyOptions): Promise<FecSurvey> {
  const { file, layout } = options
  const faults = new CappedFindings()
  const accounts = new Map<string, FecAccount>()
  const openings = new Set<string>(options.openingJournals)
  const entries = new FecEntries()
  const repeats = new RepeatedEntries()
  const numbering = new Numbering()
  const span: Span = { first: '', last: '', openings: new Map(), lastOpening: '' }
  const mended = { count: 0, row: 0 }
  const results = { count: 0, row: 0 }
  const unread: (UnreadLine & { readonly row: number })[] = []
  let rows = 0
  let row = 0
  for await (const lines of linesOf(options.parts, options.head))
    for (const text of lines) {
      row++
      if (row === 1) continue
      const line = parseLine(text, row, layout, file)
      if (line === null) continue
      if (isUnread(line)) {
        for (const found of line.findings) faults.add(found)
        entries.doubt(line.entry)
        if (line.entry !== null) numbering.add(line.entry.journal, line.entry.number, row)
        if (unread.length <= LISTED) unread.push({ row, ...line })
        continue
      }
      const read = line
      rows++
      repeats.add(read)
      numbering.add(read.journal, read.number, read.row)
      const known = accounts.get(read.account)
      if (known === undefined || (read.accountName !== '' && known.name !== read.accountName))
        accounts.set(read.account, {
          name: read.accountName || (known?.name ?? ''),
          row: known?.row ?? read.row,
        })
      if (read.mended && mended.count++ === 0) mended.row = read.row
      const isOpening =
        openings.has(read.journal) || (options.openingJournals === undefined && isOpeningJournal(read))
      if (!isOpening) {
        if (span.first === '' || read.date < span.first) span.first = read.date
        if (read.date > span.last) span.last = read.date
        entries.add(read)
        continue
      }
      openings.add(read.journal)
      if (read.date > span.lastOpening) span.lastOpening = read.date
      const month = read.date.slice(0, 7)
      if (!span.openings.has(month)) span.openings.set(month, read.row)
      if (/^[67]/.test(read.account) && results.count++ === 0) results.row = read.row
    }

  const findings = faults.list()
  const nameless = unread.filter(({ entry }) => !entry?.number).map((line) => ({ file, row: line.row }))
  const { left, open } = entries.settle()
  findings.push(...unbalanced(left, file, layout.decimals))
  if (open.length > 0) {
    const names = several(open, 'entry', 'entries')
    findings.push(notChecked(`whether ${names} ${open.length === 1 ? 'balances' : 'balance'}`, nameless))
  }
  if (rows === 0 && findings.length === 0)
    findings.push(
      error('no-transactions', 'the file holds a header and no lines', {
        file,
        remedy: 'export the FEC of a year that has entries',
      }),
    )
  findings.push(...repeats.findings(file, entries.isUnique))
  findings.push(...numbering.findings(file, nameless))
  if (mended.count > 0)
    findings.push(
      warning(
        'separator-in-label',
        `${mended.count} ${mended.count === 1 ? 'line holds' : 'lines hold'} the separator "${layout.delimiter}" inside a label; dates and amounts tell which cells belong together`,
        { file, row: mended.row, remedy: 'nothing to do; an export with tabs would not have it' },
      ),
    )
  if (results.count > 0)
    findings.push(
      warning(
        'result-in-opening',
        `${results.count} ${results.count === 1 ? 'line' : 'lines'} of the opening journal stand on accounts of classes 6 and 7, which carry no balance from one year to the next; they count as results of earlier years`,
        {
          file,
          row: results.row,
          remedy:
            'where these are entries of the year, list the true openings under opening.transactions in company.yaml, with opening.journals: []',
        },
      ),
    )
  const name = nameOf(file)
  const year = rows === 0 ? null : yearOf(span, name?.end ?? null, options.statedYears)
  if (year !== null && year.warning !== null)
    findings.push(
      warning('fiscal-year-assumed', year.warning, {
        file,
        column: 'EcritureDate',
        text: name?.end ?? null,
        remedy: 'check it; where it is another, state it under "fiscalYears" in company.yaml',
      }),
    )
  if (year !== null) findings.push(...lateOpenings(span, file, year, options.statedYears))
  return {
    file,
    siren: name?.siren ?? null,
    rows,
    accounts,
    openingJournals: [...openings],
    year: year === null ? null : { start: year.start, end: year.end },
    yearDoubt: year?.warning ?? null,
    entries,
    unread: unread.map(({ row: at, entry, account }) => ({
      file,
      row: at,
      of: !entry?.journal ? 'either' : openings.has(entry.journal) ? 'opening' : 'entry',
      account,
    })),
    findings,
  }
}

function unbalanced(left: readonly Unbalanced[], file: string, decimals: number): Finding[] {
  const findings = left.slice(0, LISTED).map(({ name, row, minor }) =>
    error(
      'unbalanced-transaction',
      `entry ${name} does not balance: debits minus credits are ${displayMinor(minor, decimals)}`,
      {
        file,
        row,
        column: 'EcritureNum',
        text: name,
        remedy:
          'correct the entry in the accounting program, or export the file again: a line may be missing',
      },
    ),
  )
  if (left.length > LISTED)
    findings.push(
      error('unbalanced-transaction', `and ${left.length - LISTED} more of the same kind`, { file }),
    )
  return findings
}

/** "À nouveaux" by the journal's name; by its code where the name is none, or says nothing else (AN, ANO, RAN). */
export function isOpeningJournal({ journal, journalName }: FecLine): boolean {
  const name = journalName.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  if (/\ba[\s._'-]*nouv|report.*nouv|bilan d.?ouverture/.test(name)) return true
  return /^(an|ano|anv|ran|anouv|an\d+)$/i.test(journal) && !/achat|vente|analy|banque|caisse/.test(name)
}

/** `123456789FEC20221231.txt` → whose books, and the last day of their year. */
function nameOf(file: string): { readonly siren: string; readonly end: string | null } | null {
  const match = /^(\d{9})FEC(\d{4})(\d{2})(\d{2})/i.exec(basename(file))
  if (match === null) return null
  const end = `${match[2]}-${match[3]}-${match[4]}`
  return { siren: match[1]!, end: isCalendarDate(end) ? end : null }
}

/** The longest first fiscal year that French law knows is of less than 24 months. */
const LONGEST_YEAR = 24

/**
 * The fiscal year of a file: as company.yaml states it; to the day that the file's name says, where the entries lie
 * within; else as many months as the entries need, twelve at least.
 */
function yearOf(
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
 * The month that the openings begin; null where they do not say. Detailed openings ("à nouveaux détaillés") carry each
 * open invoice with its own date, and what is no invoice on the year's first day.
 */
function openedMonth({ first, openings, lastOpening }: Span): number | null {
  const months = [...openings.keys()].sort().filter((month) => first === '' || month <= first.slice(0, 7))
  const latest = months.at(-1)
  if (latest === undefined) return null
  return months.length === 1 || lastOpening.endsWith('-01') ? monthOf(`${latest}-01`) : null
}

const isMonthEnd = (date: string): boolean => date === lastDay(monthOf(date))

/** The fiscal year that a line of the file belongs to: several where company.yaml states them. */
export const yearOfLine = (
  year: FiscalYear,
  stated: readonly FiscalYear[] | undefined,
  date: string,
): FiscalYear => stated?.find(({ start, end }) => start <= date && date <= end) ?? year

/** The year that a balance brought forward opens: those dated before the file's year are its details. */
export const openedYear = (
  year: FiscalYear,
  stated: readonly FiscalYear[] | undefined,
  date: string,
): FiscalYear => (date < year.start ? year : yearOfLine(year, stated, date))

/** Balances brought forward stand in the first month of their year, or before it; later they would count on top of its entries. */
function lateOpenings(span: Span, file: string, year: FiscalYear, stated: SurveyOptions['statedYears']) {
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
