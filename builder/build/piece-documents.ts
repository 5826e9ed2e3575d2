/** Makes the documents of one piece after the other. */
import { StatementEncoder } from '../contract/encode.ts'
import { FigureLimits } from '../statements/limits.ts'
import { TieOuts } from '../tieouts/tieouts.ts'
import { ClassDocuments } from './class-documents.ts'
import type { CheckedPart, Leaves, Piece, WriteBytes } from './piece.ts'
import { BudgetDocuments, MetricDocuments } from './plan-documents.ts'

export class PieceDocuments {
  readonly #leaves: Leaves
  readonly #actuals: ClassDocuments
  readonly #budgets: BudgetDocuments
  readonly #metrics: MetricDocuments

  constructor(leaves: Leaves) {
    this.#leaves = leaves
    this.#actuals = new ClassDocuments(leaves, new StatementEncoder())
    this.#budgets = new BudgetDocuments(leaves, new StatementEncoder())
    this.#metrics = new MetricDocuments(leaves)
  }

  /** Writes the documents of a piece, and says what was found when they were checked. */
  write(piece: Piece, write: WriteBytes): CheckedPart {
    const { frame } = this.#leaves
    const checks = { tieOuts: new TieOuts(frame), limits: new FigureLimits(frame) }
    if (piece.of === 'actuals') this.#actuals.write(piece, checks, write)
    else if (piece.of === 'budget') this.#budgets.write(piece.budgetId, piece, checks, write)
    else this.#metrics.write(piece.budgetId, piece, write)
    return { tieOuts: checks.tieOuts.part(), limits: checks.limits.part() }
  }
}
