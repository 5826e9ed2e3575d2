/** Reads reports: what is peculiar to a program is data (programs/), and what a row is follows from its form (rows/). */
import { firstDay, monthOf } from '../../../contract/calendar.ts'
import { isCurrency } from '../../../contract/currency.ts'
import {
  BASES,
  type Basis,
  byCodePoint,
  type Classification,
  isOnCreditSide,
  isProfitAndLoss,
} from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import type { Assumed, Setting } from '../../../workspace/company-edit.ts'
import { LISTED } from '../../../workspace/findings/cap-findings.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import { BLANK } from '../../../workspace/yaml-file.ts'
import { claimText } from '../../claims/claim-texts.ts'
import { claimColumns } from '../../claims/claims.ts'
import { chartRows, kindFindings, unclassifiedRows } from '../../format/account-kinds.ts'
import { type FormatContent, joinContent, NO_CONTENT } from '../../format/content.ts'
import { fiscalYearAt, wholeYears, yearBeginning } from '../../format/fiscal-years.ts'
import { NOTHING_SURVEYED, type Reader, recordOf, type SourceFile, type Survey } from '../../format/format.ts'
import { type AccountRow, basisOfEntry, type UnreadRow } from '../../format/intake.ts'
import { withHeader } from '../../format/records.ts'
import { areOthersRead } from '../../format/unread-rows.ts'
import type { Scratch } from '../../text/scan.ts'
import { accountsOf, type ChartEntry, type ReportAccounts } from './accounts.ts'
import {
  type BooksContext,
  controlsOf,
  type Dated,
  dated,
  headerOf,
  OPENING_JOURNAL,
  opensBooks,
  plansOf,
  rowWriter,
} from './books.ts'
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
import { hasSides } from './lines.ts'
import { Measure } from './measure/measure.ts'
import type { MeasureContext, MeasuredReport } from './measure/measured.ts'
import { membersOf, targetsOf } from './members.ts'
import { type Opened, openReports } from './open.ts'
import type { Forms } from './rows/figures.ts'
import { currenciesIn, type ReportFamily, type Target } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'

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
  const unclassified = unclassifiedRows(findings)
  const parts: FormatContent[] = []
  for (const basis of BASES) {
    const own = reports.filter(({ scan }) => basisOf(scan, setting) === basis)
    const isSound = findings.every(isOfKinds)
    const reading = { family, company, accounts, targets, isSound, unclassified, scratch }
    const part = await readBasis(basis, own, reading)
    findings.push(...part.findings)
    parts.push(part)
  }
  const joined = joinContent(parts)
  return {
    ...joined,
    accounts: [
      ...chartRows([...accounts.used.values()].map(({ doubt: _, ...account }) => account)),
      ...unclassified,
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
      claimText(title, { file, row: null, what: 'title' }, 'the entry', setting, { currency }),
    ),
  ),
]

/** Lines can be read and compared, even where the kinds of some accounts are unknown. */
const isOfKinds = ({ severity, code }: Finding): boolean =>
  severity !== 'error' || code === 'unclassified-account'

