/**
 * A format of accounting programs that export reports: ledgers by account, journals, and the list of accounts, as text or
 * workbook. What is peculiar to the program is data (report-layout.ts); the rest is done here for all of them.
 */
import {
  BASES,
  type Basis,
  byCodePoint,
  type Classification,
  isProfitAndLoss,
} from '../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../workspace/company.ts'
import { type Finding, hasErrors } from '../workspace/finding.ts'
import { notChecked } from '../workspace/not-checked.ts'
import { chartRows, kindFindings } from './account-kinds.ts'
import { type Carried, NOTHING_CARRIED } from './carried.ts'
import type { Format, SourceFile } from './format.ts'
import type { UnreadRow } from './intake.ts'
import { accountsOf } from './report-accounts.ts'
import {
  type BooksContext,
  controlsOf,
  type Dated,
  dated,
  OPENING_JOURNAL,
  opensBooks,
  planOf,
  yearStartOf,
} from './report-books.ts'
import {
  balanceFindings,
  basisFindings,
  currencyFindings,
  decideSigns,
  entryFindings,
  formsOf,
  impliedOpenings,
  overlapFindings,
  periodFindings,
  stateOpenings,
} from './report-checks.ts'
import { Grouping } from './report-entries.ts'
import type { Forms } from './report-figures.ts'
import { type ReportFamily, reportsIn } from './report-layout.ts'
import { type MeasureContext, type MeasuredReport, measureReport } from './report-measure.ts'
import { memberId, membersOf, targetsOf } from './report-members.ts'
import { openReports } from './report-open.ts'
import type { ReportScan } from './report-scan.ts'
import { surveyReports } from './report-survey.ts'
import type { Scratch } from './scan.ts'

