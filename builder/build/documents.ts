/**
 * Makes all documents of a snapshot from the books: statements, metrics, lists, tie-outs. A build uses the books from the
 * exports, a verification the published ones. Equal books give equal bytes.
 */
import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Books } from '../books/books.ts'
import { type LeafCells, leafCells } from '../books/cells.ts'
import { decimalsOf, type Frame } from '../books/frame.ts'
import { filtersOf, spanOf } from '../books/tree.ts'
import { periodsOf } from '../contract/calendar.ts'
import { formatInteger } from '../contract/currency.ts'
import type { MetricDocument } from '../contract/document.ts'
import {
  encodeList,
  encodeLongList,
  encodeMetrics,
  encodePage,
  StatementEncoder,
} from '../contract/encode.ts'
import { present } from '../contract/present.ts'
import { BASES, type Basis, STATEMENTS, type StatementName } from '../contract/vocabulary.ts'
import {
  INFO,
  type ListName,
  listPath,
  metricsPath,
  pagePath,
  statementPath,
  TIE_OUTS,
} from '../snapshot/layout.ts'
import type { FileEntry, ScopedTieOutEntry, TieOutEntry } from '../snapshot/manifest.ts'
import { coverageOf } from '../statements/answer.ts'
import { budgetFiguresIn, composeBudget } from '../statements/budget.ts'
import { documentOf } from '../statements/compose.ts'
import { FigureLimits } from '../statements/limits.ts'
import { metricFigures, valuesByPeriod } from '../statements/metrics.ts'
import { budgetsOf, chartOf, infoOf, membersOf, metricsListOf } from '../statements/reference.ts'
import { postedMonths } from '../tieouts/posted.ts'
import type { ScopedTieOut } from '../tieouts/scoped.ts'
import { type TieOut, TieOuts } from '../tieouts/tieouts.ts'
import { type Finding, hasErrors } from '../workspace/finding.ts'
import { sha256 } from '../workspace/hash.ts'
import {
  ClassDocuments,
  type ClassPart,
  type ClassPiece,
  type Leaves,
  piecesOf,
  type Write,
} from './class-documents.ts'

/** Called with the number of pieces that are done, and with the number of all pieces. */
export type Composed = (done: number, total: number) => void

/** The result of a piece of the statements. */
export interface ComposedPiece {
  readonly files: readonly FileEntry[]
  readonly part: ClassPart
}

/** Composes the pieces in any order, several in parallel if possible. */
export type Compose = (piece: ClassPiece) => Promise<ComposedPiece>

export interface Documents {
  readonly tieOuts: readonly TieOutEntry[]
  /** Errors for figures that do not tie out or cannot be published. If there are any, only the statements were written. */
  readonly findings: readonly Finding[]
}

/** The results of checking all statements so far. */
interface Checks {
  readonly tieOuts: TieOuts
  readonly limits: FigureLimits
}

export interface Composing {
  readonly progress?: Composed
  /** Who composes the statements of these cells, and writes them; this thread unless said, which gives them to `write`. */
  readonly composer?: ((leaves: Leaves) => Compose) | null
}

export async function writeDocuments(
  books: Books,
  write: Write,
  composing: Composing = {},
): Promise<Documents> {
  const { tieOuts, scoped, findings } = await writeStatements(books, write, composing)
  if (hasErrors(findings)) return { tieOuts: [], findings }
  writeMetrics(books, write)
  writeReference(books, write)
  const decimals = decimalsOf(books.frame)
  write(TIE_OUTS, encodeLongList(scopedEntries(scoped, decimals)))
  return { tieOuts: tieOuts.map((tieOut) => tieOutEntry(tieOut, decimals)), findings }
}

async function writeStatements(books: Books, write: Write, composing: Composing) {
  const { frame } = books
  const checks = { tieOuts: new TieOuts(frame), limits: new FigureLimits(frame) }
  const leaves = { frame, cells: await cellsOf(books) }
  // DuckDB adds up the postings while the statements are composed, with which they are compared afterwards.
  const posted = postedMonths(books)
  // Handled at the await below; avoids an unhandled rejection.
  posted.catch(() => {})
  await writeActuals(leaves, write, composing, checks)
  writeBudgets(books, write, checks)
  const { tieOuts, scoped, findings } = checks.tieOuts.finish(await posted)
  return { tieOuts, scoped, findings: [...checks.limits.findings, ...findings] }
}

async function writeActuals(
  leaves: Leaves,
  write: Write,
  { progress = () => {}, composer }: Composing,
  checks: Checks,
): Promise<void> {
  const pieces = piecesOf(leaves.frame)
  const compose = composer ? composer(leaves) : composedHere(leaves, write)
  let done = 0
  progress(done, pieces.length)
  const made = await begunInTurn(pieces, async (piece) => {
    const { part } = await compose(piece)
    progress(++done, pieces.length)
    return part
  })
  for (const { tieOuts, limits } of made) {
    checks.tieOuts.absorb(tieOuts)
    checks.limits.absorb(limits)
  }
}

