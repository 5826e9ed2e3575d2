/**
 * The pieces that a build makes, each of them as a whole: the statements of one class filter and some department filters, those of
 * a budget, metrics. A piece is plain data. Owns which pieces there are and what they are made of.
 */
import type { LeafCells } from '../books/cells.ts'
import { yearStretches } from '../books/fiscal.ts'
import type { Frame } from '../books/frame.ts'
import type { MetricValue } from '../books/metric-values.ts'
import { filtersOf, rootFilters } from '../books/tree.ts'
import type { Content } from '../contract/bytes.ts'
import type { MetricScope } from '../contract/document.ts'
import { BASES, type Basis, STATEMENTS } from '../contract/vocabulary.ts'
import type { PackedRows } from '../ingest/format/column-rows.ts'
import { dividedPath, metricsPath, statementPath } from '../snapshot/layout.ts'
import type { FigureLimits } from '../statements/limits.ts'
import type { TieOutPart, TieOuts } from '../tieouts/tieouts.ts'
import type { Shared } from '../workspace/threads.ts'

/** Writes a document, with its hash if that is known. The bytes are valid only during the call, because their memory is reused. */
export type Write = (path: string, content: Content, sha256?: string) => void
export type WriteBytes = (path: string, bytes: Buffer | string) => void

/** Everything from which statements and metrics are made. Threads share the cells, and copy the values of metrics once. */
export interface Leaves {
  readonly frame: Frame
  readonly cells: ReadonlyMap<Basis, LeafCells>
  /** The same in stretches of fiscal years; empty where none divides a month. */
  readonly stretches: ReadonlyMap<Basis, LeafCells>
  readonly budgets: ReadonlyMap<string, LeafCells>
  readonly metrics: Shared<PackedRows<MetricValue>>
}

export interface Filters {
  readonly classId: string | null
  readonly departmentIds: readonly (string | null)[]
}

export type Piece = Filters &
  (
    | { readonly of: 'actuals' }
    | { readonly of: 'budget'; readonly budgetId: string }
    | { readonly of: 'metrics'; readonly budgetId: string | null }
  )

/** The results of checking the documents of a piece so far. */
export interface Checks {
  readonly tieOuts: TieOuts
  readonly limits: FigureLimits
}

/** The same as plain data that can be stored. */
export interface CheckedPart {
  readonly tieOuts: TieOutPart
  readonly limits: ReturnType<FigureLimits['part']>
}

/** The most departments in a piece. Pieces are small, so that no thread waits long for the last piece of another. */
const DEPARTMENTS = 16

/** The pieces: actuals, budgets, metrics, each class by class in the order of the trees. They do not depend on the number of threads. */
export function piecesOf(frame: Frame): Piece[] {
  const filters = filtersOfPieces(frame)
  const budgets = frame.budgets.map(({ id }) => id)
  const metrics = frame.metrics.length === 0 ? [] : [null, ...budgets]
  return [
    ...filters.map((each): Piece => ({ of: 'actuals', ...each })),
    ...budgets.flatMap((budgetId) => filters.map((each): Piece => ({ of: 'budget', budgetId, ...each }))),
    ...metrics.flatMap((budgetId) => filters.map((each): Piece => ({ of: 'metrics', budgetId, ...each }))),
  ]
}

function filtersOfPieces({ classes, departments }: Frame): Filters[] {
  const [all = null, ...single] = filtersOf(departments)
  const groups = Array.from({ length: Math.ceil(single.length / DEPARTMENTS) }, (_, i) =>
    single.slice(i * DEPARTMENTS, (i + 1) * DEPARTMENTS),
  )
  // Pages show mostly what is not filtered by department, so that they wait for small pieces.
  const divided = departments.members.length === 0 ? [[all, ...single]] : [[all], ...groups]
  return filtersOf(classes).flatMap((classId) => divided.map((departmentIds) => ({ classId, departmentIds })))
}

/**
 * The same pieces, those first that may hold documents of the pages of a snapshot, so that the pages are made while the others are
 * composed: the whole company by department, and the classes at the top of their tree.
 */
export function pagesFirst({ classes }: Frame, pieces: readonly Piece[]): Piece[] {
  const top = new Set<string | null>(rootFilters(classes))
  const isShown = ({ classId, departmentIds }: Piece): boolean =>
    classId === null || (top.has(classId) && departmentIds.includes(null))
  return [...pieces.filter(isShown), ...pieces.filter((piece) => !isShown(piece))]
}

/** Whether the metrics of that scope, or its statements, are made in the piece. */
export function isMadeIn(piece: Piece, scope: MetricScope, isMetric: boolean): boolean {
  const budgetId = piece.of === 'actuals' ? null : piece.budgetId
  return (
    (piece.of === 'metrics') === isMetric &&
    budgetId === scope.budgetId &&
    piece.classId === scope.classId &&
    piece.departmentIds.includes(scope.departmentId)
  )
}

/** The paths of all documents of a piece, including those without figures. */
export function pathsOf(frame: Frame, piece: Piece): string[] {
  const { classId, departmentIds } = piece
  if (piece.of === 'metrics')
    return departmentIds.map((departmentId) =>
      metricsPath({ budgetId: piece.budgetId, classId, departmentId }),
    )
  // A budget is published on both bases, even if the books have only one.
  const [own, budgetId] = piece.of === 'budget' ? [BASES, piece.budgetId] : [frame.bases, null]
  const isDivided = budgetId === null && yearStretches(frame).places.length > 0
  return own.flatMap((basis) =>
    departmentIds.flatMap((departmentId) =>
      STATEMENTS.flatMap((statement) => {
        const scope = { statement, basis, budgetId, classId, departmentId }
        return isDivided ? [statementPath(scope), dividedPath(scope)] : [statementPath(scope)]
      }),
    ),
  )
}

/** Roughly how many documents are made of these leaves. */
export function documentsOf({ frame, cells, budgets }: Leaves): number {
  const combinations = filtersOf(frame.classes).length * filtersOf(frame.departments).length
  const most = ({ account }: LeafCells): number => Math.min(combinations, account.length)
  let documents = frame.metrics.length === 0 ? 0 : combinations
  for (const own of cells.values()) documents += STATEMENTS.length * most(own)
  for (const own of budgets.values()) documents += BASES.length * STATEMENTS.length * most(own)
  return documents
}
