/** Composes, checks and encodes the statements of actuals of one class filter and some department filters. */

import { yearStretches } from '../books/reference/fiscal.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { Figures, Period } from '../contract/document.ts'
import type { StatementEncoder } from '../contract/encode.ts'
import { STATEMENTS } from '../contract/vocabulary.ts'
import { dividedPath, statementPath } from '../snapshot/files/layout.ts'
import { Composer, documentOf } from '../statements/compose.ts'
import { Slicer, slicesOfClass } from '../statements/slice.ts'
import type { StatementBody } from '../statements/totals.ts'
import type { BatchFilters, DocumentChecks, DocumentData, WriteBytes } from './document-batch.ts'

/** A way to compose statements: of months, or of stretches of fiscal years, of which only some are published. */
interface Composing {
  readonly cells: DocumentData['cells']
  readonly slicer: Slicer
  readonly composer: Composer
  readonly periods: readonly Period[]
  readonly pathOf: typeof statementPath
  /** The places of the published periods; null for all. */
  readonly places: readonly number[] | null
}

export class ClassDocuments {
  readonly #data: DocumentData
  readonly #encoder: StatementEncoder
  readonly #composing: readonly Composing[]

  constructor(data: DocumentData, encoder: StatementEncoder) {
    const { frame, cells } = data
    const composing = (periods: readonly Period[]) => ({
      ...{ slicer: new Slicer(frame, periods), composer: new Composer(frame, periods) },
    })
    const months = periodsOf(frame.coverage)
    const { stretches, places } = yearStretches(frame)
    const parts = stretches.filter((_, i) => places.includes(i))
    this.#data = data
    this.#encoder = encoder
    this.#composing = [
      { ...composing(months), cells, periods: months, pathOf: statementPath, places: null },
      { ...composing(stretches), cells: data.stretches, periods: parts, pathOf: dividedPath, places },
    ]
  }

  /** Writes the statements on all bases, in the order of the departments' tree. */
  write(
    { classId, departmentIds }: BatchFilters,
    { tieOuts, limits }: DocumentChecks,
    write: WriteBytes,
  ): void {
    const { frame } = this.#data
    for (const { cells, slicer, composer, periods, pathOf, places } of this.#composing)
      for (const [basis, own] of cells)
        for (const { scope, slice } of slicesOfClass(frame, basis, own, classId, slicer, departmentIds)) {
          const statements = composer.all(slice)
          // The fields are named one by one: after a spread, V8 gives each of these many objects a hidden class of its
          // own.
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

function onlyAt(places: readonly number[], { rows, summary, withoutCash }: StatementBody): StatementBody {
  const only = <Row extends { readonly values: Figures }>(row: Row): Row => ({
    ...row,
    values: row.values.filter((_, i) => places.includes(i)),
  })
  const also = withoutCash && { withoutCash: withoutCash.map(only) }
  return { rows: rows.map(only), summary: summary.map(only), ...also }
}
