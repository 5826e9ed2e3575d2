/** Reads reports: what is peculiar to a program is data (programs/), and what a row is follows from its form (rows/). */
import {
  BASES,
  type Basis,
  byCodePoint,
  type Classification,
  isOnCreditSide,
  isProfitAndLoss,
} from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import { LISTED } from '../../../workspace/findings/cap-findings.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import { claimColumns, claimText } from '../../claims/claims.ts'
import { chartRows, kindFindings, unclassifiedRows } from '../../format/account-kinds.ts'
import { type FormatContent, joinContent, NO_CONTENT } from '../../format/content.ts'
import { fiscalYearAt } from '../../format/fiscal-years.ts'
import type { Reader, SourceFile } from '../../format/format.ts'
import { type AccountRow, basisOfEntry, type UnreadRow } from '../../format/intake.ts'
import { withHeader } from '../../format/records.ts'
import { areOthersRead } from '../../format/unread-rows.ts'
import type { Scratch } from '../../text/scan.ts'
import { accountsOf, type ReportAccounts } from './accounts.ts'
import { type BooksContext, controlsOf, type Dated, dated, opensBooks, type Signs } from './books.ts'
import {
  basisFindings,
  currencyFindings,
  decideSigns,
  formsOf,
  impliedOpenings,
  overlapFindings,
  periodFindings,
  statedFindings,
  stateOpenings,
} from './checks.ts'
import { headerOf, OPENING_JOURNAL, plansOf, rowWriter } from './csv-rows.ts'
import { hasSides } from './lines.ts'
import { Measure } from './measure/measure.ts'
import type { MeasureContext, MeasuredReport } from './measure/measured.ts'
import { membersOf, targetsOf } from './members.ts'
import { openReports } from './open.ts'
import type { Forms } from './rows/figures.ts'
import type { ReportFamily, Target } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'
import { surveyReports } from './survey.ts'

export const readerOf = (family: ReportFamily): Reader => ({
  read: (sources, setting, company, scratch) => readReports(family, sources, setting, company, scratch),
  survey: async (sources) => surveyReports(await openReports(family, sources), family),
})

/** Reads all reports of one ledger entry together. Nothing in them throws: what is wrong is in `findings`. */
async function readReports(
  family: ReportFamily,
  sources: readonly SourceFile[],
  setting: LedgerSetting,
  company: Company,
  scratch: Scratch,
): Promise<FormatContent> {
  const { scans, chart, findings: unreadable } = await openReports(family, sources, setting.skip)
  const accounts = accountsOf(scans, chart, family, company.accounts)
  const targets = targetsOf(scans, company.dimensions)
  const members = membersOf(scans, targets)
  const reports = scans.map((scan) => ({ scan, ...formsOf(scan, setting) }))
  const findings: Finding[] = [
    ...unreadable,
    ...accounts.findings,
    ...reports.flatMap((report) => report.findings),
    ...claimReports(scans, setting, company.currency),
    ...scans.flatMap((scan) => [...basisFindings(scan, setting), ...currencyFindings(scan, company)]),
    ...kindFindings([...accounts.used.values()], company, { column: 'account', evidence: 'type' }),
  ]
  const unknown = unclassifiedRows(findings)
  const parts: FormatContent[] = []
  for (const basis of BASES) {
    const own = reports.filter(({ scan }) => basisIn(scan, setting) === basis)
    const part = await readBasis(own, {
      family,
      isSound: findings.every(isOfKinds),
      unknown: own.some(({ scan }) => !hasSides(scan)) ? unknown : [],
      scratch,
      newContext: () => measureContext(company, accounts, unknown),
      targetOf: (dimension) => targets.get(dimension) ?? 'none',
      books: { company, basis, accounts: accounts.used },
    })
    findings.push(...part.findings)
    parts.push(part)
  }
  const joined = joinContent(parts)
  return {
    ...joined,
    accounts: [
      ...chartRows([...accounts.used.values()].map(({ doubt: _, ...account }) => account)),
      ...unknown,
    ],
    // Where company.yaml names a list of members, that list counts.
    classes: company.classes === undefined ? members.class : [],
    departments: company.departments === undefined ? members.department : [],
    openingJournals: [OPENING_JOURNAL],
    closingTypes: family.closingTypes ?? [],
    sources: sourcesOf(sources, scans),
    ledger: areOthersRead(findings, joined.unread) ? joined.ledger : [],
    findings,
  }
}

