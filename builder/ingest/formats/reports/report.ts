/**
 * A format of accounting programs that export reports: ledgers by account, journals, and the list of accounts, as
 * text or workbook. What is peculiar to a program is data (programs/); what a row is follows from its form
 * (rows/); the rest is done here for all of them. Owns these formats. Must not import another one.
 */
import {
  BASES,
  type Basis,
  byCodePoint,
  type Classification,
  isProfitAndLoss,
} from '../../../contract/vocabulary.ts'
import type { Company, LedgerSetting } from '../../../workspace/company.ts'
import type { Finding } from '../../../workspace/finding.ts'
import { notChecked } from '../../../workspace/not-checked.ts'
import { chartRows, kindFindings, unclassifiedRows } from '../../format/account-kinds.ts'
import { type Carried, NOTHING_CARRIED } from '../../format/content.ts'
import type { Format, SourceFile } from '../../format/format.ts'
import type { AccountRow, UnreadRow } from '../../format/intake.ts'
import { areOthersRead } from '../../format/unread-rows.ts'
import type { Scratch } from '../../text/scan.ts'
import { accountsOf } from './accounts.ts'
import {
  type BooksContext,
  controlsOf,
  type Dated,
  dated,
  OPENING_JOURNAL,
  opensBooks,
  planOf,
  yearStartOf,
} from './books.ts'
import {
  basisFindings,
  currencyFindings,
  decideSigns,
  entryFindings,
  formsOf,
  impliedOpenings,
  overlapFindings,
  periodFindings,
  statedFindings,
  stateOpenings,
} from './checks.ts'
import { Grouping } from './entries.ts'
import { hasSides } from './lines.ts'
import { measureReport } from './measure.ts'
import type { MeasureContext, MeasuredReport } from './measured.ts'
import { memberId, membersOf, targetsOf } from './members.ts'
import { openReports } from './open.ts'
import type { Forms } from './rows/figures.ts'
import { type ReportFamily, reportsIn } from './rows/layout.ts'
import type { ReportScan } from './rows/scan.ts'
import { surveyReports } from './survey.ts'

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
  const unknown = unclassifiedRows(findings)
  const unknownIds = new Set(unknown.map(({ id }) => id))
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
      isSound: findings.every(
        ({ severity, code }) => severity === 'warning' || code === 'unclassified-account',
      ),
      unknown: own.some(({ scan }) => !hasSides(scan)) ? unknown : [],
      scratch,
      measure: {
        currency: company.currency,
        idOf: accounts.idOf,
        isUnknown: (id) => unknownIds.has(id),
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
    carried.differing = [...carried.differing, ...part.differing]
    carried.statesOpenings ||= part.statesOpenings
  }
  return {
    ...carried,
    accounts: [
      ...chartRows([...accounts.used.values()].map(({ doubt: _, ...account }) => account)),
      ...unknown,
    ],
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
      ...delimiterOf(scans.find(({ source }) => source.file === file)?.delimiter),
    })),
    ledger: areOthersRead(findings, carried.unread) ? carried.ledger : [],
    findings,
  }
}

const delimiterOf = (delimiter: string | null | undefined) => (delimiter ? { delimiter } : {})

/** Openings that are missing or stand twice: what the accounts open with is not known. */
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

/** A line of an unknown day may be of any entry, where entries have no numbers: the books judge those that have. */
const entriesNotChecked = (reports: readonly MeasuredReport[], { isDoubted }: Grouping): Finding[] =>
  reports.flatMap(({ unread, entries }) => {
    const lost = unread.filter(({ of }) => of === 'entry')
    return isDoubted && entries === 'none' && lost.length > 0
      ? [notChecked('whether entries balance', lost)]
      : []
  })

/** A report says itself on which basis it was run; what it does not say, company.yaml does. */
export const basisIn = (scan: ReportScan, setting: Pick<LedgerSetting, 'basis'>): Basis =>
  scan.basis ?? (setting.basis === 'cash' ? 'CASH' : 'ACCRUAL')

/** What a report leaves out of its openings is missing in the books, where it opens them. */
const missingOpenings = (dates: readonly Dated[], context: BooksContext): Finding[] =>
  dates.flatMap((at) => (opensBooks(at, dates[0]!.start, context) ? (at.report.missingOpenings ?? []) : []))

interface Reading {
  readonly family: ReportFamily
  readonly isSound: boolean
  /** Accounts whose lines have no sign, since nothing says what kind they are. */
  readonly unknown: readonly AccountRow[]
  readonly scratch: Scratch
  readonly measure: MeasureContext
  readonly books: Omit<BooksContext, keyof MeasureContext | 'signs'>
}

async function readBasis(
  own: readonly { readonly scan: ReportScan; readonly forms: Forms | null }[],
  { family, isSound, unknown, scratch, measure, books }: Reading,
): Promise<Pick<Carried, 'ledger' | 'statesOpenings' | 'controls' | 'unread' | 'differing' | 'findings'>> {
  const measured: MeasuredReport[] = []
  const unread: Finding[] = []
  for (const { scan, forms } of own)
    if (forms === null) unread.push(...scan.findings)
    else measured.push(await measureReport(scan, forms, measure))
  const read = measured.flatMap((report) => report.findings)
  if (measured.length === 0) return { ...NOTHING_CARRIED, findings: [...unread, ...read] }
  const signs = decideSigns(measured, measure, family)
  const context: BooksContext = { ...measure, ...books, signs }
  const dates = measured
    .flatMap((report): readonly Dated[] => {
      const at = dated(report, context, measured)
      return at === null ? [] : [at]
    })
    .sort((a, b) => byCodePoint(a.start, b.start))
  const lost: UnreadRow[] = [
    ...measured.flatMap((report) => report.unread),
    ...unknown.map(({ file, row, id }): UnreadRow => {
      const isOpened = measured.some(({ measures }) => (measures.get(id)?.opening?.minor ?? 0) !== 0)
      return { file, row, of: isOpened ? 'either' : 'entry', account: id }
    }),
  ]
  const findings = [
    ...unread,
    ...read,
    ...entriesNotChecked(measured, measure.grouping),
    ...overlapFindings(measured),
    ...periodFindings(dates),
    ...missingOpenings(dates, context),
  ]
  const stated = statedFindings(measured, signs, measure.currency)
  // Entries add up once their lines can be read and signed.
  if (isSound && areOthersRead(read, [...lost, ...unknownOpenings(read)]))
    findings.push(
      ...entryFindings(measured, measure, signs),
      ...stated.findings,
      ...impliedOpenings(dates, signs, measure.currency, books.company),
    )
  lost.push(...unknownOpenings(findings))
  const { differing } = stated
  const [first] = dates
  if (first === undefined || !isSound || !areOthersRead(findings, lost))
    return { ...NOTHING_CARRIED, unread: lost, differing, findings }
  const ledger = []
  const entries = new Map<string, ReadonlyMap<number, string>>()
  for (const at of dates) {
    const { plan, lost: named } = await planOf(at, first.start, scratch, context)
    ledger.push(plan)
    entries.set(plan.file, named)
  }
  return {
    ledger,
    statesOpenings: stateOpenings(dates),
    controls: dates.flatMap((at) => controlsOf(at, first.start, context)),
    unread: lost.map((line) =>
      line.entry === null ? { ...line, entry: entries.get(line.file)?.get(line.row) ?? null } : line,
    ),
    differing,
    findings,
  }
}
