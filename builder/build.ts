/** The pipeline: a company's exports in, a published snapshot out. A table of contents; each step is a room. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ChartEntry, futureFindings, retypedFindings } from './books/audit.ts'
import { type Books, makeBooks } from './books/books.ts'
import { decimalsOf } from './books/frame.ts'
import type { InputTotals } from './books/ledger.ts'
import { KIND } from './books/postings.ts'
import { BOOK_FILES, writeBooks } from './books/store.ts'
import { filtersOf, spanOf } from './books/tree.ts'
import { periodsOf } from './contract/calendar.ts'
import { currencyDecimals, formatInteger } from './contract/currency.ts'
import type { MetricDocument } from './contract/document.ts'
import { encodeList, encodeMetrics, encodePage, encodeStatement } from './contract/encode.ts'
import { BASES, STATEMENTS, type StatementName } from './contract/vocabulary.ts'
import { ingest } from './ingest/ingest.ts'
import type { Intake } from './ingest/intake.ts'
import { withSettingLines } from './ingest/setting-lines.ts'
import {
  BOOKS,
  bookPath,
  INFO,
  type ListName,
  listPath,
  metricsPath,
  pagePath,
  statementPath,
  TIE_OUTS,
} from './snapshot/layout.ts'
import type { InputEntry, ScopedTieOutEntry, TieOutEntry } from './snapshot/manifest.ts'
import { openCurrent } from './snapshot/open.ts'
import { beginStage, type Stage } from './snapshot/stage.ts'
import { coverageOf } from './statements/answer.ts'
import { budgetFiguresIn, composeBudget } from './statements/budget.ts'
import { composeStatements, documentOf } from './statements/compose.ts'
import { combinationsOf, slicesOf } from './statements/cube.ts'
import { FigureLimits } from './statements/limits.ts'
import { metricFigures } from './statements/metrics.ts'
import { budgetsOf, chartOf, infoOf, membersOf, metricsListOf } from './statements/reference.ts'
import { type ScopedTieOut, type TieOut, TieOuts } from './tieouts/tieouts.ts'
import { VERSION } from './version.ts'
import type { Company } from './workspace/company.ts'
import { type Finding, hasErrors } from './workspace/finding.ts'
import { companyFolder, readCompany, type Workspace } from './workspace/workspace.ts'

export type Step = 'read' | 'books' | 'statements' | 'publish'
/** Told as the build goes; `total` is null while unknown. */
export type Progress = (step: Step, done: number, total: number | null) => void

export interface BuildResult {
  readonly company: string
  /** refused: the findings hold errors, nothing was published. checked: no errors, and publication was not asked for. */
  readonly outcome: 'published' | 'unchanged' | 'checked' | 'refused'
  readonly snapshotId: string | null
  readonly findings: readonly Finding[]
  readonly postings: number
  readonly transactions: number
  readonly documents: number
  readonly coverage: { readonly startDate: string; readonly endDate: string } | null
  readonly tieOuts: readonly TieOutEntry[]
  /** Figures that the sources state about themselves (#UB, #RES, #PSALDO) and the books agree with. */
  readonly controlsAgreed: number
  readonly seconds: number
}

export interface BuildOptions {
  readonly publish: boolean
  readonly progress?: Progress
}