export const reportFormat = (family: ReportFamily): Format => ({
  id: family.id,
  name: family.name,
  knownBy: family.knownBy,
  place: { folder: `${family.id}/`, extension: null },
  looksLike: (look) => reportsIn(look, family).length > 0,
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
): Promise<Carried> {
  const { scans, chart, findings: unreadable } = await openReports(family, sources)
  const accounts = accountsOf(scans, chart, family, company.accounts)
  const targets = targetsOf(scans, company.dimensions)
  const { members, findings: memberFindings } = membersOf(scans, targets)
  const forms = scans.map((scan) => formsOf(scan, setting))
  const findings: Finding[] = [
    ...unreadable,
    ...accounts.findings,
    ...forms.flatMap((form) => form.findings),
    ...memberFindings,
    ...scans.flatMap((scan) => [...basisFindings(scan, setting), ...currencyFindings(scan, company)]),
    ...kindFindings([...accounts.used.values()], company, { column: 'account', evidence: 'type' }),
  ]
  const isKind = (id: string, is: (classification: Classification) => boolean): boolean => {
    const classification = accounts.used.get(id)?.kind?.classification
    return classification !== undefined && is(classification)
  }
  const isCredit = (id: string): boolean =>
    isKind(id, (kind) => ['Liability', 'Equity', 'Income', 'OtherIncome'].includes(kind))
  const carried = { ...NOTHING_CARRIED, ledger: [], controls: [] } as {
    -readonly [key in keyof Carried]: Carried[key]
  }
  for (const basis of BASES) {
    const own = scans.flatMap((scan, i) =>
      basisIn(scan, setting) === basis ? [{ scan, forms: forms[i]!.forms }] : [],
    )
    const part = await readBasis(own, {
      family,
      // What is wrong with an account is one mistake: figures of unknown sign would only repeat it.
      isSound: !hasErrors(findings),
      scratch,
      measure: {
        currency: company.currency,
        idOf: accounts.idOf,
        isCredit,
        isResult: (id) => isKind(id, (kind) => isProfitAndLoss(kind)),
        isEquity: (id) => isKind(id, (kind) => kind === 'Equity'),
        startsYear: (date) => yearStartOf(company, date) === date,
        grouping: new Grouping(family),
        days: new Map(),
      },
      books: {
        company,
        basis,
        accounts: accounts.used,
        targetOf: (dimension) => targets.get(dimension) ?? 'none',
        memberOf: memberId,
      },
    })
    findings.push(...part.findings)
    carried.ledger = [...carried.ledger, ...part.ledger]
    carried.controls = [...carried.controls, ...part.controls]
    carried.unread = [...carried.unread, ...part.unread]
    carried.statesOpenings ||= part.statesOpenings
  }
  return {
    ...carried,
    accounts: chartRows([...accounts.used.values()].map(({ doubt: _, ...account }) => account)),
    // A list that company.yaml names says which members there are.
    classes: company.classes === undefined ? members.class : [],
    departments: company.departments === undefined ? members.department : [],
    openingJournals: [OPENING_JOURNAL],
    closingTypes: family.closingTypes ?? [],
    sources: sources.map(({ file, scan, look }) => ({
      file,
      bytes: scan.bytes,
      sha256: scan.sha256,
      encoding: look.workbook === null ? look.encoding : 'xlsx',
      role: scans.some(({ source }) => source.file === file) ? ('ledger' as const) : ('chart' as const),
      rows: scans.filter(({ source }) => source.file === file).reduce((sum, { rows }) => sum + rows, 0),
    })),
    ledger: canGoOn(findings, carried.unread) ? carried.ledger : [],
    findings,
  }
}

/** Every error is of a line that was left out, or of entries whose lines were all read: the others can be judged. */
const canGoOn = (findings: readonly Finding[], unread: readonly UnreadRow[]): boolean =>
  findings.every(
    ({ severity, code, file, row }) =>
      severity === 'warning' ||
      code === 'unbalanced-transaction' ||
      unread.some((line) => line.file === file && line.row === row),
  )

/** Numbers of entries are the books' to judge, which know of all lines. */
const entriesNotChecked = (reports: readonly MeasuredReport[]): Finding[] =>
  reports.flatMap(({ unread, entries }) =>
    unread.length === 0 || entries === 'none' ? [] : [notChecked('whether entries balance', unread)],
  )

/** A report says itself on which basis it was run; what it does not say, company.yaml does. */
export const basisIn = (scan: ReportScan, setting: Pick<LedgerSetting, 'basis'>): Basis =>
  scan.basis ?? (setting.basis === 'cash' ? 'CASH' : 'ACCRUAL')

/** What a report leaves out of its openings is missing in the books, where it opens them. */
const missingOpenings = (dates: readonly Dated[], context: BooksContext): Finding[] =>
  dates.flatMap((at) => (opensBooks(at, dates[0]!.start, context) ? (at.report.missingOpenings ?? []) : []))

interface Reading {
  readonly family: ReportFamily
  readonly isSound: boolean
  readonly scratch: Scratch
  readonly measure: MeasureContext
  readonly books: Omit<BooksContext, keyof MeasureContext | 'signs'>
}

async function readBasis(
  own: readonly { readonly scan: ReportScan; readonly forms: Forms | null }[],
  { family, isSound, scratch, measure, books }: Reading,
): Promise<Pick<Carried, 'ledger' | 'statesOpenings' | 'controls' | 'unread' | 'findings'>> {
  const measured: MeasuredReport[] = []
  const unread: Finding[] = []
  for (const { scan, forms } of own)
    if (forms === null) unread.push(...scan.findings)
    else measured.push(await measureReport(scan, forms, measure))
  const read = measured.flatMap((report) => report.findings)
  if (measured.length === 0) return { ...NOTHING_CARRIED, findings: [...unread, ...read] }
  const signs = decideSigns(measured, measure.days, family)
  const context: BooksContext = { ...measure, ...books, signs }
  const dates = measured
    .flatMap((report): readonly Dated[] => {
      const at = dated(report, context, measured)
      return at === null ? [] : [at]
    })
    .sort((a, b) => byCodePoint(a.start, b.start))
  const lost = measured.flatMap((report) => report.unread)
  const findings = [
    ...unread,
    ...read,
    ...entriesNotChecked(measured),
    ...overlapFindings(measured),
    ...periodFindings(dates),
    ...missingOpenings(dates, context),
    // Entries add up once their lines can be read and signed.
    ...(isSound && canGoOn(read, lost)
      ? [
          ...entryFindings(measured, measure, signs),
          ...balanceFindings(measured, signs, measure.currency),
          ...impliedOpenings(dates, signs, measure.currency, books.company),
        ]
      : []),
  ]
  const [first] = dates
  if (first === undefined || !isSound || !canGoOn(findings, lost))
    return { ...NOTHING_CARRIED, unread: lost, findings }
  const ledger = []
  for (const at of dates) ledger.push(await planOf(at, first.start, scratch, context))
  return {
    ledger,
    statesOpenings: stateOpenings(dates),
    controls: dates.flatMap((at) => controlsOf(at, first.start, context)),
    unread: lost,
    findings,
  }
}
