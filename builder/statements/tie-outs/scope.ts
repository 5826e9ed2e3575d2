/** Names what a tie-out was checked on: basis, budget, class and department. */
import { BASES, type Basis } from '../../contract/vocabulary.ts'

export interface TieOutScope {
  readonly basis: Basis | 'BUDGET'
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

const ORDER = [...BASES, 'BUDGET']

/**
 * Yields items in the order of bases, otherwise in their given order: they are computed class by class, but
 * listed basis by basis. Goes through `items` once for each basis, so they must be iterable again.
 */
export function* inBasisOrder<Item>(
  items: Iterable<Item>,
  basisOf: (item: Item) => TieOutScope['basis'],
): Generator<Item> {
  for (const basis of ORDER) for (const item of items) if (basisOf(item) === basis) yield item
}
