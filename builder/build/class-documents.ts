/** Composes, checks and encodes the statements of actuals of one class filter and some department filters. */
import { periodsOf } from '../contract/calendar.ts'
import type { StatementEncoder } from '../contract/encode.ts'
import { STATEMENTS } from '../contract/vocabulary.ts'
import { statementPath } from '../snapshot/layout.ts'
import { Composer, documentOf } from '../statements/compose.ts'
import { slicesOfClass } from '../statements/cube.ts'
import { Slicer } from '../statements/slice.ts'
import type { Checks, Filters, Leaves, WriteBytes } from './piece.ts'

export class ClassDocuments {
  readonly #leaves: Leaves
  readonly #encoder: StatementEncoder
  readonly #slicer: Slicer
  readonly #composer: Composer

  constructor(leaves: Leaves, encoder: StatementEncoder) {
    const periods = periodsOf(leaves.frame.coverage)
    this.#leaves = leaves
    this.#encoder = encoder
    this.#slicer = new Slicer(leaves.frame, periods)
    this.#composer = new Composer(leaves.frame, periods)
  }

  /** Writes the statements on all bases, in the order of the departments' tree. */
  write({ classId, departmentIds }: Filters, { tieOuts, limits }: Checks, write: WriteBytes): void {
    const { frame, cells } = this.#leaves
    for (const [basis, own] of cells)
      for (const { scope, slice } of slicesOfClass(frame, basis, own, classId, this.#slicer, departmentIds)) {
        const statements = this.#composer.all(slice)
        // The fields are named one by one: a spread would give each of these many objects a hidden class of its own.
        const { classId, departmentId } = scope
        tieOuts.observe({ basis, budgetId: null, classId, departmentId }, slice, statements)
        for (const statement of STATEMENTS) {
          const full = { ...scope, statement, budgetId: null }
          const body = statements[statement]
          if (!limits.allow(statement, slice.periods, body)) continue
          write(
            statementPath(full),
            this.#encoder.encode(documentOf(frame, full, frame.coverage, slice.periods, body)),
          )
        }
      }
  }
}
