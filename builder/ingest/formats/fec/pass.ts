/** One pass over a FEC: its lines as the canonical CSV of the books, and what they say as a whole. */
import { basename } from 'node:path'
import { isCalendarDate } from '../../../contract/calendar.ts'
import { formatMinor } from '../../../contract/currency.ts'
import { CappedFindings, LISTED } from '../../../workspace/findings/cap-findings.ts'
import { error, type Finding, note, warning } from '../../../workspace/findings/finding.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import { nameOf, type WholeFile } from '../../format/entry-names.ts'
import { type FiscalYear, type UnreadRow, yearLabel } from '../../format/intake.ts'
import { Numbering, type NumberingForm } from '../../format/numbering.ts'
import { csvCell } from '../../text/csv.ts'
import type { Encoding } from '../../text/decode.ts'
import { linesOf } from '../../text/lines.ts'
import { textOf } from '../../text/scan.ts'
import { type FecLayout, type FecLine, isUnread, parseLine, type UnreadLine } from './parse.ts'
import { Journals, lateOpenings, NotedLines, yearOf } from './years.ts'

/** A file, and what must be known of it to read any of its lines. */
export interface FecText {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The path to open. */
  readonly path: string
  readonly encoding: Encoding
  /** The beginning of its text. */
  readonly head: string
  readonly layout: FecLayout
}

/** What company.yaml says of the years and their openings. */
export interface Stated {
  /** Journals that are openings; undefined where that is left to the names of the journals. */
  readonly openingJournals: readonly string[] | undefined
  readonly years: readonly FiscalYear[] | undefined
}

export interface FecAccount {
  readonly name: string
  /** Where it is used first. */
  readonly row: number
}

/** What a FEC says as a whole. */
export interface FecFile {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly text: FecText
  /** From the file's name, which by rule is SIREN, FEC and the last day of the year; null where the name has another form. */
  readonly siren: string | null
  readonly rows: number
  /** The first and the last number of its entries, by journal. */
  readonly numbers: readonly string[]
  readonly accounts: ReadonlyMap<string, FecAccount>
  /** Null where the file holds no line that can be read. */
  readonly year: FiscalYear | null
  /** Why the year is only assumed; null where the file or company.yaml states it. */
  readonly yearDoubt: string | null
  /** What the books apply to its lines. */
  readonly whole: WholeFile
  /** Lines that were left out; each has its findings. */
  readonly unread: readonly UnreadRow[]
  /** Of the columns that are not read. */
  readonly others: Values
  readonly findings: readonly Finding[]
}

export const CANONICAL = [
  'transaction_id',
  'date',
  'account',
  'debit',
  'credit',
  'memo',
  'reference',
  'journal',
  'open_item',
  'party',
  'party_id',
  'entered_on',
] as const

const NUMBERING: NumberingForm = {
  isShared: true,
  column: 'EcritureNum',
  remedy:
    'ask the bookkeeper why: by law the numbers have no gaps; where entries are missing, export the file again',
}

/** A line that was left out; its findings are among the faults. */
interface LeftOut extends Omit<UnreadLine, 'findings'> {
  readonly row: number
}

export class FecPass {
  readonly #text: FecText
  readonly #stated: Stated
  #rows = 0
  readonly #accounts = new Map<string, FecAccount>()
  readonly #journals = new Journals()
  readonly #numbering = new Numbering()
  /** A label holds the separator. */
  readonly #joined = new NotedLines()
  readonly #faults = new CappedFindings()
  readonly #leftOut: LeftOut[] = []
  readonly #others: Values = new Map()

  constructor(text: FecText, stated: Stated) {
    this.#text = text
    this.#stated = stated
  }

