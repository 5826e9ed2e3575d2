/**
 * Makes the books of one company in DuckDB and checks them: every figure is computed from them. Owns the frame (accounts,
 * dimension trees, fiscal calendar), the postings, the openings and all SQL. Must not know file formats or the JSON of the
 * interface.
 */

import { tmpdir } from 'node:os'
import { BASES } from '../contract/vocabulary.ts'
import { type Database, type DatabaseOptions, foldersOf, openDatabase } from '../database/database.ts'
import type { Rows } from '../ingest/format/column-rows.ts'
import type { Intake } from '../ingest/format/intake.ts'
import type { Company } from '../workspace/company.ts'
import { type Finding, hasErrors } from '../workspace/findings/finding.ts'
import { offerCashBasis } from './cash-basis/offer.ts'
import { dropFlowTables, grossUpDisposals, placeByEntry } from './cash-flow/by-entry.ts'
import { flowFindings } from './cash-flow/findings.ts'
import { areKindsKnown } from './check/after-errors.ts'
import { auditFindings } from './check/audit.ts'
import { checkControls } from './check/controls.ts'
import { fluxFindings } from './check/flux.ts'
import { type AgreedReport, checkReports } from './check/reports/own-reports.ts'
import type { ReportBooks } from './check/reports/sums.ts'
import { checkTrialBalances, openingBalance } from './check/trial-balances.ts'
import { type AccountingRules, NEWEST_RULES } from './post/accounting-rules.ts'
import { budgetEquityFindings } from './post/budget-equity.ts'
import type { BudgetFigure } from './post/budget-figures.ts'
import { budgetSignFindings } from './post/budget-signs.ts'
import { checkContinuity } from './post/carried-openings.ts'
import { closeUnmarked, divideClosings, markClosing } from './post/closing.ts'
import { extraDayFindings } from './post/extras.ts'
import type { MetricValues } from './post/metric-values.ts'
import { contradictedFindings, missingFindings, openingQuestions } from './post/opening-questions.ts'
import { countedOpenings, createOpenings, type OpeningCell, statedOpenings } from './post/openings.ts'
import { createPostings, type PostedByFile, type PostedLines, turnoverFindings } from './post/postings.ts'
import { bookRounding } from './post/rounding.ts'
import type { LedgerEngine } from './read/engine/engine.ts'
import type { InputTotals } from './read/input-totals.ts'
import { withKeys } from './read/parquet/keys.ts'
import { type Lines, type Making, makingOf, readLines, reportContradictions } from './read/read-lines.ts'
import { overlapFindings, repeatFindings } from './read/repeats.ts'
import type { Frame } from './reference/frame.ts'
import { lockFindings } from './reference/frame-findings.ts'
import { type Framed, makeFrame } from './reference/make-frame.ts'
import { budgetCells, createLeaves, type MonthlySums } from './sums/monthly-sums.ts'
export interface Books {
  readonly frame: Frame
  readonly db: Database
  readonly openings: readonly OpeningCell[]
  readonly budgetFigures: Rows<BudgetFigure>
  /** The same, budget by budget, for statements. */
  readonly budgetCells: ReadonlyMap<string, MonthlySums>
  readonly metricValues: MetricValues
}

export interface BooksResult {
  /** Null where the findings hold errors. */
  readonly books: Books | null
  readonly findings: readonly Finding[]
  readonly inputs: readonly InputTotals[]
  /** What the sources state of budgets of accounts of the statements. */
  readonly budgets: Intake['budgets']
  /** The number of control figures in the sources (closing balances, results, trial balances) that the books agree with. */
  readonly controlsAgreed: number
  /** The program's own reports with which the books agree. */
  readonly reportsAgreed: readonly AgreedReport[]
}

/**
 * Makes the books from what the importers read. The caller closes `books.db`; if the findings hold errors, `books` is null and
 * the database is closed already.
 */
export async function makeBooks(
  company: Company,
  intake: Intake,
  resources: DatabaseOptions = {},
  /** The books are closed through this day (`YYYY-MM-DD`), which overrides `lockDate` in company.yaml. */
  closedThrough: string | null = company.lockDate ?? null,
  engine: LedgerEngine | null = null,
  rules: AccountingRules = NEWEST_RULES,
  before: ReportBooks['before'] = null,
): Promise<BooksResult> {
  const files = intake.ledger.flatMap((input) =>
    input.kind === 'parquet' && input.table !== undefined ? [] : [input.path],
  )
  // Sources that are rewritten as CSV, and books that are only compared, lie among the temporary files.
  const folders = [...foldersOf(files), tmpdir(), ...(resources.folders ?? [])]
  const db = await openDatabase({ ...resources, folders, keepsSettings: false })
  try {
    const made = await load(makingOf(db, company, intake, closedThrough, engine, rules), before)
    const result = { ...made, findings: await withKeys(db, intake.ledger, made.findings) }
    if (result.books === null) db.close()
    return result
  } catch (problem) {
    db.close()
    throw problem
  }
}

