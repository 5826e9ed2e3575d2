/**
 * Divides the documents of a build into batches that threads make independently: the statements of one class filter and some department
 * filters, those of a budget, metrics. A batch is plain data. Owns which batches there are and what they are made of.
 */

import type { MetricValue } from '../books/post/metric-values.ts'
import { yearStretches } from '../books/reference/fiscal.ts'
import type { Frame } from '../books/reference/frame.ts'
import { filtersOf } from '../books/reference/tree.ts'
import type { MonthlySums } from '../books/sums/monthly-sums.ts'
import type { Content } from '../contract/bytes.ts'
import { BASES, type Basis, STATEMENTS } from '../contract/vocabulary.ts'
import type { PackedRows } from '../ingest/format/column-rows.ts'
import { dividedPath, metricsPath, statementPath } from '../snapshot/files/layout.ts'
import type { FigureLimits } from '../statements/limits.ts'
import type { TieOutData, TieOuts } from '../statements/tie-outs/tieouts.ts'
import type { Shared } from '../system/worker-pool.ts'

/** Writes a document, with its hash if that is known. The bytes are valid only during the call, because their memory is reused. */
export type Write = (path: string, content: Content, sha256?: string) => void
export type WriteBytes = (path: string, bytes: Buffer | string) => void

/**
 * Everything from which statements and metrics are made: the sums of each basis and budget, and the values of metrics.
 * Threads share the sums, and copy the values of metrics once.
 */
export interface DocumentData {
  readonly frame: Frame
  readonly cells: ReadonlyMap<Basis, MonthlySums>
  /** The sums of each basis by stretches of fiscal years; empty where no fiscal year divides a month. */
  readonly stretches: ReadonlyMap<Basis, MonthlySums>
  readonly budgets: ReadonlyMap<string, MonthlySums>
  readonly metrics: Shared<PackedRows<MetricValue>>
}

export interface BatchFilters {
  readonly classId: string | null
  readonly departmentIds: readonly (string | null)[]
}

export type DocumentBatch = BatchFilters &
  (
    | { readonly of: 'actuals' }
    | { readonly of: 'budget'; readonly budgetId: string }
    | { readonly of: 'metrics'; readonly budgetId: string | null }
  )

/** The results of checking the documents of a batch so far. */
export interface DocumentChecks {
  readonly tieOuts: TieOuts
  readonly limits: FigureLimits
}

/** The results of the checks of a batch, as plain data that can be stored. */
export interface CheckedBatch {
  readonly tieOuts: TieOutData
  readonly limits: ReturnType<FigureLimits['data']>
}

/** The most departments in a batch. Batches are small, so that no thread waits long for the last batch of another. */
const DEPARTMENTS = 16

/**
 * Lists the batches: actuals, budgets, metrics, each class by class in the order of the trees. They do not depend on
 * the number of threads.
 */
export function batchesOf(frame: Frame): DocumentBatch[] {
  const filters = filtersOfBatches(frame)
  const budgets = frame.budgets.map(({ id }) => id)
  const metrics = frame.metrics.length === 0 ? [] : [null, ...budgets]
  return [
    ...filters.map((each): DocumentBatch => ({ of: 'actuals', ...each })),
    ...budgets.flatMap((budgetId) =>
      filters.map((each): DocumentBatch => ({ of: 'budget', budgetId, ...each })),
    ),
    ...metrics.flatMap((budgetId) =>
      filters.map((each): DocumentBatch => ({ of: 'metrics', budgetId, ...each })),
    ),
  ]
}

function filtersOfBatches({ classes, departments }: Frame): BatchFilters[] {
  const own = filtersOf(departments)
  const groups = Array.from({ length: Math.ceil(own.length / DEPARTMENTS) }, (_, i) =>
    own.slice(i * DEPARTMENTS, (i + 1) * DEPARTMENTS),
  )
  return filtersOf(classes).flatMap((classId) => groups.map((departmentIds) => ({ classId, departmentIds })))
}

/** The paths of all documents of a batch, including those without figures. */
export function pathsOf(frame: Frame, batch: DocumentBatch): string[] {
  const { classId, departmentIds } = batch
  if (batch.of === 'metrics')
    return departmentIds.map((departmentId) =>
      metricsPath({ budgetId: batch.budgetId, classId, departmentId }),
    )
  // A budget is published on both bases, even if the books have only one.
  const [own, budgetId] = batch.of === 'budget' ? [BASES, batch.budgetId] : [frame.bases, null]
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

/** Roughly how many documents are made of this data. */
export function documentCount({ frame, cells, budgets }: DocumentData): number {
  const combinations = filtersOf(frame.classes).length * filtersOf(frame.departments).length
  const most = ({ account }: MonthlySums): number => Math.min(combinations, account.length)
  let documents = frame.metrics.length === 0 ? 0 : combinations
  for (const own of cells.values()) documents += STATEMENTS.length * most(own)
  for (const own of budgets.values()) documents += BASES.length * STATEMENTS.length * most(own)
  return documents
}
