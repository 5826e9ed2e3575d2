/**
 * Every combination of basis, class filter and department filter that has data, one slice at a time. Cells are
 * fetched for one class filter at a time, ordered by department, so that memory follows the largest class, not the
 * number of combinations.
 */
import type { Books } from '../books/books.ts'
import { type Cells, monthlyCells } from '../books/cells.ts'
import { filtersOf, type Span, spanOf } from '../books/tree.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { openingsIn, type Slice, sliceOf } from './slice.ts'

export interface SliceScope {
  readonly basis: Basis
  readonly classId: string | null
  readonly departmentId: string | null
}

/** Unfiltered first, then by class and department in the order of their trees. */
export async function* slicesOf(books: Books): AsyncGenerator<{ scope: SliceScope; slice: Slice }> {
  const { frame, db, openings } = books
  const periods = periodsOf(frame.coverage)
  for (const basis of frame.bases)
    for (const classId of filtersOf(frame.classes)) {
      const classes = spanOf(frame.classes, classId)!
      const cells = await monthlyCells(db, basis, classes, frame.coverage)
      for (const departmentId of filtersOf(frame.departments)) {
        const departments = spanOf(frame.departments, departmentId)!
        const [from, to] = rowsOf(cells, departments)
        const own = openingsIn(openings, basis, classes, departments)
        if (from === to && own.length === 0) continue
        yield {
          scope: { basis, classId, departmentId },
          slice: sliceOf(frame, periods, cells, from, to, own),
        }
      }
    }
}

/** How many combinations {@link slicesOf} looks at: for progress. */
export const combinationsOf = ({ frame }: Books): number =>
  frame.bases.length * (frame.classes.members.length + 2) * (frame.departments.members.length + 2)

/** Cells are ordered by department: a span of departments is one stretch of rows. */
function rowsOf(cells: Cells, departments: Span): [number, number] {
  return [
    firstAtLeast(cells.department, departments.from),
    firstAtLeast(cells.department, departments.to + 1),
  ]
}

function firstAtLeast(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