  /** The header, and one row for each line, blank ones included, so that row numbers are those of the file. */
  async *csv(): AsyncGenerator<string> {
    const { path, encoding, head, layout, file } = this.#text
    let row = 0
    for await (const texts of linesOf(textOf(path, encoding), head)) {
      const csv: string[] = []
      for (const each of texts) {
        row++
        const line = row === 1 ? null : parseLine(each, row, layout, file)
        if (row === 1) csv.push(CANONICAL.join(','))
        else if (line === null) csv.push('')
        else csv.push(isUnread(line) ? this.#leaveOut(line, row) : this.#add(line))
      }
      if (csv.length > 0) yield `${csv.join('\n')}\n`
    }
  }

  #leaveOut({ findings, entry, account }: UnreadLine, row: number): string {
    for (const found of findings) this.#faults.add(found)
    if (entry !== null) this.#numbering.add(entry.journal, entry.number, row)
    if (this.#leftOut.length <= LISTED) this.#leftOut.push({ row, entry, account })
    return ''
  }

  #add(line: FecLine): string {
    const { journal, number, row } = line
    this.#rows++
    this.#name(line)
    this.#journals.note(line)
    this.#numbering.add(journal, number, row)
    for (const [i, [header]] of this.#text.layout.others.entries())
      countIn(this.#others, header, line.others[i] ?? '')
    // It is read, and may say that its entries are a draft or a simulation.
    countIn(this.#others, 'JournalLib', line.journalName)
    if (line.mended) this.#joined.add(row)
    return rowOf(line, this.#text.layout.decimals)
  }

  /** The last name that is not blank counts. */
  #name({ account, accountName: name, row }: FecLine): void {
    const known = this.#accounts.get(account)
    if (known === undefined || (name !== '' && known.name !== name))
      this.#accounts.set(account, { name: name || (known?.name ?? ''), row: known?.row ?? row })
  }

  /** Call once, after the last line, or of a file that is not read. */
  whole(): FecFile {
    const { file } = this.#text
    const { years } = this.#stated
    const openings = new Set(
      this.#stated.openingJournals ??
        [...this.#journals].flatMap(([id, { isOpening }]) => (isOpening ? [id] : [])),
    )
    const span = this.#journals.span(openings)
    const findings = this.#findings(openings)
    const name = partsOfName(file)
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
      numbers: this.#numbering.ranges(),
      accounts: this.#accounts,
      year: year === null ? null : { start: year.start, end: year.end },
      yearDoubt: year?.warning ?? null,
      whole: {
        years: year === null ? [] : [...(years ?? []), year],
        openingJournals: [...openings],
        entryColumn: 'EcritureNum',
        numbers: 'by-day',
        shared: SHARED,
      },
      others: this.#others,
      unread: this.#leftOut.map((line) => this.#unreadRow(line, openings, year)),
      findings,
    }
  }

  #unreadRow(
    { row, entry, account }: LeftOut,
    openings: ReadonlySet<string>,
    year: FiscalYear | null,
  ): UnreadRow {
    const place = { file: this.#text.file, row, account }
    if (entry !== null && openings.has(entry.journal)) return { ...place, of: 'opening' }
    if (!entry?.journal || year === null) return { ...place, of: 'either', entry: null }
    const journal = nameOf(yearLabel(year), entry.journal)
    return { ...place, of: 'entry', entry: `${journal} ${entry.number}` }
  }

  #findings(openings: ReadonlySet<string>): Finding[] {
    const { file, layout } = this.#text
    const findings = this.#faults.list()
    const nameless = this.#leftOut
      .filter(({ entry }) => !entry?.number)
      .map((line) => ({ file, row: line.row }))
    if (this.#rows === 0 && findings.length === 0)
      findings.push(
        error('no-transactions', 'the file holds a header and no lines', {
          file,
          remedy: 'export the FEC of a year that has entries',
        }),
      )
    findings.push(...this.#numbering.findings(file, NUMBERING, nameless))
    if (this.#joined.count > 0) findings.push(separatorInLabel(this.#joined, file, layout.delimiter))
    const results = this.#journals.results(openings)
    if (results.count > 0) findings.push(resultInOpening(results, file))
    return findings
  }
}

function rowOf(line: FecLine, decimals: number): string {
  const party = nameOf(line.party, line.partyName)
  const cells = [
    // By rule the lines with one number are an entry; some programs write 0 on every line, or begin anew each month or day.
    line.number === '' ? '' : nameOf(line.journal, line.number),
    line.date,
    line.account,
    line.debit === 0 ? '' : formatMinor(line.debit, decimals),
    line.credit === 0 && line.debit !== 0 ? '' : formatMinor(line.credit, decimals),
    nameOf(line.text, party === '' ? '' : `(${party})`),
    line.document,
    line.journal,
    // Letters begin anew for each account, and in it for each customer and supplier.
    line.letter === '' ? '' : `${line.account}|${line.party}|${line.letter}`,
    line.partyName,
    line.party,
    line.valid,
  ]
  return cells.map(csvCell).join(',')
}

/** Without a number the entry of a line is that of its day and document, else of its day, else of its month. */
const SHARED = [
  ['journal', 'date', 'reference'],
  ['journal', 'date'],
  ['journal', 'month'],
] as const

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

/** `123456789FEC20221231.txt` → whose books, and the last day of their year. */
function partsOfName(file: string): { readonly siren: string; readonly end: string | null } | null {
  const [, siren, year, month, day] = /^(\d{9})FEC(\d{4})(\d{2})(\d{2})/i.exec(basename(file)) ?? []
  if (siren === undefined) return null
  const end = `${year}-${month}-${day}`
  return { siren, end: isCalendarDate(end) ? end : null }
}
