/** Composes, checks and encodes the statements of actuals of one class filter and some department filters. */
import { yearStretches } from '../books/fiscal.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { Figures, Period } from '../contract/document.ts'
import type { StatementEncoder } from '../contract/encode.ts'
import { STATEMENTS } from '../contract/vocabulary.ts'
import { dividedPath, statementPath } from '../snapshot/layout.ts'
import { Composer, documentOf } from '../statements/compose.ts'
import { slicesOfClass } from '../statements/cube.ts'
import { Slicer } from '../statements/slice.ts'
import type { StatementBody } from '../statements/totals.ts'
import type { Checks, Filters, Leaves, WriteBytes } from './piece.ts'

/** How statements are composed: of months, or of stretches of fiscal years, of which only some are published. */
interface Composing {
  readonly cells: Leaves['cells']
  readonly slicer: Slicer
  readonly composer: Composer
  readonly periods: readonly Period[]
  readonly pathOf: typeof statementPath
  /** The places of the published periods; null for all. */
  readonly places: readonly number[] | null
}

export class ClassDocuments {
  readonly #leaves: Leaves
  readonly #encoder: StatementEncoder
  readonly #composing: readonly Composing[]

  constructor(leaves: Leaves, encoder: StatementEncoder) {
    const { frame, cells } = leaves
    const composing = (periods: readonly Period[]) => ({
      ...{ slicer: new Slicer(frame, periods), composer: new Composer(frame, periods) },
    })
    const months = periodsOf(frame.coverage)
    const { stretches, places } = yearStretches(frame)
    const parts = stretches.filter((_, i) => places.includes(i))
    this.#leaves = leaves
    this.#encoder = encoder
    this.#composing = [
      { ...composing(months), cells, periods: months, pathOf: statementPath, places: null },
      { ...composing(stretches), cells: leaves.stretches, periods: parts, pathOf: dividedPath, places },
    ]
  }

  /** Writes the statements on all bases, in the order of the departments' tree. */
  write({ classId, departmentIds }: Filters, { tieOuts, limits }: Checks, write: WriteBytes): void {
    const { frame } = this.#leaves
    for (const { cells, slicer, composer, periods, pathOf, places } of this.#composing)
      for (const [basis, own] of cells)
        for (const { scope, slice } of slicesOfClass(frame, basis, own, classId, slicer, departmentIds)) {
          const statements = composer.all(slice)
          // The fields are named one by one: a spread would give each of these many objects a hidden class of its own.
          const { classId, departmentId } = scope
          const combination = { basis, budgetId: null, classId, departmentId }
          if (places === null) tieOuts.observe(combination, slice, statements)
          else tieOuts.observeDivided(combination, slice, statements)
          for (const statement of STATEMENTS) {
            const full = { ...scope, statement, budgetId: null }
            const body = places === null ? statements[statement] : onlyAt(places, statements[statement])
            if (!limits.allow(statement, periods, body)) continue
            write(pathOf(full), this.#encoder.encode(documentOf(frame, full, frame.coverage, periods, body)))
          }
        }
  }
}

/** The figures of some of the periods. */
function onlyAt(places: readonly number[], { rows, summary, withoutCash }: StatementBody): StatementBody {
  const only = <Row extends { readonly values: Figures }>(row: Row): Row => ({
    ...row,
    values: row.values.filter((_, i) => places.includes(i)),
  })
  const also = withoutCash && { withoutCash: withoutCash.map(only) }
  return { rows: rows.map(only), summary: summary.map(only), ...also }
}
