/**
 * Yields a slice for every combination of basis, class filter and department filter that has data. The leaf
 * cells of a basis are fetched once, and a slice adds up those inside its filters, so that memory grows with
 * the books and the widest slice, not with the number of combinations.
 */
import type { Books } from '../books/books.ts'
import { type LeafCells, leafCells, stretchesIn } from '../books/cells.ts'
import type { Frame } from '../books/frame.ts'
import { filtersOf, spanOf } from '../books/tree.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { type Slice, Slicer } from './slice.ts'

export interface SliceScope {
  readonly basis: Basis
  readonly classId: string | null
  readonly departmentId: string | null
}

/**
 * Yields the unfiltered slice of each basis first, then the others by class and department in tree order.
 * Each slice is valid until the next one is made.
 */
export async function* slicesOf(books: Books): AsyncGenerator<{ scope: SliceScope; slice: Slice }> {
  const { frame, db, openings } = books
  const slicer = new Slicer(frame, periodsOf(frame.coverage))
  for (const basis of frame.bases) {
    const cells = await leafCells(db, frame, openings, basis)
    for (const classId of filtersOf(frame.classes)) yield* slicesOfClass(frame, basis, cells, classId, slicer)
  }
}

/** Yields the slices of one class filter and of some department filters (all unless given), in the order of their tree. */
export function* slicesOfClass(
  frame: Frame,
  basis: Basis,
  cells: LeafCells,
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
