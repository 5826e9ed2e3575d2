/**
 * Lists one tie-out for each combination and identity, as `tie-outs.json` has them. There are many, so each is encoded where it was
 * checked, by one of several threads, and kept as text.
 */
import { formatInteger } from '../contract/currency.ts'
import { encodeRun } from '../contract/encode.ts'
import type { Scope } from './scope.ts'

/** One identity on one scope. In minor units; `left` and `right` are the sides in the last period. */
export interface Checked {
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
  readonly basis: Scope['basis']
  readonly text: string
}

/** The tie-outs of one piece, as plain data, for {@link ScopedTieOuts.absorb}. */
export type ScopedPart = readonly ScopedRun[]

export class ScopedTieOuts {
  readonly #decimals: number
  readonly #absorbed: ScopedPart[] = []
  readonly #added: { readonly basis: Scope['basis']; readonly entries: string[] }[] = []

  /** `decimals` are those of the currency. */
  constructor(decimals: number) {
    this.#decimals = decimals
  }

  add(scope: Scope, checked: Checked): void {
    const { basis } = scope
    const entry = encoded(scope, checked, this.#decimals)
    const last = this.#added.at(-1)
    if (last?.basis === basis) last.entries.push(entry)
    else this.#added.push({ basis, entries: [entry] })
  }

  /** Only those added here, without the absorbed ones. */
  part(): ScopedPart {
    return this.#added.map(({ basis, entries }) => ({ basis, text: encodeRun(entries) }))
  }

  /** Takes over the tie-outs of another instance. */
  absorb(part: ScopedPart): void {
    this.#absorbed.push(part)
  }

  /** In the order of observation; absorbed parts come before what was added here. */
  runs(): ScopedRun[] {
    return [...this.#absorbed, this.part()].flat()
  }
}

/** The entry as JSON. */
const encoded = (
  { basis, budgetId, classId, departmentId }: Scope,
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
