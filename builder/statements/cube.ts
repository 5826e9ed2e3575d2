/**
 * Makes a slice for every combination of basis, class filter and department filter that has data. A slice adds up the
 * monthly sums inside its filters, so that memory grows with the books and the widest slice, not with the number of
 * combinations.
 */

import type { Frame } from '../books/reference/frame.ts'
import { filtersOf, spanOf } from '../books/reference/tree.ts'
import { type MonthlySums, stretchesIn } from '../books/sums/monthly-sums.ts'
import type { Basis } from '../contract/vocabulary.ts'
import type { Slice, Slicer } from './slice.ts'

export interface SliceScope {
  readonly basis: Basis
  readonly classId: string | null
  readonly departmentId: string | null
}

/** Yields the slices of one class filter and of some department filters (all unless given), in the order of their tree. */
export function* slicesOfClass(
  frame: Frame,
  basis: Basis,
  cells: MonthlySums,
  classId: string | null,
  slicer: Slicer,
  departmentIds: readonly (string | null)[] = filtersOf(frame.departments),
): Generator<{ scope: SliceScope; slice: Slice }> {
  const classes = spanOf(frame.classes, classId)
  for (const departmentId of departmentIds) {
    const stretches = stretchesIn(cells, classes, spanOf(frame.departments, departmentId))
    if (stretches.length === 0) continue
    yield { scope: { basis, classId, departmentId }, slice: slicer.slice(cells, stretches) }
  }
}