/** Reads, checks and computes one company; publishes where asked to. Problems of the input come back as findings. */
export async function build(
  workspace: Workspace,
  companyId: string,
  options: BuildOptions,
): Promise<BuildResult> {
  const startedAt = Date.now()
  const progress = options.progress ?? (() => {})
  const refused = (findings: readonly Finding[]): BuildResult => ({
    company: companyId,
    outcome: 'refused',
    snapshotId: null,
    findings,
    postings: 0,
    transactions: 0,
    documents: 0,
    coverage: null,
    tieOuts: [],
    controlsAgreed: 0,
    seconds: (Date.now() - startedAt) / 1000,
  })
  const parsed = readCompany(workspace, companyId)
  if (parsed.value === null) return refused(parsed.findings)
  const company = parsed.value

  progress('read', 0, null)
  const intake = await ingest(company, companyFolder(workspace, companyId))
  try {
    progress('books', 0, null)
    const made = await makeBooks(company, intake)
    const findings = withSettingLines(made.findings, companyFolder(workspace, companyId))
    if (made.books === null) return refused(findings)
    const { books } = made
    const stage = options.publish ? await beginStage(workspace.snapshots, companyId) : null
    try {
      const documents = new Documents(stage)
      const { tieOuts, scoped, findings: failures } = await writeStatements(books, documents, progress)
      const all = [...findings, ...failures, ...(await retyped(workspace, books))]
      if (hasErrors(all)) return refused(all)
      writeMetrics(books, documents)
      writeReference(books, documents)
      const entries = tieOuts.map((tieOut) => tieOutEntry(tieOut, decimalsOf(books.frame)))
      documents.write(
        TIE_OUTS,
        encodeList(scoped.map((tieOut) => scopedEntry(tieOut, decimalsOf(books.frame)))),
      )
      // What is dated ahead of today is told, but not published: equal inputs make equal bytes on any day.
      const today = new Date(startedAt).toISOString().slice(0, 10)
      const ledgerFiles = intake.ledger.map((input) => input.file)
      const totals = await totalsOf(books, documents.count)
      const result = {
        company: companyId,
        findings: [...all, ...(await futureFindings(books.db, books.frame, today, ledgerFiles))],
        postings: totals.Postings,
        transactions: totals.Transactions,
        documents: documents.count,
        coverage: books.frame.coverage,
        tieOuts: entries,
        controlsAgreed: made.controlsAgreed,
      }
      const seconds = () => (Date.now() - startedAt) / 1000
      if (!stage) return { ...result, outcome: 'checked', snapshotId: null, seconds: seconds() }

      progress('publish', 0, null)
      mkdirSync(join(stage.folder, BOOKS))
      await writeBooks(books, join(stage.folder, BOOKS), ledgerFiles)
      stage.adopt(BOOK_FILES.map(bookPath))
      const publication = await stage.publish(
        {
          CompanyId: companyId,
          Month: books.frame.coverage.endDate.slice(0, 7),
          Tool: { Name: 'tieout', Version: VERSION },
          Currency: company.currency,
          Coverage: { StartDate: books.frame.coverage.startDate, EndDate: books.frame.coverage.endDate },
          Inputs: inputEntries(company, intake, made.inputs),
          Totals: totals,
          TieOuts: entries,
          Warnings: all,
        },
        startedAt,
      )
      return {
        ...result,
        outcome: publication.outcome,
        snapshotId: publication.snapshotId,
        seconds: seconds(),
      }
    } finally {
      stage?.discard()
      books.db.close()
    }
  } finally {
    await intake.dispose()
  }
}

/** Where documents go: into the stage, or nowhere when only checking. */
class Documents {
  readonly #stage: Stage | null
  count = 0
  constructor(stage: Stage | null) {
    this.#stage = stage
  }
  write(path: string, content: string): void {
    this.count++
    this.#stage?.write(path, content)
  }
}

async function retyped(workspace: Workspace, { frame }: Books): Promise<Finding[]> {
  const previous = await openCurrent(workspace.snapshots, frame.companyId)
  if (previous === null) return []
  const path = listPath('chart-of-accounts')
  const chart = await previous.read(path).catch(() => null)
  if (chart === null) return []
  const before = JSON.parse(chart.toString('utf8')) as { Data: ChartEntry[] }
  return retypedFindings(before.Data, chartOf(frame) as ChartEntry[])
}

async function writeStatements(books: Books, documents: Documents, progress: Progress) {
  const { frame } = books
  const checks = new TieOuts(frame)
  const limits = new FigureLimits(frame)
  const total = combinationsOf(books)
  let done = 0
  progress('statements', done, total)
  for await (const { scope, slice } of slicesOf(books)) {
    const statements = composeStatements(frame, slice)
    checks.observe({ ...scope, budgetId: null }, slice, statements)
    for (const statement of STATEMENTS) {
      const full = { ...scope, statement, budgetId: null }
      if (!limits.allow(statement, slice.periods, statements[statement])) continue
      documents.write(
        statementPath(full),
        encodeStatement(documentOf(frame, full, frame.coverage, slice.periods, statements[statement])),
      )
    }
    progress('statements', ++done, total)
  }
  writeBudgets(books, documents, checks, limits)
  progress('statements', total, total)
  const { tieOuts, scoped, findings } = await checks.finish(books)
  return { tieOuts, scoped, findings: [...limits.findings, ...findings] }
}

/** Budgets are the same under both bases, and are answered under both even where the books have one. */
function writeBudgets(
  { frame, budgetFigures }: Books,
  documents: Documents,
  checks: TieOuts,
  limits: FigureLimits,
): void {
  for (const budget of frame.budgets) {
    const coverage = coverageOf(frame, budget.id)!
    const periods = periodsOf(coverage)
    for (const classId of filtersOf(frame.classes))
      for (const departmentId of filtersOf(frame.departments)) {
        const figures = budgetFiguresIn(
          budgetFigures,
          budget.id,
          spanOf(frame.classes, classId)!,
          spanOf(frame.departments, departmentId)!,
        )
        if (figures.length === 0) continue
        for (const statement of STATEMENTS satisfies readonly StatementName[]) {
          const body = composeBudget(frame, statement, figures, periods)
          checks.observeBudget(
            { basis: 'BUDGET', budgetId: budget.id, classId, departmentId },
            statement,
            periods,
            body,
          )
          if (!limits.allow(statement, periods, body)) continue
          for (const basis of BASES) {
            const scope = { statement, basis, budgetId: budget.id, classId, departmentId }
            documents.write(
              statementPath(scope),
              encodeStatement(documentOf(frame, scope, coverage, periods, body)),
            )
          }
        }
      }
  }
}

