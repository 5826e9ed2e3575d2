/**
 * Keeps one tie-out for each combination and identity. There are many, so they are kept as numbers, and each
 * name once.
 */
import { present } from '../contract/present.ts'
import type { Scope } from './scope.ts'

/**
 * One identity on one scope, as `tie-outs.json` lists it. In minor units; `left` and `right` are the sides in
 * the last period.
 */
export interface ScopedTieOut extends Scope {
  readonly identity: string
  readonly statement: string
  readonly checks: number
  readonly left: number
  readonly right: number
  /** The largest difference of all its checks. */
  readonly difference: number
}

type Names = Pick<ScopedTieOut, 'identity' | 'statement'>
type Checked = Omit<ScopedTieOut, keyof Scope>

/** The tie-outs of one class filter, as plain data, for {@link ScopedTieOuts.absorb}. */
export interface ScopedPart {
  readonly names: readonly Names[]
  readonly scopes: readonly Scope[]
  /** Six numbers for each: index of the name, index of the scope, checks, left, right, difference. */
  readonly numbers: Float64Array
}

const NUMBERS = 6

/** Iterates in the order of observation; absorbed parts come before what was added here. */
export class ScopedTieOuts implements Iterable<ScopedTieOut> {
  readonly #parts: ScopedPart[] = []
  readonly #names: Names[] = []
  readonly #scopes: Scope[] = []
  readonly #numbers: number[] = []

  add(scope: Scope, { identity, statement, checks, left, right, difference }: Checked): void {
    let names = this.#names.findIndex((each) => each.identity === identity && each.statement === statement)
    if (names === -1) names = this.#names.push({ identity, statement }) - 1
    if (this.#scopes.at(-1) !== scope) this.#scopes.push(scope)
    this.#numbers.push(names, this.#scopes.length - 1, checks, left, right, difference)
  }

  /** Only those added here, without the absorbed ones. */
  part(): ScopedPart {
    return { names: this.#names, scopes: this.#scopes, numbers: Float64Array.from(this.#numbers) }
  }

  /** Takes over the tie-outs of another instance. */
  absorb(part: ScopedPart): void {
    this.#parts.push(part)
  }

  *[Symbol.iterator](): Generator<ScopedTieOut> {
    for (const { names, scopes, numbers } of [...this.#parts, this.part()])
      for (let i = 0; i < numbers.length; i += NUMBERS) {
        const [name = NaN, scope = NaN, checks = NaN, left = NaN, right = NaN, difference = NaN] =
          numbers.subarray(i, i + NUMBERS)
        const { identity, statement } = present(names[name], 'name of a tie-out')
        const { basis, budgetId, classId, departmentId } = present(scopes[scope], 'scope of a tie-out')
        yield {
          basis,
          budgetId,
          classId,
          departmentId,
          identity,
          statement,
          checks,
          left,
          right,
          difference,
        }
      }
  }
}
