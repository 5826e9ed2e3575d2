/** What a FEC says as a whole: accounts, journals, dates, entries, and what is wrong. Its lines are surveyed in parts, which are joined here. */
import { basename } from 'node:path'
import { isCalendarDate } from '../../../contract/calendar.ts'
import { displayMinor } from '../../../contract/currency.ts'
import { CappedFindings, capFindings, LISTED } from '../../../workspace/cap-findings.ts'
import { error, type Finding, note, warning } from '../../../workspace/finding.ts'
import { inOrder } from '../../../workspace/in-order.ts'
import { notChecked, several } from '../../../workspace/not-checked.ts'
import { share } from '../../../workspace/threads.ts'
import { addAll, type Values } from '../../claims/claim-format.ts'
import type { Unbalanced } from '../../format/entries.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import { Numbering } from '../../format/numbering.ts'
import { atLine, type Range, textParts, WHOLE_TEXT } from '../../text/text-parts.ts'
import { type EntryNames, FecEntries } from './entries.ts'
import {
  type JournalLines,
  joinJournals,
  NO_LINES,
  type NotedLines,
  noteLines,
  resultsIn,
  spanOf,
} from './journals.ts'
import type { FecText } from './lines.ts'
import { type FecAccount, type LeftOut, nameAccount, type PartSurvey, surveyLines } from './part-survey.ts'
import type { FecHands } from './parts.ts'
import { repeatedFindings } from './repeats.ts'
import { lateOpenings, yearOf } from './years.ts'

export interface FecSurvey {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly text: FecText
  /** In which it was surveyed by others; null where this thread read it. */
  readonly parts: readonly Range[] | null
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

/** With `hands` others read the file, a large one in parts. What is found is the same. */
export async function surveyFec(
  text: FecText,
  bytes: number,
  stated: Stated,
  hands: FecHands | null,
): Promise<FecSurvey> {
  const parts = hands === null ? null : await partsOf(text, bytes, hands.partBytes)
  const lines = new SurveyedLines(text, stated)
  if (hands === null || parts === null) lines.join(await surveyLines(text, WHOLE_TEXT), 0)
  else {
    const shared = share(text)
    const surveys = inOrder(parts, hands.atOnce, (part) => hands.make('surveyPart', { part, shared }))
    let more = parts.length
    for await (const survey of surveys) lines.join(survey, --more)
  }
  return lines.survey(parts)
}

/** Null where it can only be read from its beginning: nothing shows where in its bytes a line ends. */
function partsOf(
  { path, encoding, lineEnd }: FecText,
  size: number,
  bytes: number,
): Promise<Range[]> | Range[] | null {
  if (size <= 2 * bytes) return [WHOLE_TEXT]
  const isCut = lineEnd === '\n' && !encoding.startsWith('utf-16')
  return isCut ? textParts({ path, size }, bytes, atLine) : null
}

/** Of a file that is not read. */
export const notSurveyed = (text: FecText, stated: Stated): FecSurvey =>
  new SurveyedLines(text, stated).survey(null)

/** What the lines of a file say together. */
class SurveyedLines {
  readonly #text: FecText
  readonly #stated: Stated
  /** Lines of the parts that were joined. */
  #above = 0
  #rows = 0
  readonly #accounts = new Map<string, FecAccount>()
  readonly #journals = new Map<string, JournalLines>()
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

  /** Parts come in the order of the file; `more` follow. */
  join(part: PartSurvey, more: number): void {
    const above = this.#above
    const placed = <Placed extends { readonly row: number | null }>(each: Placed): Placed => ({
      ...each,
      row: each.row && above + each.row,
    })
    for (const [id, { name, row }] of part.accounts) nameAccount(this.#accounts, id, name, above + row)
    joinJournals(this.#journals, part.journals, above)
    this.#entries.join(part.entries, above, more)
    this.#numbering.join(part.numbers, above)
    if (part.joined.count > 0) noteLines(this.#joined, part.joined, above)
    this.#faults.addAll({ ...part.faults, listed: part.faults.listed.map(placed) })
    this.#leftOut.push(...part.leftOut.slice(0, LISTED + 1 - this.#leftOut.length).map(placed))
    addAll(this.#others, part.others)
    this.#rows += part.rows
    this.#above += part.lines
  }

  /** Call once, after the last part. */
  survey(parts: readonly Range[] | null): FecSurvey {
    const { file } = this.#text
    const { openingJournals, years } = this.#stated
    const openings = new Set(
      openingJournals ?? [...this.#journals].flatMap(([id, { isOpening }]) => (isOpening ? [id] : [])),
    )
    const span = spanOf(this.#journals, openings)
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
      parts,
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
      const entries = several(open, 'entry', 'entries')
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
    const results = resultsIn(this.#journals, openings)
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