async function load(making: Making, before: ReportBooks['before']): Promise<BooksResult> {
  const { db, findings } = making
  const { budgets } = making.intake
  const lines = await readLines(making)
  const stop = (): BooksResult => ({
    ...{ books: null, findings, inputs: lines.inputs, budgets, controlsAgreed: 0, reportsAgreed: [] },
  })
  const framed = await makeFrame(making, lines)
  if (framed === null) return stop()
  const posted = await post(making, lines, framed.frame)
  if (posted === null) return stop()
  if (!(await checkPosted(making, lines, framed.frame, posted))) return stop()
  const cash = await derive(making, lines, framed, posted)
  reportContradictions(making, lines)
  const agreed = await compareControls(making, lines, posted, cash, before)
  if (hasErrors(findings)) return stop()
  await db.run('DROP TABLE raw')
  return {
    books: {
      frame: cash.frame,
      db,
      openings: cash.openings,
      budgetFigures: framed.budgetFigures,
      budgetCells: budgetCells(framed.frame, framed.budgetFigures),
      metricValues: framed.metricValues,
    },
    findings,
    inputs: lines.inputs.map((input) => ({
      ...input,
      posted: postedOf(posted.lines, making.files, input.file),
    })),
    budgets,
    ...agreed,
  }
}

/** The result of posting: what became of the ledger lines, and the openings. */
interface Posted {
  readonly lines: PostedByFile
  readonly stated: Awaited<ReturnType<typeof statedOpenings>>['stated']
  readonly openings: readonly OpeningCell[]
  /** Whether any source states opening balances. */
  readonly isStated: boolean
  /** The trial balances that the books must agree with; one that they begin with is none of them. */
  readonly trialBalances: Intake['trialBalances']
}

/** Turns lines into postings and chooses the openings. Returns null where the kind of some account is not known. */
async function post(making: Making, lines: Lines, frame: Frame): Promise<Posted | null> {
  const { db, company, intake, keys, files, findings } = making
  const { mistakes } = lines
  const posted = await createPostings(db, frame, lines.facts, company.group !== undefined)
  if (mistakes.isEmpty)
    findings.push(...(await bookRounding(db, frame, keys.accounts, company.rounding, files)))
  const begun = company.opening?.none === true ? null : await openingBalance(db, frame, keys, intake)
  if (begun !== null) findings.push(begun.finding)
  const sources = {
    rows: begun?.rows ?? intake.openings,
    priorResults: intake.priorResults,
    priorYearsNotClosed: company.opening?.priorYearsNotClosed,
    priorYearsLine: intake.priorYearsLine ?? 0,
    files,
  }
  const { stated, findings: openingFindings } = await statedOpenings(db, frame, keys, sources)
  const { openings, findings: countFindings } = countedOpenings(frame, stated, sources, mistakes)
  const trialBalances = intake.trialBalances.filter((input) => input !== begun?.input)
  const isStated = intake.statesOpenings || stated.length > 0 || intake.trialBalances.length > 0
  findings.push(...openingFindings, ...countFindings, ...contradictedFindings(openings, company))
  await createOpenings(db, openings)
  if (areKindsKnown(findings)) return { lines: posted, stated, openings, isStated, trialBalances }
  reportContradictions(making, lines)
  const { findings: controls } = await checkControls(db, frame, keys, openings, intake.controls, mistakes)
  findings.push(...controls, ...mistakes.findings())
  return null
}

