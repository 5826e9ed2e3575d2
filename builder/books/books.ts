/**
 * One company's canonical books: everything that its figures are made from, checked, in DuckDB. Owns the frame
 * (accounts, trees, calendar), postings, openings and their checks, and every line of SQL. Must not know file
 * formats or the interface's JSON.
 */
import { firstDay, lastDay, later, monthOf } from '../contract/calendar.ts'
import { currencyDecimals } from '../contract/currency.ts'
import { BASES, type Basis } from '../contract/vocabulary.ts'
import { bookFiles, type Intake, type UnreadRow } from '../ingest/format/intake.ts'
import { keysOf, writtenAccountKeys } from '../ingest/format/keys.ts'
import type { Company } from '../workspace/company.ts'
import { error, type Finding, hasErrors } from '../workspace/finding.ts'
import { areKindsKnown, areLinesKnown, isSound, notTold, withEvidence } from './after-errors.ts'
import { auditFindings } from './audit.ts'
import { budgetEquityFindings } from './budget-equity.ts'
import { type BudgetFigure, budgetFigures, budgetOf, budgetResults } from './budget-figures.ts'
import { budgetSignFindings } from './budget-signs.ts'
import { offerCashBasis } from './cash-offer.ts'
import { createLeaves } from './cells.ts'
import { checkControls } from './controls.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { disposalAccounts, grossUpDisposals } from './disposals.ts'
import { Doubts, leftOutOf } from './doubts.ts'
import { surveyEntries } from './entries.ts'
import {
  fiscalMonthEndOf,
  fiscalYearFindings,
  fiscalYearOf,
  fiscalYearsBetween,
  unlistedYearFindings,
  yearEndIn,
} from './fiscal.ts'
import { accountsOf, type Frame, inWireOrder } from './frame.ts'
import { frameFindings, lateLockFindings, lockFindings } from './frame-findings.ts'
import { type InputTotals, inputTotals, type LedgerKeys, type LinesBefore, loadLedger } from './ledger.ts'
import { basisName, checkLedger } from './ledger-checks.ts'
import { differencesOf, leaveOutUnread } from './left-out.ts'
import { entryMarks, markFindings, matching } from './marks.ts'
import { type MetricValue, metricValues } from './metric-values.ts'
import { contradictedFindings, missingFindings, openingQuestions } from './opening-questions.ts'
import {
  checkContinuity,
  countedOpenings,
  createOpenings,
  type OpeningCell,
  statedOpenings,
} from './openings.ts'
import {
  createPostings,
  type LinesRead,
  markClosing,
  type PostedLines,
  turnoverFindings,
} from './postings.ts'
import { doubledFindings, overlapFindings, repeatFindings } from './repeats.ts'
import { bookRounding, roundingRule } from './rounding.ts'
import { type Tree, treeOf } from './tree.ts'
import { checkTrialBalances } from './trial-balances.ts'

export interface Books {
  readonly frame: Frame
  readonly db: Database
  readonly openings: readonly OpeningCell[]
  readonly budgetFigures: readonly BudgetFigure[]
  readonly metricValues: readonly MetricValue[]
}

export interface BooksResult {
  /** Null where the findings hold errors. */
  readonly books: Books | null
  readonly findings: readonly Finding[]
  readonly inputs: readonly InputTotals[]
  /** Figures stated by the sources themselves that the books agree with. */
  readonly controlsAgreed: number
  /** Null where the lines are not what is published of them: some were left out, or put in order. */
  readonly read: LinesRead | null
}

/** Makes the books. The caller closes `books.db`; where there are none it is closed here. */
export async function makeBooks(
  company: Company,
  intake: Intake,
  resources: DatabaseOptions = {},
  linesBefore?: LinesBefore,
  /** Through which day the books are closed, where that is not the setting's to say. */
  closedThrough: string | null = company.lockDate ?? null,
): Promise<BooksResult> {
  const db = await openDatabase(resources)
  const result = await load(db, company, intake, linesBefore, closedThrough).catch((problem: unknown) => {
    db.close()
    throw problem
  })
  if (result.books === null) db.close()
  return result
}

