/** What a tie-out was held on. */
import { BASES, type Basis } from '../contract/vocabulary.ts'

export interface Scope {
  readonly basis: Basis | 'BUDGET'
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

const ORDER: readonly string[] = [...BASES, 'BUDGET']

/** Scopes are met one class after the other; they are told one basis after the other, otherwise as they were met. */
export const inBasisOrder = <Item>(items: Iterable<Item>, scopeOf: (item: Item) => Scope): Item[] =>
  [...items].sort((a, b) => ORDER.indexOf(scopeOf(a).basis) - ORDER.indexOf(scopeOf(b).basis))