/** Checks the postings. Returns false where sums of them could not be exact; then no figures can be made. */
async function checkPosted(making: Making, lines: Lines, frame: Frame, posted: Posted): Promise<boolean> {
  const { db, company, intake, keys, files, findings } = making
  const { mistakes, entries } = lines
  // A row that was left out may be an opening balance.
  const mayBeUnread = mistakes.of(null).length > 0
  const isStated = posted.isStated || mayBeUnread
  // The members of a group were asked already.
  if (company.group === undefined)
    findings.push(...(await openingQuestions(db, frame, files, company, isStated)))
  const closingAccounts = company.closing?.accounts ?? intake.closingAccounts
  const closingCodes = closingAccounts.flatMap((id) => keys.accounts.get(id) ?? [])
  const marks = { accounts: closingCodes, transactions: company.closing?.transactions ?? [] }
  const { findings: closing, insideYears } = await markClosing(db, frame, marks, files)
  if (mistakes.isEmpty) closing.push(...(await closeUnmarked(db, frame, files)))
  const continuity = await checkContinuity(db, frame, posted.stated, posted.openings, files, mistakes)
  if (making.rules >= 3) await divideClosings(db, frame, posted.openings, insideYears)
  const turnover = await turnoverFindings(db, frame)
  findings.push(
    // A closing entry that lacks a line, or does not balance, cannot be expected to have a counterpart.
    ...(mistakes.isEmpty ? closing : []),
    ...continuity,
    ...turnover,
    // After a close, what is posted later is the open month.
    ...(frame.lockedThrough === company.lockDate ? await lockFindings(db, frame, files) : []),
    ...(await repeatFindings(db, frame, files, entries)),
    ...(await overlapFindings(db, files, entries)),
    ...(await extraDayFindings(db, files)),
  )
  if (turnover.length === 0) return true
  reportContradictions(making, lines)
  return false
}

/** The openings and the frame, with what the cash basis and the cash flow need. */
interface Cash {
  readonly openings: readonly OpeningCell[]
  readonly frame: Frame
}

/** Derives the cash basis where it can be offered, places movements on the cash flow, makes the monthly sums and asks an auditor's questions. */
async function derive(
  making: Making,
  { mistakes, facts }: Lines,
  { frame, budgetFigures }: Framed,
  { openings, isStated }: Posted,
): Promise<Cash> {
  const { db, company, files, findings } = making
  // Incomplete or unbalanced books would give a wrong cash basis and misleading questions.
  const areWhole = mistakes.isEmpty
  const cash = areWhole
    ? await offerCashBasis(db, frame, company.cashBasis ?? {}, openings, making.rules)
    : { derived: false, openings, findings: [] }
  findings.push(...cash.findings)
  const placed = await place(making, cash.derived ? withDerivedCash(frame) : frame)
  await createLeaves(db, frame, facts)
  findings.push(
    ...(areWhole ? await auditFindings(db, frame, files) : []),
    ...(areWhole ? await fluxFindings(db, frame, company.materiality, budgetFigures) : []),
    ...(await budgetSignFindings(db, frame, budgetFigures, company.budgets)),
    ...budgetEquityFindings(frame, budgetFigures, company.budgets),
    ...(isStated ? [] : await missingFindings(db, frame, mistakes)),
  )
  return { openings: cash.openings, frame: placed }
}

/** Places movements on the cash flow: by their entries, or by the older rules where these still hold. */
async function place(
  { db, company, accountRows, files, findings, rules }: Making,
  frame: Frame,
): Promise<Frame> {
  if (rules === 2) {
    await grossUpDisposals(db, frame, frame.disposals)
    return frame
  }
  const stated = new Set(accountRows.flatMap(({ cashFlow }, code) => (cashFlow === null ? [] : [code])))
  const placed = await placeByEntry(db, frame, stated)
  if (placed === null) return frame
  findings.push(...(await flowFindings(db, placed, company, files)))
  await dropFlowTables(db)
  return placed
}

/** Compares the books with the control figures, trial balances and own reports of the sources. Returns how many agree; the others become findings. */
async function compareControls(
  { db, intake, keys, findings, files }: Making,
  { mistakes }: Lines,
  { openings, trialBalances }: Posted,
  cash: Cash,
  before: ReportBooks['before'],
): Promise<Pick<BooksResult, 'controlsAgreed' | 'reportsAgreed'>> {
  const { frame } = cash
  const controls = await checkControls(db, frame, keys, openings, intake.controls, mistakes)
  const whole: ReportBooks = { db, frame, keys, openings: cash.openings, files, before }
  const balances = await checkTrialBalances(whole, readable(trialBalances, findings), mistakes)
  // Where lines are missing anyway, each of their accounts would differ.
  const reports = await checkReports(whole, mistakes.isEmpty ? intake.reports : [])
  findings.push(...controls.findings, ...balances.findings, ...mistakes.findings(), ...reports.findings)
  return { controlsAgreed: controls.agreed + balances.agreed, reportsAgreed: reports.agreed }
}

/** The posted lines of a file. A format may make several inputs from one file, so they are added up. */
function postedOf(postings: PostedByFile, files: readonly string[], file: string): PostedLines {
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

/** Leaves out trial balances with an unreadable row: the account of that row would only seem to be missing. */
const readable = (inputs: Intake['trialBalances'], findings: readonly Finding[]): Intake['trialBalances'] => {
  const unread = new Set(findings.flatMap(({ severity, file }) => (severity === 'error' ? [file] : [])))
  return inputs.filter(({ file }) => !unread.has(file))
}
