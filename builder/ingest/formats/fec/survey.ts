/** What a FEC says as a whole, in one pass that keeps no line: accounts, journals, dates, entries, and what is wrong. */
import { basename } from 'node:path'
import { isCalendarDate } from '../../../contract/calendar.ts'
import { displayMinor } from '../../../contract/currency.ts'
import { CappedFindings, capFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { error, type Finding, note, ofLedger, warning } from '../../../workspace/finding.ts'
import { notChecked, several } from '../../../workspace/not-checked.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { Unbalanced } from '../../format/entries.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { Numbering } from '../../format/numbering.ts'
import { type EntryNames, FecEntries } from './entries.ts'
import { JournalsSurveyor, NO_LINES, type NotedLines, noteLine, resultsIn, spanOf } from './journals.ts'
import { type FecText, linesIn } from './lines.ts'
import { type FecLine, isUnread, parseLine, type UnreadLine } from './parse.ts'
import { repeatedFindings } from './repeats.ts'
import { lateOpenings, yearOf } from './years.ts'

export interface FecAccount {
  readonly name: string
  /** Where it is used first. */
  readonly row: number
}

/** A line that was left out; its findings are among the faults. */
interface LeftOut extends Omit<UnreadLine, 'findings'> {
  readonly row: number
}

export interface FecSurvey {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly text: FecText
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
  readonly names: EntryNames
  /** Lines that were left out; each has its findings. */
  readonly unread: readonly UnreadRow[]
  /** Of the columns that are not read. */
  readonly others: Values
  readonly findings: readonly Finding[]
}

/** What company.yaml says of the years and their openings. */
export interface Stated {
  /** Journals that are openings; undefined where that is left to the names of the journals. */
  readonly openingJournals: readonly string[] | undefined
  readonly years: readonly FiscalYear[] | undefined
}

export async function surveyFec(text: FecText, stated: Stated): Promise<FecSurvey> {
  const lines = new LinesSurveyor(text, stated)
  let row = 0
  for await (const texts of linesIn(text))
    for (const each of texts) {
      row++
      if (row === 1) continue
      const line = parseLine(each, row, text.layout, text.file)
      if (line === null) continue
      if (isUnread(line)) lines.leaveOut(line, row)
      else lines.add(line)
    }
  return lines.survey()
}

/** Of a file that is not read. */
export const notSurveyed = (text: FecText, stated: Stated): FecSurvey =>
  new LinesSurveyor(text, stated).survey()

/** What the lines of a file say together. */
class LinesSurveyor {
  readonly #text: FecText
  readonly #stated: Stated
  #rows = 0
  readonly #accounts = new Map<string, FecAccount>()
  readonly #journals = new JournalsSurveyor()
  readonly #entries = new FecEntries()
  readonly #numbering = new Numbering()
  /** A label holds the separator. */
  readonly #joined = { ...NO_LINES }
  readonly #faults = new CappedFindings()
  readonly #leftOut: LeftOut[] = []
  readonly #others: Values = new Map()

  constructor(text: FecText, stated: Stated) {
    this.#text = text
    this.#stated = stated
  }

  leaveOut({ findings, entry, account }: UnreadLine, row: number): void {
    for (const found of findings) this.#faults.add(found)
    this.#entries.doubt(entry)
    if (entry !== null) this.#numbering.add(entry.journal, entry.number, row)
    if (this.#leftOut.length <= LISTED) this.#leftOut.push({ row, entry, account })
  }

  add(line: FecLine): void {
    const { journal, number, row } = line
    this.#rows++
    this.#name(line)
    this.#journals.add(line)
    this.#entries.add(line)
    this.#numbering.add(journal, number, row)
    for (const [i, [header]] of this.#text.layout.others.entries())
      countIn(this.#others, header, line.others[i] ?? '')
    if (line.mended) noteLine(this.#joined, row)
  }

  /** The last name that is not blank counts. */
  #name({ account, accountName: name, row }: FecLine): void {
    const known = this.#accounts.get(account)
    if (known === undefined || (name !== '' && known.name !== name))
      this.#accounts.set(account, { name: name || (known?.name ?? ''), row: known?.row ?? row })
  }

  /** Call once, after the last line. */
  survey(): FecSurvey {
    const { file } = this.#text
    const { openingJournals, years } = this.#stated
    const journals = this.#journals.journals()
    const openings = new Set(
      openingJournals ?? [...journals].flatMap(([id, { isOpening }]) => (isOpening ? [id] : [])),
    )
    const span = spanOf(journals, openings)
    const { findings, names } = this.#findings(openings)
    const name = nameOf(file)
    const year = this.#rows === 0 ? null : yearOf(span, name?.end ?? null, years)
    if (year !== null && year.warning !== null)
      findings.push(
        warning('fiscal-year-assumed', year.warning, {
          file,
          column: 'EcritureDate',
          text: name?.end ?? null,
          remedy: 'check it; where it is another, state it under "fiscalYears" in company.yaml',
        }),
      )
    if (year !== null) findings.push(...lateOpenings(span, file, year, years))
    return {
      file,
      text: this.#text,
      siren: name?.siren ?? null,
      rows: this.#rows,
      accounts: this.#accounts,
      openingJournals: [...openings],
      year: year === null ? null : { start: year.start, end: year.end },
      yearDoubt: year?.warning ?? null,
      names,
      others: this.#others,
      unread: this.#leftOut.map((line) => this.#unreadRow(line, openings)),
      findings,
    }
  }

  #unreadRow({ row, entry, account }: LeftOut, openings: ReadonlySet<string>): UnreadRow {
    const of = !entry?.journal ? 'either' : openings.has(entry.journal) ? 'opening' : 'entry'
    return { file: this.#text.file, row, of, account }
  }

  #findings(openings: ReadonlySet<string>): { readonly findings: Finding[]; readonly names: EntryNames } {
    const { file, layout } = this.#text
    const findings = this.#faults.list()
    const nameless = this.#leftOut
      .filter(({ entry }) => !entry?.number)
      .map((line) => ({ file, row: line.row }))
    const { left, open, again, names } = this.#entries.settle(openings)
    findings.push(...unbalanced(left, file, layout.decimals))
    if (open.length > 0) {
      const entries = several(open.map(ofLedger), 'entry', 'entries')
      findings.push(notChecked(`whether ${entries} ${open.length === 1 ? 'balances' : 'balance'}`, nameless))
    }
    if (this.#rows === 0 && findings.length === 0)
      findings.push(
        error('no-transactions', 'the file holds a header and no lines', {
          file,
          remedy: 'export the FEC of a year that has entries',
        }),
      )
    findings.push(...repeatedFindings(again, file), ...this.#numbering.findings(file, nameless))
    if (this.#joined.count > 0) findings.push(separatorInLabel(this.#joined, file, layout.delimiter))
    const results = resultsIn(this.#journals.journals(), openings)
    if (results.count > 0) findings.push(resultInOpening(results, file))
    return { findings, names }
  }
}

const separatorInLabel = ({ count, row }: NotedLines, file: string, delimiter: string): Finding =>
  note(
    'separator-in-label',
    `${count} ${count === 1 ? 'line holds' : 'lines hold'} the separator "${delimiter}" inside a label; dates and amounts show which cells belong together`,
    { file, row, remedy: 'nothing to do; an export with tabs would not have it' },
  )

const resultInOpening = ({ count, row }: NotedLines, file: string): Finding =>
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

/** `123456789FEC20221231.txt` → whose books, and the last day of their year. */
function nameOf(file: string): { readonly siren: string; readonly end: string | null } | null {
  const [, siren, year, month, day] = /^(\d{9})FEC(\d{4})(\d{2})(\d{2})/i.exec(basename(file)) ?? []
  if (siren === undefined) return null
  const end = `${year}-${month}-${day}`
  return { siren, end: isCalendarDate(end) ? end : null }
}