/** Starts the pieces in order without waiting for their ends; messages of other threads are handled in between. */
async function begunInTurn<Item, Result>(
  items: readonly Item[],
  begin: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const begun: Promise<Result>[] = []
  for (const item of items) {
    const result = begin(item)
    // A failure is handled below, once all pieces have started.
    result.catch(() => {})
    begun.push(result)
    await othersTurn()
  }
  return Promise.all(begun)
}

/** Composes in this thread. */
export function composedHere(leaves: Leaves, write: Write): Compose {
  const documents = new ClassDocuments(leaves, new StatementEncoder())
  return async (piece) => {
    const files: FileEntry[] = []
    const part = documents.write(piece, (path, bytes) => {
      const Sha256 = sha256(bytes)
      files.push({ Path: path, Bytes: bytes.length, Sha256 })
      write(path, bytes, Sha256)
    })
    return { files, part }
  }
}

async function cellsOf({ frame, db, openings }: Books): Promise<Map<Basis, LeafCells>> {
  const cells = new Map<Basis, LeafCells>()
  for (const basis of frame.bases) cells.set(basis, await leafCells(db, frame, openings, basis))
  return cells
}

/** Writes the statements of budgets. A budget is the same on both bases, and is published on both even if the books have only one. */
function writeBudgets({ frame, budgetFigures }: Books, write: Write, { tieOuts, limits }: Checks): void {
  const encoder = new StatementEncoder()
  for (const budget of frame.budgets) {
    const coverage = present(coverageOf(frame, budget.id), `coverage of budget ${budget.id}`)
    const periods = periodsOf(coverage)
    for (const classId of filtersOf(frame.classes))
      for (const departmentId of filtersOf(frame.departments)) {
        const figures = budgetFiguresIn(
          budgetFigures,
          budget.id,
          spanOf(frame.classes, classId),
          spanOf(frame.departments, departmentId),
        )
        if (figures.length === 0) continue
        for (const statement of STATEMENTS satisfies readonly StatementName[]) {
          const body = composeBudget(frame, budget.id, statement, figures, periods)
          tieOuts.observeBudget(
            { basis: 'BUDGET', budgetId: budget.id, classId, departmentId },
            statement,
            periods,
            body,
          )
          if (!limits.allow(statement, periods, body)) continue
          for (const basis of BASES) {
            const scope = { statement, basis, budgetId: budget.id, classId, departmentId }
            write(statementPath(scope), encoder.encode(documentOf(frame, scope, coverage, periods, body)))
          }
        }
      }
  }
}

function writeMetrics({ frame, metricValues }: Books, write: Write): void {
  for (const budgetId of [null, ...frame.budgets.map((budget) => budget.id)]) {
    const coverage = present(coverageOf(frame, budgetId), `coverage of ${budgetId ?? 'the books'}`)
    const periods = periodsOf(coverage)
    const metrics = frame.metrics.map(({ id, aggregation }) => ({
      id,
      aggregation,
      byPeriod: valuesByPeriod({ id, aggregation }, metricValues, budgetId, periods),
    }))
    for (const classId of filtersOf(frame.classes))
      for (const departmentId of filtersOf(frame.departments)) {
        const scope = { budgetId, classId, departmentId }
        const rows: MetricDocument['rows'] = metrics.map(({ id, aggregation, byPeriod }) => ({
          metricId: id,
          values: metricFigures(frame, aggregation, byPeriod, scope),
        }))
        if (rows.some((row) => row.values.some((value) => value !== null)))
          write(
            metricsPath(scope),
            encodeMetrics({ companyId: frame.companyId, ...coverage, ...scope, periods, rows }),
          )
      }
  }
}

/** The text of `info.json` as it is published. */
export const infoText = (frame: Frame): string => `${JSON.stringify(infoOf(frame))}\n`

/** The default limit of the interface's list endpoints. */
const PAGE = 100

function writeReference({ frame }: Books, write: Write): void {
  write(INFO, infoText(frame))
  const lists: Record<ListName, object[]> = {
    'chart-of-accounts': chartOf(frame),
    budgets: budgetsOf(frame),
    classes: membersOf(frame.classes),
    departments: membersOf(frame.departments),
    'non-financial-list': metricsListOf(frame),
  }
  for (const [list, entries] of Object.entries(lists) as [ListName, object[]][]) {
    write(listPath(list), encodeList(entries))
    for (let offset = 0; offset === 0 || offset < entries.length; offset += PAGE)
      write(pagePath(list, offset), encodePage(entries, offset, PAGE))
  }
}

/** Yields the entries one by one, because there are as many as combinations times identities. */
function* scopedEntries(scoped: Iterable<ScopedTieOut>, decimals: number): Generator<ScopedTieOutEntry> {
  for (const tieOut of scoped) yield scopedEntry(tieOut, decimals)
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