/** Each file once, whatever its sheets hold. */
const sourcesOf = (sources: readonly SourceFile[], scans: readonly ReportScan[]): FormatContent['sources'] =>
  sources.map((each) => {
    const own = scans.filter(({ source }) => source === each.file)
    const delimiter = own[0]?.delimiter
    return {
      ...recordOf(each),
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
const basisOf = (scan: ReportScan, setting: Pick<LedgerSetting, 'basis'>): Basis =>
  scan.basis ?? basisOfEntry(setting)

/** Openings that a report leaves out are missing in the books, where the report opens them. */
const missingOpenings = (dates: readonly Dated[], first: string, context: BooksContext): Finding[] =>
  dates.flatMap((at) => (opensBooks(at, first, context) ? (at.report.missingOpenings ?? []) : []))

interface Reading {
  readonly family: ReportFamily
  readonly company: Company
  readonly accounts: ReportAccounts
  readonly targets: ReadonlyMap<string, Target | 'none'>
  readonly isSound: boolean
  /** Accounts of an unknown kind: where there are no sides, their lines have no sign. */
  readonly unclassified: readonly AccountRow[]
  readonly scratch: Scratch
}

/** A report, and the forms of its figures and dates where these are clear. */
interface FormedReport {
  readonly scan: ReportScan
  readonly forms: Forms | null
}

async function readBasis(
  basis: Basis,
  own: readonly FormedReport[],
  { family, company, accounts, targets, isSound, unclassified, scratch }: Reading,
): Promise<FormatContent> {
  const measure = measureContext(company, accounts, unclassified)
  const targetOf = (dimension: string) => targets.get(dimension) ?? 'none'
  const measured: MeasuredReport[] = []
  for (const { scan, forms } of own) {
    if (forms === null) continue
    const rowOf = rowWriter(scan.layout, { ...measure, targetOf }, forms.dateFormat)
    const report = new Measure(scan, forms, measure, rowOf)
    measured.push(report.report(await scratch.written(withHeader(headerOf(scan.layout), report.rows()))))
  }
  const unread = own.flatMap(({ scan, forms }) => (forms === null ? scan.findings : []))
  const read = measured.flatMap((report) => report.findings)
  if (measured.length === 0) return { ...NO_CONTENT, findings: [...unread, ...read] }
  const signs = decideSigns(measured, measure, family)
  const context = { ...measure, company, basis, accounts: accounts.used, signs }
  const dates = measured
    .flatMap((report) => dated(report, context, measured) ?? [])
    .sort((a, b) => byCodePoint(a.start, b.start))
  const [first] = dates
  const lost = lostLines(measured, own.some(({ scan }) => !hasSides(scan)) ? unclassified : [])
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
    findings.push(...notFollowed, ...impliedOpenings(dates, signs, measure.currency, company))
  lost.push(...unknownOpenings(findings))
  if (first === undefined || !isSound || !areOthersRead(findings, lost))
    return { ...NO_CONTENT, unread: lost, differing, findings }
  return {
    ...NO_CONTENT,
    ledger: await plansOf(dates, first, family, context),
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

function surveyReports({ scans, chart, findings }: Opened, family: ReportFamily): Survey {
  const accounts = accountsOf(scans, chart, family, undefined)
  const { used, listed } = accounts
  const targets = targetsOf(scans, undefined)
  const { settings, comments } = formSettings(scans, family)
  if ([...used.values()].some(({ kind }) => kind === null)) comments.push(family.chartHint)
  const statesOpenings = scans.some(({ hasOpenings, period }) => hasOpenings || period === 'all')
  if (scans.length > 0 && !statesOpenings) comments.push(family.openingsHint)
  return {
    ...NOTHING_SURVEYED,
    currency: currencyOf(scans, chart),
    assumedMonthEnd: monthEndOf(scans, accounts),
    name: scans.find(({ company }) => company !== null)?.company ?? null,
    covers: scans.flatMap(({ span, layout, basis, accounts }) =>
      span === null
        ? []
        : [
            {
              start: span.first,
              end: span.last,
              holds: layout.kind === 'journal' ? null : holdsOf(basis, accounts),
            },
          ],
    ),
    dimensions: [...targets].map(([id, target]) => ({ id, name: id, target })),
    accounts: [...(scans.length > 0 ? used : listed).values()].map(({ id, name, kind, doubt }) => ({
      id,
      name,
      kind,
      doubt,
    })),
    statesOpenings,
    settings,
    comment: comments.join('; ') || null,
    findings: [...findings],
  }
}

/** A ledger may be exported in parts, some accounts each, and on each basis. */
const holdsOf = (basis: ReportScan['basis'], accounts: ReportScan['accounts']): ReadonlySet<string> =>
  new Set([...accounts.keys()].map((key) => `${basis ?? ''} ${key}`))

/** The one currency that headers, all lines, or all accounts of the list name. */
function currencyOf(scans: readonly ReportScan[], chart: readonly ChartEntry[]): string | null {
  const only = (named: readonly string[]): string | null => {
    const [first, ...others] = new Set(named.filter((code) => code !== ''))
    return first !== undefined && others.length === 0 && isCurrency(first) ? first : null
  }
  const ofReports = scans.flatMap(({ layout, currencies }) => [
    ...currenciesIn(layout.header),
    ...currencies.keys(),
  ])
  return only(ofReports.length > 0 ? ofReports : chart.map(({ currency }) => currency))
}

/** By the dates of the titles, else of the entries; else by what the first reports bring forward. */
function monthEndOf(scans: readonly ReportScan[], { used, ids }: ReportAccounts): Assumed<number> | null {
  const dated = scans.flatMap((scan) => {
    const { period, span } = scan
    if (period !== null && period !== 'all')
      return [{ scan, start: period.startDate, end: period.endDate, isStated: true }]
    if (span === null) return []
    return [{ scan, start: firstDay(monthOf(span.first)), end: span.last, isStated: false }]
  })
  const years = wholeYears(dated)
  if (years !== null) return years
  const [earliest] = dated.sort((a, b) => byCodePoint(a.start, b.start))
  const first = dated.filter(({ start }) => start === earliest?.start)
  // Only a report with balances shows that an account has none.
  if (earliest === undefined || !first.every(({ scan }) => scan.hasOpenings)) return null
  const brought = first.flatMap(({ scan }) =>
    [...scan.accounts].flatMap(([key, { isBroughtForward }]) =>
      isBroughtForward
        ? [{ classification: used.get(ids.get(key) ?? '')?.kind?.classification ?? null }]
        : [],
    ),
  )
  return yearBeginning(earliest, brought)
}

/** Settings for all files of the entry that the files themselves leave unclear. */
function formSettings(scans: readonly ReportScan[], family: ReportFamily) {
  const settings: Record<string, Setting> = {}
  const comments: string[] = []
  const open = scans.find(({ dates }) => dates.sample !== null && dates.formats.length !== 1)
  if (open !== undefined) {
    settings.dateFormat = BLANK
    comments.push(
      `dateFormat: how "${open.dates.sample}" is meant, ${open.dates.formats.join(' or ') || 'such as MM/DD/YYYY'}`,
    )
  }
  const unclear = scans.find(({ figures }) => figures.decimal === null)
  if (unclear !== undefined) {
    settings.decimal = BLANK
    comments.push(`decimal: "." or ",": how "${unclear.figures.unclear}" is meant; state "thousands" too`)
  }
  // A journal holds entries as they were made, which is the accrual basis.
  if (
    family.basis === undefined &&
    scans.some(({ basis, layout }) => basis === null && layout.kind === 'ledger')
  ) {
    settings.basis = BLANK
    comments.push('basis: accrual or cash, as the report was run')
  }
  return { settings, comments }
}
