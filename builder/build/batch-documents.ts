/** Composes, checks and encodes the documents of batches. */
import { StatementEncoder } from '../contract/encode.ts'
import { FigureLimits } from '../statements/limits.ts'
import { TieOuts } from '../statements/tie-outs/tieouts.ts'
import { ClassDocuments } from './class-documents.ts'
import type { CheckedBatch, DocumentBatch, DocumentData, WriteBytes } from './document-batch.ts'
import { BudgetDocuments, MetricDocuments } from './plan-documents.ts'

export class BatchDocuments {
  readonly #data: DocumentData
  readonly #actuals: ClassDocuments
  readonly #budgets: BudgetDocuments
  readonly #metrics: MetricDocuments

  constructor(data: DocumentData) {
    this.#data = data
    this.#actuals = new ClassDocuments(data, new StatementEncoder())
    this.#budgets = new BudgetDocuments(data, new StatementEncoder())
    this.#metrics = new MetricDocuments(data)
  }

  /** Passes the documents of a batch to `write`, and returns the results of their checks. */
  write(batch: DocumentBatch, write: WriteBytes): CheckedBatch {
    const { frame } = this.#data
    const checks = { tieOuts: new TieOuts(frame), limits: new FigureLimits(frame) }
    if (batch.of === 'actuals') this.#actuals.write(batch, checks, write)
    else if (batch.of === 'budget') this.#budgets.write(batch.budgetId, batch, checks, write)
    else this.#metrics.write(batch.budgetId, batch, write)
    return { tieOuts: checks.tieOuts.data(), limits: checks.limits.data() }
  }
}
