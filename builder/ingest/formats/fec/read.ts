/**
 * Reads FEC: the files of one ledger entry, one per fiscal year. A file is read twice, line by line: once for what it
 * says as a whole, once into the canonical CSV that the books read.
 */

import { currencyDecimals, formatMinor } from '../../../contract/currency.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { createReadStream } from '../../../workspace/plain-file.ts'
import { chartRows, kindFindings, type UsedAccount, unclassifiedRows } from '../../format/account-kinds.ts'
import { canonicalPlan } from '../../format/canonical-plan.ts'
import { type FormatContent, NO_CONTENT } from '../../format/content.ts'
import { NOTHING_SURVEYED, type Reader, type SourceFile, type Survey } from '../../format/format.ts'
import { type FiscalYear, type LedgerPlan, yearLabel } from '../../format/intake.ts'
import { ofOneCompany } from '../../format/one-company.ts'
import { csvCell } from '../../text/csv.ts'
import { type Encoding, undecodable } from '../../text/decode.ts'
import { linesOf } from '../../text/lines.ts'
import { decodeChunks, type Scratch } from '../../text/scan.ts'
import { classifyFecAccount } from './accounts.ts'
import { type FecLayout, readHeader } from './layout.ts'
import { type FecLine, isUnread, parseLine } from './parse.ts'
import { type FecSurvey, surveyFec } from './survey.ts'
import { openedYear, yearOfLine } from './years.ts'

export const READER: Reader = { read: readFec, survey: surveyFiles }

type Form = Pick<LedgerSetting, 'delimiter' | 'dateFormat'>

/** What a part of a company.yaml says that the reading of a FEC needs. */
type Context = Pick<Company, 'currency' | 'fiscalYears' | 'opening'>

interface Opened {
  readonly source: SourceFile
  readonly encoding: Encoding
  readonly head: string
  readonly layout: FecLayout
  readonly survey: FecSurvey
}

const partsOf = ({ path }: SourceFile, encoding: Encoding): AsyncIterable<string> =>
  decodeChunks(createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>, encoding)

/** Reads a whole file once, keeping none of its lines. */
async function openFec(source: SourceFile, form: Form, company: Context): Promise<Opened> {
  const { encoding, head } = source.look
  const { layout, findings } = readHeader(head, source.file, {
    ...(form.delimiter === undefined ? {} : { delimiter: form.delimiter }),
    ...(form.dateFormat === undefined ? {} : { dateFormat: form.dateFormat }),
    decimals: currencyDecimals(company.currency),
  })
  const unreadable =
    encoding === 'utf-8' && source.scan.encoding !== 'utf-8'
      ? [undecodable(source.file, encoding, null)]
      : findings
  const survey = await surveyFec({
    file: source.file,
    layout,
    // A file that cannot be read at all has one finding, not one for each line.
    parts: unreadable.length > 0 ? none() : partsOf(source, encoding),
    head,
    openingJournals: company.opening?.journals,
    statedYears: company.fiscalYears,
  })
  return {
    source,
    encoding,
    head,
    layout,
    survey: unreadable.length > 0 ? { ...survey, findings: unreadable } : survey,
  }
}

/** The currency is the euro by law, and the file shows its year; it does not state the name of the company. */
async function surveyFiles(sources: readonly SourceFile[]): Promise<Survey> {
  const surveys: FecSurvey[] = []
  for (const source of sources) surveys.push((await openFec(source, {}, { currency: 'EUR' })).survey)
  const years = surveys.flatMap(({ year, yearDoubt }) =>
    year === null ? [] : [{ ...year, doubt: yearDoubt }],
  )
  const end = years
    .map((year) => year.end)
    .sort()
    .at(-1)
  const accounts = usedAccounts(surveys, undefined).map(({ id, name, kind }) => ({
    id,
    name,
    kind,
    doubt: kind === null ? 'kind unknown: its number is not one of the French chart of accounts' : null,
  }))
  return {
    ...NOTHING_SURVEYED,
    fiscalMonthEnd: end === undefined ? null : Number(end.slice(5, 7)),
    currency: 'EUR',
    covers: years.map(({ start, end: last }) => ({ start, end: last, holds: null })),
    years,
    accounts,
    statesOpenings: surveys.some(({ openingJournals }) => openingJournals.length > 0),
    comment: openingsComment(surveys),
    // Mistakes in single lines are reported by the build.
    findings: surveys.flatMap(({ rows, findings }) => (rows === 0 ? findings : [])),
  }
}

/** Which journals were taken for balances brought forward, so that an accountant can say otherwise. */
function openingsComment(surveys: readonly FecSurvey[]): string {
  const journals = [...new Set(surveys.flatMap(({ openingJournals }) => openingJournals))]
  return journals.length === 0
    ? 'no journal of balances brought forward was found; opening.journals would name one'
    : `opening balances: journal ${journals.join(', ')}; opening.journals would name others`
}

async function* none(): AsyncGenerator<string> {}

/** With these mistakes every line can still be read, and the books can be checked. So they can where single lines are left out. */
const LEAVE_LINES_WHOLE = new Set(['unbalanced-transaction', 'unclassified-account'])

/** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readFec(
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const opened: Opened[] = []
  for (const source of sources) opened.push(await openFec(source, setting, company))
  opened.sort((a, b) => byCodePoint(a.survey.year?.start ?? '', b.survey.year?.start ?? ''))
  const surveys = opened.map(({ survey }) => survey)
  const used = usedAccounts(surveys, company.accounts)
  const findings = [
    ...surveys.flatMap((survey) => survey.findings),
    ...ofOneCompany(
      surveys.map(({ file, siren }) => ({ file, registration: siren })),
      'SIREN',
    ),
    ...overlaps(surveys),
    ...currencyFindings(surveys, company),
    ...kindFindings(used, company, { column: 'CompteNum' }),
  ]
  const ledger: LedgerPlan[] = []
  const unread = surveys.flatMap((survey) => survey.unread)
  const isLeftOut = ({ file, row }: Finding) => unread.some((line) => line.row === row && line.file === file)
  if (
    findings.every(
      (found) => found.severity === 'warning' || LEAVE_LINES_WHOLE.has(found.code) || isLeftOut(found),
    )
  )
    for (const file of opened) ledger.push(await planOf(file, setting, company, scratch))
  return {
    ...NO_CONTENT,
    accounts: [...chartRows(used), ...unclassifiedRows(findings)],
    fiscalYears: surveys.flatMap(({ year }) => (year === null ? [] : [year])),
    ledger,
    unread,
    openingJournals: [...new Set(surveys.flatMap(({ openingJournals }) => openingJournals))],
    sources: opened.map(({ source: { file, scan }, encoding, layout, survey: { rows } }) => ({
      file,
      delimiter: layout.delimiter,
      bytes: scan.bytes,
      sha256: scan.sha256,
      encoding,
      role: 'ledger',
      rows,
    })),
    findings,
  }
}

const CANONICAL = [
  'transaction_id',
  'date',
  'account',
  'debit',
  'credit',
  'memo',
  'reference',
  'journal',
  'open_item',
] as const

async function planOf(
  file: Opened,
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<LedgerPlan> {
  const path = await scratch.written(canonicalCsv(file, company))
  const basis = setting.basis === 'cash' ? 'CASH' : 'ACCRUAL'
  return canonicalPlan({ file: file.survey.file, path, basis }, CANONICAL)
}

/** One row for each line of the file, blank ones included, so that row numbers are those of the file. */
async function* canonicalCsv(file: Opened, company: Company): AsyncGenerator<string> {
  const { layout, survey } = file
  const { year, entries, openingJournals } = survey
  const fileRows: RowContext | null = year && {
    year,
    statedYears: company.fiscalYears,
    entries,
    openings: new Set(openingJournals),
    decimals: layout.decimals,
  }
  let row = 0
  for await (const lines of linesOf(partsOf(file.source, file.encoding), file.head)) {
    const rows: string[] = []
    for (const text of lines) {
      row++
      if (row === 1) {
        rows.push(CANONICAL.join(','))
        continue
      }
      const line = parseLine(text, row, layout, survey.file)
      // A file without a year has no line that can be read.
      const isLeftOut = line === null || isUnread(line) || fileRows === null
      rows.push(isLeftOut ? '' : canonicalRow(line, fileRows))
    }
    if (rows.length > 0) yield `${rows.join('\n')}\n`
  }
}

/** What the rows of one file have in common. */
interface RowContext {
  readonly year: FiscalYear
  readonly statedYears: Company['fiscalYears']
  readonly entries: FecSurvey['entries']
  /** Codes of the journals that carry openings. */
  readonly openings: ReadonlySet<string>
  readonly decimals: number
}

function canonicalRow(line: FecLine, { entries, openings, decimals, ...file }: RowContext): string {
  const isOpening = openings.has(line.journal)
  const year = (isOpening ? openedYear : yearOfLine)(file.year, file.statedYears, line.date)
  const party = [line.party, line.partyName].filter((part) => part !== '').join(' ')
  const cells = [
    `${yearLabel(year)} ${entries.idOf(line)}`,
    // An opening is the state at the start of its year, whatever the day of its entry or of its invoice.
    isOpening ? year.start : line.date,
    line.account,
    line.debit === 0 ? '' : formatMinor(line.debit, decimals),
    line.credit === 0 && line.debit !== 0 ? '' : formatMinor(line.credit, decimals),
    [line.text, party === '' ? '' : `(${party})`].filter((part) => part !== '').join(' '),
    line.document,
    line.journal,
    // Letters begin anew for each account, and in it for each customer and supplier.
    line.letter === '' ? '' : `${line.account}|${line.party}|${line.letter}`,
  ]
  return cells.map(csvCell).join(',')
}

const usedAccounts = (surveys: readonly FecSurvey[], stated: Company['accounts']): UsedAccount[] =>
  surveys.flatMap(({ file, accounts }) =>
    [...accounts].map(([id, { name, row }]) => ({
      file,
      row,
      id,
      number: id,
      name: name || id,
      kind: classifyFecAccount(id, stated),
    })),
  )

/** One file per year: a year that was exported twice would count twice. */
function overlaps(surveys: readonly FecSurvey[]): Finding[] {
  const dated = surveys.flatMap(({ file, year }) => (year === null ? [] : [{ file, ...year }]))
  return dated.flatMap(({ file, start, end }, i) => {
    const before = dated[i - 1]
    if (before === undefined || before.end < start) return []
    return [
      error(
        'duplicate-year',
        `the year ${start} to ${end} overlaps ${before.start} to ${before.end} in ${before.file}`,
        {
          file,
          column: 'EcritureDate',
          remedy:
            'keep one file per fiscal year; where the years are others, state them under "fiscalYears" in company.yaml',
        },
      ),
    ]
  })
}

/** The amounts of a FEC are in euros; Montantdevise and Idevise beside them are information. */
function currencyFindings(surveys: readonly FecSurvey[], { currency }: Company): Finding[] {
  const [first] = surveys
  if (first === undefined || currency === 'EUR') return []
  return [
    warning('currency-mismatch', `the amounts of a FEC are in euros, the company's currency is ${currency}`, {
      file: first.file,
      remedy: 'write currency: EUR in company.yaml, if that is the currency of the books',
    }),
  ]
}
