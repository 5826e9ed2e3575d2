/** What a tie-out was held on. */
import { BASES, type Basis } from '../contract/vocabulary.ts'

export interface Scope {
  readonly basis: Basis | 'BUDGET'
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

const ORDER = [...BASES, 'BUDGET']

/**
 * Scopes are met one class after the other; they are told one basis after the other, otherwise as they were met. Items
 * are gone through once for each basis.
 */
export function* inBasisOrder<Item>(items: Iterable<Item>, scopeOf: (item: Item) => Scope): Generator<Item> {
  for (const basis of ORDER) for (const item of items) if (scopeOf(item).basis === basis) yield item
}