function writeMetrics({ frame, metricValues }: Books, documents: Documents): void {
  for (const budgetId of [null, ...frame.budgets.map((budget) => budget.id)]) {
    const coverage = coverageOf(frame, budgetId)!
    const periods = periodsOf(coverage)
    for (const classId of filtersOf(frame.classes))
      for (const departmentId of filtersOf(frame.departments)) {
        const scope = { budgetId, classId, departmentId }
        const rows: MetricDocument['rows'] = frame.metrics.map((metric) => ({
          metricId: metric.id,
          values: metricFigures(
            frame,
            metric.aggregation,
            metricValues.filter((value) => value.metric === metric.id),
            scope,
            periods,
          ),
        }))
        if (rows.some((row) => row.values.some((value) => value !== null)))
          documents.write(
            metricsPath(scope),
            encodeMetrics({ companyId: frame.companyId, ...coverage, ...scope, periods, rows }),
          )
      }
  }
}

/** The default limit of the interface's list endpoints. */
const PAGE = 100

function writeReference({ frame }: Books, documents: Documents): void {
  documents.write(INFO, `${JSON.stringify(infoOf(frame))}\n`)
  const lists: Record<ListName, object[]> = {
    'chart-of-accounts': chartOf(frame),
    budgets: budgetsOf(frame),
    classes: membersOf(frame.classes),
    departments: membersOf(frame.departments),
    'non-financial-list': metricsListOf(frame),
  }
  for (const [list, entries] of Object.entries(lists) as [ListName, object[]][]) {
    documents.write(listPath(list), encodeList(entries))
    for (let offset = 0; offset === 0 || offset < entries.length; offset += PAGE)
      documents.write(pagePath(list, offset), encodePage(entries, offset, PAGE))
  }
}

async function totalsOf({ db }: Books, documents: number) {
  const [row] = await db.rows<{ postings: string; transactions: string }>(
    `SELECT count(*) AS postings, count(DISTINCT (basis, tx)) AS transactions FROM posting WHERE kind <> ${KIND.grossUp}`,
  )
  return { Postings: Number(row!.postings), Transactions: Number(row!.transactions), Documents: documents }
}

const scopedEntry = (tieOut: ScopedTieOut, decimals: number): ScopedTieOutEntry => ({
  Identity: tieOut.identity,
  Statement: tieOut.statement,
  Basis: tieOut.basis,
  BudgetId: tieOut.budgetId,
  ClassId: tieOut.classId,
  DepartmentId: tieOut.departmentId,
  Checks: tieOut.checks,
  Left: formatInteger(String(tieOut.left), decimals),
  Right: formatInteger(String(tieOut.right), decimals),
  Difference: formatInteger(String(tieOut.difference), decimals),
  Result: 'pass',
})

const tieOutEntry = (tieOut: TieOut, decimals: number): TieOutEntry => ({
  Identity: tieOut.identity,
  Statement: tieOut.statement,
  Basis: tieOut.basis,
  Scopes: tieOut.scopes,
  Checks: tieOut.checks,
  Left: formatInteger(String(tieOut.left), decimals),
  Right: formatInteger(String(tieOut.right), decimals),
  LargestDifference: formatInteger(String(tieOut.largestDifference), decimals),
  Result: 'pass',
})

function inputEntries(company: Company, intake: Intake, totals: readonly InputTotals[]): InputEntry[] {
  const decimals = currencyDecimals(company.currency)
  const byFile = new Map(totals.map((total) => [total.file, total]))
  return intake.sources.map((source) => {
    const ledger = byFile.get(source.file)
    return {
      File: source.file,
      Role: source.role,
      Bytes: source.bytes,
      Sha256: source.sha256,
      Encoding: source.encoding,
      RowsRead: ledger?.rows ?? source.rows ?? 0,
      RowsRejected: ledger?.rejected ?? 0,
      Debit: ledger ? formatInteger(ledger.debit, decimals) : null,
      Credit: ledger ? formatInteger(ledger.credit, decimals) : null,
      FirstDate: ledger?.firstDate ?? null,
      LastDate: ledger?.lastDate ?? null,
    }
  })
}