/** For the reports of one basis: sums that they share begin with nothing. `unclassified` are the accounts of an unknown kind. */
function measureContext(
  company: Company,
  { used, ids }: ReportAccounts,
  unclassified: readonly AccountRow[],
): MeasureContext {
  const unknown = new Set(unclassified.map(({ id }) => id))
  const isKind = (is: (classification: Classification) => boolean) => (id: string) => {
    const kind = used.get(id)?.kind
    return kind != null && is(kind.classification)
  }
  return {
    currency: company.currency,
    idOf: (key) => ids.get(key) ?? null,
    isUnknown: (id) => unknown.has(id),
    isCredit: isKind(isOnCreditSide),
    isResult: isKind(isProfitAndLoss),
    isEquity: isKind((kind) => kind === 'Equity'),
    startsYear: (date) => fiscalYearAt(date, company).start === date,
    days: new Map(),
    doubtful: new Set(),
  }
}

/** Questions about columns that nobody reads, and about titles. */
const claimReports = (scans: readonly ReportScan[], setting: LedgerSetting, currency: string): Finding[] => [
  ...claimColumns(
    scans.flatMap(({ unclaimed }) => unclaimed),
    'the entry',
    setting,
    { currency },
  ).questions,
  ...scans.flatMap(({ file, layout }) =>
    layout.titles.flatMap((title) =>
      claimText(title, { file, row: null, what: 'title' }, 'the entry', setting),
    ),
  ),
]

/** Lines can be read and compared, even where the kinds of some accounts are unknown. */
const isOfKinds = ({ severity, code }: Finding): boolean =>
  severity !== 'error' || code === 'unclassified-account'

/** Each file once, whatever its sheets hold. */
const sourcesOf = (sources: readonly SourceFile[], scans: readonly ReportScan[]): FormatContent['sources'] =>
  sources.map(({ file, scan, look }) => {
    const own = scans.filter(({ source }) => source === file)
    const delimiter = own[0]?.delimiter
    return {
      file,
      bytes: scan.bytes,
      sha256: scan.sha256,
      encoding: look.workbook === null ? look.encoding : 'xlsx',
      role: own.length > 0 ? 'ledger' : 'chart',
      rows: own.reduce((sum, { rows }) => sum + rows, 0),
      stated: own.flatMap(({ stated }) => stated),
      ...(delimiter ? { delimiter } : {}),
    }
  })

/** With these mistakes it is not known what the accounts open with. */
const WITHOUT_OPENINGS = new Set([
  'opening-missing',
  'openings-incomplete',
  'opening-without-account',
  'duplicate-opening',
])
const unknownOpenings = (findings: readonly Finding[]): UnreadRow[] =>
  findings.flatMap(({ code, file, row }) =>
    WITHOUT_OPENINGS.has(code) && file !== null && row !== null
      ? [{ file, row, of: 'opening' as const, account: null }]
      : [],
  )

/** The basis that the report states, else that of company.yaml. */
const basisIn = (scan: ReportScan, setting: Pick<LedgerSetting, 'basis'>): Basis =>
  scan.basis ?? basisOfEntry(setting)

/** Openings that a report leaves out are missing in the books, where the report opens them. */
const missingOpenings = (dates: readonly Dated[], first: string, context: BooksContext): Finding[] =>
  dates.flatMap((at) => (opensBooks(at, first, context) ? (at.report.missingOpenings ?? []) : []))

