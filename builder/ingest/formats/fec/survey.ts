/** What a FEC says as a whole, in one pass that keeps no line: accounts, journals, dates, entries, and what is wrong. */
import { basename } from 'node:path'
import { isCalendarDate } from '../../../contract/calendar.ts'
import { displayMinor } from '../../../contract/currency.ts'
import { CappedFindings, capFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { notChecked, several } from '../../../workspace/not-checked.ts'
import type { Unbalanced } from '../../format/entries.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { Numbering } from '../../format/numbering.ts'
import { linesOf } from '../../text/lines.ts'
import { FecEntries } from './entries.ts'
import type { FecLayout } from './layout.ts'
import { type FecLine, isUnread, parseLine, type UnreadLine } from './parse.ts'
import { RepeatedEntries } from './repeats.ts'
import { lateOpenings, type Span, yearOf } from './years.ts'

export interface FecAccount {
  readonly name: string
  /** Where it is used first. */
  readonly row: number
}

export interface FecSurvey {
  /** Path relative to the company's folder. */
  readonly file: string
  /** From the file's name, which by rule is SIREN, FEC and the last day of the year; null where the name has another form. */
  readonly siren: string | null
  readonly rows: number
  readonly accounts: ReadonlyMap<string, FecAccount>
  /** Codes of the journals that carry the balances of the year before. */
  readonly openingJournals: readonly string[]
  /** Null where the file holds no line that can be read. */
  readonly year: FiscalYear | null
  /** Why the year is only assumed; null where the file or company.yaml states it. */
  readonly yearDoubt: string | null
  readonly entries: FecEntries
  /** Lines that were left out; each has its findings. */
  readonly unread: readonly UnreadRow[]
  readonly findings: readonly Finding[]
}

export interface SurveyOptions {
  readonly file: string
  readonly layout: FecLayout
  readonly parts: AsyncIterable<string>
  readonly head: string
  /** Journals that are openings by company.yaml; undefined where it leaves that to the names of the journals. */
  readonly openingJournals: readonly string[] | undefined
  readonly statedYears: readonly FiscalYear[] | undefined
}

export async function surveyFec({
  file,
  layout,
  parts,
  head,
  openingJournals,
  statedYears,
}: SurveyOptions): Promise<FecSurvey> {
  const lines = new SurveyedLines(file, openingJournals)
  let row = 0
  for await (const part of linesOf(parts, head))
    for (const text of part) {
      row++
      if (row === 1) continue
      const line = parseLine(text, row, layout, file)
      if (line === null) continue
      if (isUnread(line)) lines.leaveOut(line, row)
      else lines.add(line)
    }
  const name = nameOf(file)
  const findings = lines.findings(layout)
  const year = lines.rows === 0 ? null : yearOf(lines.span, name?.end ?? null, statedYears)
  if (year !== null && year.warning !== null)
    findings.push(
      warning('fiscal-year-assumed', year.warning, {
        file,
        column: 'EcritureDate',
        text: name?.end ?? null,
        remedy: 'check it; where it is another, state it under "fiscalYears" in company.yaml',
      }),
    )
  if (year !== null) findings.push(...lateOpenings(lines.span, file, year, statedYears))
  return {
    file,
    siren: name?.siren ?? null,
    rows: lines.rows,
    accounts: lines.accounts,
    openingJournals: [...lines.openings],
    year: year === null ? null : { start: year.start, end: year.end },
    yearDoubt: year?.warning ?? null,
    entries: lines.entries,
    unread: lines.unread,
    findings,
  }
}

/** Lines with a fault that is reported once for the file: how many, and the first row. */
class FaultyLines {
  count = 0
  row = 0

  add(row: number): void {
    if (this.count === 0) this.row = row
    this.count++
  }
}

/** What the lines of a file say together; complete when the last one was added. */
class SurveyedLines {
  rows = 0
  readonly accounts = new Map<string, FecAccount>()
  /** Codes of the journals that carry openings. */
  readonly openings: Set<string>
  readonly entries = new FecEntries()
  readonly span: Span = { first: '', last: '', openings: new Map(), lastOpening: '' }
  readonly #file: string
  readonly #areOpeningsStated: boolean
  readonly #faults = new CappedFindings()
  readonly #repeats = new RepeatedEntries()
  readonly #numbering = new Numbering()
  /** A label holds the separator. */
  readonly #joined = new FaultyLines()
  /** Openings of accounts that begin each year with nothing. */
  readonly #results = new FaultyLines()
  readonly #unread: (UnreadLine & { readonly row: number })[] = []

  constructor(file: string, openingJournals: readonly string[] | undefined) {
    this.#file = file
    this.openings = new Set(openingJournals)
    this.#areOpeningsStated = openingJournals !== undefined
  }

  leaveOut(line: UnreadLine, row: number): void {
    for (const found of line.findings) this.#faults.add(found)
    this.entries.doubt(line.entry)
    if (line.entry !== null) this.#numbering.add(line.entry.journal, line.entry.number, row)
    if (this.#unread.length <= LISTED) this.#unread.push({ row, ...line })
  }

  add(line: FecLine): void {
    this.rows++
    this.#repeats.add(line)
    this.#numbering.add(line.journal, line.number, line.row)
    this.#nameAccount(line)
    if (line.mended) this.#joined.add(line.row)
    if (this.openings.has(line.journal) || (!this.#areOpeningsStated && isOpeningJournal(line)))
      this.#addOpening(line)
    else this.#addEntry(line)
  }

  #nameAccount({ account, accountName, row }: FecLine): void {
    const known = this.accounts.get(account)
    if (known === undefined || (accountName !== '' && known.name !== accountName))
      this.accounts.set(account, { name: accountName || (known?.name ?? ''), row: known?.row ?? row })
  }

  #addEntry(line: FecLine): void {
    if (this.span.first === '' || line.date < this.span.first) this.span.first = line.date
    if (line.date > this.span.last) this.span.last = line.date
    this.entries.add(line)
  }

  #addOpening({ journal, date, account, row }: FecLine): void {
    this.openings.add(journal)
    if (date > this.span.lastOpening) this.span.lastOpening = date
    const month = date.slice(0, 7)
    if (!this.span.openings.has(month)) this.span.openings.set(month, row)
    if (/^[67]/.test(account)) this.#results.add(row)
  }

  get unread(): UnreadRow[] {
    return this.#unread.map(({ row, entry, account }) => ({
      file: this.#file,
      row,
      of: !entry?.journal ? 'either' : this.openings.has(entry.journal) ? 'opening' : 'entry',
      account,
    }))
  }

  /** What is wrong with the lines. Call once, after the last one. */
  findings(layout: FecLayout): Finding[] {
    const file = this.#file
    const findings = this.#faults.list()
    const nameless = this.#unread
      .filter(({ entry }) => !entry?.number)
      .map((line) => ({ file, row: line.row }))
    const { left, open } = this.entries.settle()
    findings.push(...unbalanced(left, file, layout.decimals))
    if (open.length > 0) {
      const names = several(open, 'entry', 'entries')
      findings.push(notChecked(`whether ${names} ${open.length === 1 ? 'balances' : 'balance'}`, nameless))
    }
    if (this.rows === 0 && findings.length === 0)
      findings.push(
        error('no-transactions', 'the file holds a header and no lines', {
          file,
          remedy: 'export the FEC of a year that has entries',
        }),
      )
    findings.push(
      ...this.#repeats.findings(file, this.entries.isUnique),
      ...this.#numbering.findings(file, nameless),
    )
    if (this.#joined.count > 0) findings.push(separatorInLabel(this.#joined, file, layout.delimiter))
    if (this.#results.count > 0) findings.push(resultInOpening(this.#results, file))
    return findings
  }
}

const separatorInLabel = ({ count, row }: FaultyLines, file: string, delimiter: string): Finding =>
  warning(
    'separator-in-label',
    `${count} ${count === 1 ? 'line holds' : 'lines hold'} the separator "${delimiter}" inside a label; dates and amounts show which cells belong together`,
    { file, row, remedy: 'nothing to do; an export with tabs would not have it' },
  )

const resultInOpening = ({ count, row }: FaultyLines, file: string): Finding =>
  warning(
    'result-in-opening',
    `${count} ${count === 1 ? 'line' : 'lines'} of the opening journal stand on accounts of classes 6 and 7, which carry no balance from one year to the next; they count as results of earlier years`,
    {
      file,
      row,
      remedy:
        'where these are entries of the year, list the true openings under opening.transactions in company.yaml, with opening.journals: []',
    },
  )

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
  return capFindings(findings, left.length)
}

/** An opening journal is named "à nouveaux" or the like; or its code says so (AN, ANO, RAN) and its name does not contradict it. */
export function isOpeningJournal({ journal, journalName }: FecLine): boolean {
  const name = journalName.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  if (/\ba[\s._'-]*nouv|report.*nouv|bilan d.?ouverture/.test(name)) return true
  return /^(an|ano|anv|ran|anouv|an\d+)$/i.test(journal) && !/achat|vente|analy|banque|caisse/.test(name)
}

/** `123456789FEC20221231.txt` → whose books, and the last day of their year. */
function nameOf(file: string): { readonly siren: string; readonly end: string | null } | null {
  const [, siren, year, month, day] = /^(\d{9})FEC(\d{4})(\d{2})(\d{2})/i.exec(basename(file)) ?? []
  if (siren === undefined) return null
  const end = `${year}-${month}-${day}`
  return { siren, end: isCalendarDate(end) ? end : null }
}