async function load(
  db: Database,
  company: Company,
  intake: Intake,
  linesBefore: LinesBefore | undefined,
  closedThrough: string | null,
): Promise<BooksResult> {
  const decimals = currencyDecimals(company.currency)
  // Codes follow the wire order of accounts, so that figures come out of the cube in the order they are written.
  const accountRows = inWireOrder(intake.accounts)
  const classes = treeOf(intake.classes)
  const departments = treeOf(intake.departments)
  const keys: LedgerKeys = {
    accounts: writtenAccountKeys(accountRows.map((row, code) => ({ ...row, means: code }))),
    classes: memberKeys(classes),
    departments: memberKeys(departments),
  }
  const files = bookFiles(intake)
  const statedYears = company.fiscalYears ?? intake.fiscalYears
  const rounding = roundingRule(company.rounding, decimals)
  const options = {
    decimals,
    currency: company.currency,
    reach: rounding?.reach ?? null,
    opening: {
      ...entryMarks(company.opening),
      journals: company.opening?.journals ?? intake.openingJournals,
      files: (company.opening?.files ?? []).flatMap((pattern) => matching(files, pattern)),
      transactions: company.opening?.transactions ?? [],
    },
    closing: { ...entryMarks(company.closing), types: company.closing?.types ?? intake.closingTypes },
    yearEndOf: (year: number) => yearEndIn(year, statedYears, company.fiscalMonthEnd),
  }
  const readings = await loadLedger(db, intake.ledger, keys, options, linesBefore)
  const readFindings = readings.flatMap((reading) => reading.findings)
  const findings: Finding[] = [
    ...intake.findings,
    ...readFindings,
    ...(await markFindings(db, company, files, keys.accounts)),
  ]
  const entries = await surveyEntries(db)
  const checking = {
    rejected: readFindings,
    judged: files.flatMap((file, i) =>
      intake.unread.some((row) => row.entry === undefined && lacksLine(row, file)) ? [i] : [],
    ),
    lacking: intake.unread.flatMap(({ entry }) => entry ?? []),
    ofAnyEntry: intake.unread.filter(({ entry }) => entry === null),
    decimals,
    rounding,
    currency: company.currency,
    inputs: intake.ledger,
    keys,
    entries,
  }
  const rowFindings = await checkLedger(db, checking)
  findings.push(...notTold(intake.findings, rowFindings))
  findings.push(...(await doubledFindings(db, files, entries, intake.findings)))
  const inputs = await inputTotals(db, intake.ledger, readings)
  const leftOut = [
    ...leftOutOf(intake.unread, keys.accounts),
    ...(await leaveOutUnread(db, checking, rowFindings)),
  ]
  const doubts = new Doubts(leftOut, hasErrors(findings) ? await differencesOf(db) : [])
  const canGoOn = () => areLinesKnown(findings, keys.accounts, leftOut, intake.sources)
  const tellContradictions = () => {
    const { told, ofOpenings } = doubts.contradictions(intake.differing)
    const shown = findings.map((found) => withEvidence(found, ofOpenings))
    findings.splice(0, findings.length, ...shown, ...told)
  }
  const stop = (): BooksResult => ({ books: null, findings, inputs, controlsAgreed: 0, read: null })
  const stopEarly = (): BooksResult => {
    tellContradictions()
    return stop()
  }

  const budgets = budgetFigures(company, keys, intake.budgets)
  const metrics = metricValues(keys, intake.metrics)
  findings.push(...budgets.findings, ...metrics.findings)
  findings.push(...fiscalYearFindings(statedYears, 'company.yaml'))
  const span = await ledgerSpan(db)
  if (span === null && !hasErrors(findings))
    findings.push(
      error('no-transactions', 'the ledger files hold no transactions', {
        file: files[0] ?? null,
        remedy: 'export the ledger with its postings, not only balances',
      }),
    )
  if (span === null || !canGoOn()) return stopEarly()

  const last = later(closedThrough, span.to)!
  const covered = { startDate: span.from, endDate: lastDay(monthOf(last)) }
  const fiscalYears = fiscalYearsBetween(
    covered.startDate,
    covered.endDate,
    statedYears,
    company.fiscalMonthEnd,
  )
  const lastPosted = fiscalYearOf(fiscalYears, span.to)!
  findings.push(
    ...unlistedYearFindings(statedYears, covered, 'company.yaml'),
    ...lateLockFindings(company.lockDate, lastDay(monthOf(lastPosted.end)), span.to),
  )
  const declared = [...(company.budgets ?? []), ...intake.budgets]
  const accounts = accountsOf(accountRows, await accountsWithFigures(db, keys, intake, budgets.figures))
  const disposals = disposalAccounts(company.disposals?.gainsAndLosses ?? [], accounts, keys.accounts)
  findings.push(...disposals.findings)
  const results = budgetResults(company, keys, accounts, budgets.figures)
  findings.push(...results.findings)
  const frame: Frame = {
    companyId: company.id,
    name: company.name,
    currency: company.currency,
    fiscalMonthEnd: fiscalMonthEndOf(fiscalYears.at(-1)!, company.fiscalMonthEnd),
    accounts,
    classes,
    departments,
    fiscalYears,
    coverage: { startDate: firstDay(monthOf(fiscalYears[0]!.start)), endDate: covered.endDate },
    bases: span.bases,
    basisSources: Object.fromEntries(
      span.bases.map((basis) => [basis, basis === 'ACCRUAL' ? 'Books' : 'Exported']),
    ),
    budgets: [...new Map(declared.map((budget) => [budget.id, budget.name]))].map(([id, name]) =>
      budgetOf({ id, name, ...results.of(id) }, [
        ...budgets.figures.filter((figure) => figure.budget === id).map((figure) => figure.month),
        ...metrics.values.filter((value) => value.budget === id).map((value) => monthOf(value.date)),
      ]),
    ),
    metrics: intake.metricDefinitions,
    lockedThrough: closedThrough,
    disposals: disposals.codes,
  }
  if (areKindsKnown(findings))
    findings.push(...frameFindings(frame, isSound(findings, intake.sources, 'budget')))
  if (!canGoOn()) return stopEarly()

  const read = await createPostings(db, frame)
  const areWhole = doubts.isEmpty
  if (areWhole) findings.push(...(await bookRounding(db, frame, keys.accounts, company.rounding, files)))
  const sources = {
    rows: intake.openings,
    priorResults: intake.priorResults,
    priorYearsNotClosed: company.opening?.priorYearsNotClosed,
    priorYearsLine: intake.priorYearsLine ?? 0,
    files,
  }
  const { stated, findings: openingFindings } = await statedOpenings(db, frame, keys, sources)
  const counted = countedOpenings(frame, stated, sources, doubts)
  const isStated = intake.statesOpenings || stated.length > 0 || intake.trialBalances.length > 0
  findings.push(...openingFindings, ...counted.findings, ...contradictedFindings(counted.openings, company))
  await createOpenings(db, counted.openings)
  const controls = () => checkControls(db, frame, keys, counted.openings, intake.controls, doubts)
  if (!areKindsKnown(findings)) {
    tellContradictions()
    findings.push(...(await controls()).findings, ...doubts.findings())
    return stop()
  }
  // A row that was left out may be one of them.
  const mayBeUnread = doubts.of(null).length > 0
  findings.push(...(await openingQuestions(db, frame, files, company, isStated || mayBeUnread)))
  const closingAccounts = company.closing?.accounts ?? intake.closingAccounts
  const closing = await markClosing(
    db,
    frame,
    closingAccounts.flatMap((id) => keys.accounts.get(id) ?? []),
    files,
  )
  const turnover = await turnoverFindings(db, frame)
  findings.push(
    // Of an entry that lacks a line, or does not balance, the lines need not have a counterpart.
    ...(areWhole ? closing : []),
    ...(await checkContinuity(db, frame, stated, counted.openings, files, doubts)),
    ...turnover,
    ...(await lockFindings(db, frame, files)),
    ...(await repeatFindings(db, frame, files, entries)),
    ...(await overlapFindings(db, files, entries)),
  )
  if (turnover.length > 0) return stopEarly()
  // The cash basis and an auditor's questions are of books that are right as far as they go.
  const cash = areWhole
    ? await offerCashBasis(db, frame, company.cashBasis ?? {}, counted.openings)
    : { derived: false, openings: counted.openings, findings: [] }
  findings.push(...cash.findings)
  await grossUpDisposals(db, frame, frame.disposals)
  await createLeaves(db, frame)
  findings.push(
    ...(areWhole ? await auditFindings(db, frame, files) : []),
    ...(await budgetSignFindings(db, frame, budgets.figures, company.budgets)),
    ...budgetEquityFindings(frame, budgets.figures, company.budgets),
    ...(isStated ? [] : await missingFindings(db, frame, doubts)),
  )
  tellContradictions()
  const agreeing = await controls()
  const balances = await checkTrialBalances(
    db,
    cash.derived ? withDerivedCash(frame) : frame,
    keys,
    cash.openings,
    readable(intake.trialBalances, findings),
    doubts,
  )
  findings.push(...agreeing.findings, ...balances.findings, ...doubts.findings())
  if (hasErrors(findings)) return stop()
  await db.run('DROP TABLE raw; DROP TABLE opening_line')
  return {
    books: {
      frame: cash.derived ? withDerivedCash(frame) : frame,
      db,
      openings: cash.openings,
      budgetFigures: budgets.figures,
      metricValues: metrics.values,
    },
    findings,
    inputs: inputs.map((input) => ({ ...input, posted: postedOf(read, files, input.file) })),
    controlsAgreed: agreeing.agreed + balances.agreed,
    read: read.wereInOrder && readFindings.length + rowFindings.length === 0 ? read : null,
  }
}