interface Reading {
  readonly family: ReportFamily
  readonly isSound: boolean
  /** Accounts whose lines have no sign, since their kind is unknown. */
  readonly unknown: readonly AccountRow[]
  readonly scratch: Scratch
  readonly newContext: () => MeasureContext
  readonly targetOf: (dimension: string) => Target | 'none'
  readonly books: Pick<BooksContext, 'company' | 'basis' | 'accounts'>
}

async function readBasis(own: readonly FormedReport[], reading: Reading): Promise<FormatContent> {
  const { family, isSound, unknown, books } = reading
  const { measured, findings: unread, context: measure, signs } = await measureAll(own, reading)
  const read = measured.flatMap((report) => report.findings)
  if (measured.length === 0) return { ...NO_CONTENT, findings: [...unread, ...read] }
  const context: BooksContext = { ...measure, ...books, signs }
  const dates = measured
    .flatMap((report) => dated(report, context, measured) ?? [])
    .sort((a, b) => byCodePoint(a.start, b.start))
  const [first] = dates
  const lost = lostLines(measured, unknown)
  const findings = [
    ...unread,
    ...read,
    ...overlapFindings(measured),
    ...periodFindings(dates),
    ...(first === undefined ? [] : missingOpenings(dates, first.start, context)),
  ]
  const { differing, findings: notFollowed } = statedFindings(measured, signs, measure.currency)
  // Entries add up once their lines can be read and signed.
  if (isSound && areOthersRead(read, [...lost, ...unknownOpenings(read)]))
    findings.push(...notFollowed, ...impliedOpenings(dates, signs, measure.currency, books.company))
  lost.push(...unknownOpenings(findings))
  if (first === undefined || !isSound || !areOthersRead(findings, lost))
    return { ...NO_CONTENT, unread: lost, differing, findings }
  return {
    ...NO_CONTENT,
    ledger: await plansOf(dates, first, family, { ...measure, ...context }),
    statesOpenings: stateOpenings(dates),
    controls: dates.flatMap((at) => controlsOf(at, first.start, context)),
    unread: lost,
    differing,
    findings,
  }
}

/** Lines that are left out, and accounts of which all lines are. */
const lostLines = (measured: readonly MeasuredReport[], unknown: readonly AccountRow[]): UnreadRow[] => [
  ...measured.flatMap((report) => report.unread),
  ...unknown.map(({ file, row, id }): UnreadRow => {
    const own = measured.flatMap(({ measures }) => measures.get(id) ?? [])
    const isOpened = own.some(({ opening }) => (opening?.minor ?? 0) !== 0)
    const entries = [...new Set(own.flatMap(({ unsigned }) => [...unsigned]))]
    const entry = entries.length > LISTED ? null : entries
    return { file, row, of: isOpened ? 'either' : 'entry', account: id, entry }
  }),
]

/** A report, and the forms of its figures and dates where these are clear. */
interface FormedReport {
  readonly scan: ReportScan
  readonly forms: Forms | null
}

interface MeasuredReports {
  /** The reports whose figures and dates can be read. */
  readonly measured: readonly MeasuredReport[]
  /** Of the others, what is wrong with their form. */
  readonly findings: readonly Finding[]
  readonly context: MeasureContext
  readonly signs: Signs
}

async function measureAll(
  reports: readonly FormedReport[],
  { family, newContext, targetOf, scratch }: Reading,
): Promise<MeasuredReports> {
  const context = newContext()
  const measured: MeasuredReport[] = []
  for (const { scan, forms } of reports) {
    if (forms === null) continue
    const rowOf = rowWriter(scan.layout, { ...context, targetOf }, forms.dateFormat)
    const measure = new Measure(scan, forms, context, rowOf)
    measured.push(measure.report(await scratch.written(withHeader(headerOf(scan.layout), measure.rows()))))
  }
  return {
    measured,
    findings: reports.flatMap(({ scan, forms }) => (forms === null ? scan.findings : [])),
    context,
    signs: decideSigns(measured, context, family),
  }
}
