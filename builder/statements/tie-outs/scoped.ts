/**
 * Lists one tie-out for each combination and identity, as `tie-outs.json` has them. There are many, so the thread that
 * checked them encodes them, and they are kept as text.
 */

import { formatInteger } from '../../contract/currency.ts'
import { encodeRun } from '../../contract/encode.ts'
import { BASES, type Basis } from '../../contract/vocabulary.ts'

/** One identity on one scope. `left` and `right` are the sides in the last period, in minor units. */
interface Checked {
  readonly identity: string
  readonly statement: string
  readonly checks: number
  readonly left: number
  readonly right: number
  /** The largest difference of all its checks. */
  readonly difference: number
}

/** Entries of the list that follow each other on one basis, encoded. */
export interface ScopedRun {
  readonly basis: TieOutScope['basis']
  readonly text: string
}

/** The tie-outs of one batch as plain data, for {@link ScopedTieOuts.absorb}. */
export type ScopedData = readonly ScopedRun[]

export class ScopedTieOuts {
  readonly #decimals: number
  readonly #absorbed: ScopedData[] = []
  readonly #added: { readonly basis: TieOutScope['basis']; readonly entries: string[] }[] = []

  /** `decimals` are those of the currency. */
  constructor(decimals: number) {
    this.#decimals = decimals
  }

  add(scope: TieOutScope, checked: Checked): void {
    const { basis } = scope
    const entry = encoded(scope, checked, this.#decimals)
    const last = this.#added.at(-1)
    if (last?.basis === basis) last.entries.push(entry)
    else this.#added.push({ basis, entries: [entry] })
  }

  /** The tie-outs that were added here, without the absorbed ones. */
  data(): ScopedData {
    return this.#added.map(({ basis, entries }) => ({ basis, text: encodeRun(entries) }))
  }

  /** Takes over the tie-outs of another instance. */
  absorb(data: ScopedData): void {
    this.#absorbed.push(data)
  }

  /** The entries in the order of observation; absorbed ones come before those that were added here. */
  runs(): ScopedRun[] {
    return [...this.#absorbed, this.data()].flat()
  }
}

const encoded = (
  { basis, budgetId, classId, departmentId }: TieOutScope,
  { identity, statement, checks, left, right, difference }: Checked,
  decimals: number,
): string =>
  JSON.stringify({
    Identity: identity,
    Statement: statement,
    Basis: basis,
    BudgetId: budgetId,
    ClassId: classId,
    DepartmentId: departmentId,
    Checks: checks,
    Left: formatInteger(String(left), decimals),
    Right: formatInteger(String(right), decimals),
    Difference: formatInteger(String(difference), decimals),
    Result: 'pass',
  })

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