/** A format may make several inputs of one file. */
function postedOf({ postings }: LinesRead, files: readonly string[], file: string): PostedLines {
  const own = files.flatMap((each, i) => (each === file ? (postings.get(i) ?? []) : []))
  const sum = (of: (lines: PostedLines) => string) =>
    String(own.reduce((total, each) => total + BigInt(of(each)), 0n))
  return {
    lines: own.reduce((total, { lines }) => total + lines, 0),
    debit: sum(({ debit }) => debit),
    credit: sum(({ credit }) => credit),
  }
}

const withDerivedCash = (frame: Frame): Frame => ({
  ...frame,
  bases: BASES,
  basisSources: { ...frame.basisSources, CASH: 'Derived' },
})

const lacksLine = (row: UnreadRow, file: string): boolean =>
  row.file === file && (row.of === 'entry' || row.of === 'either')

/** One with a row that cannot be read lacks that account: its own mistake is told. */
const readable = (inputs: Intake['trialBalances'], findings: readonly Finding[]): Intake['trialBalances'] => {
  const unread = new Set(findings.flatMap(({ severity, file }) => (severity === 'error' ? [file] : [])))
  return inputs.filter(({ file }) => !unread.has(file))
}

const memberKeys = (tree: Tree) =>
  keysOf(tree.members.map((member, i) => ({ id: member.id, other: member.name, means: i + 1 })))

async function accountsWithFigures(
  db: Database,
  keys: LedgerKeys,
  intake: Intake,
  budgets: readonly BudgetFigure[],
): Promise<Set<number>> {
  const used = await db.rows<{ account: number }>(
    'SELECT DISTINCT account FROM line WHERE account IS NOT NULL',
  )
  return new Set([
    ...used.map((row) => row.account),
    ...intake.openings.flatMap((row) => keys.accounts.get(row.account) ?? []),
    ...budgets.map((figure) => figure.account),
  ])
}

async function ledgerSpan(db: Database): Promise<{ from: string; to: string; bases: Basis[] } | null> {
  const [span] = await db.rows<{ from: string | null; to: string | null }>(
    `SELECT min(day)::VARCHAR AS from, max(day)::VARCHAR AS to FROM line WHERE NOT opening`,
  )
  if (!span?.from || !span.to) return null
  const bases = (
    await db.rows<{ basis: number }>(
      'SELECT DISTINCT basis FROM line WHERE NOT opening AND basis IS NOT NULL',
    )
  ).map((row) => basisName(row.basis))
  return { from: span.from, to: span.to, bases: BASES.filter((basis) => bases.includes(basis)) }
}
