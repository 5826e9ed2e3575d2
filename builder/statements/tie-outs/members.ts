/** Checks identity 6: the rows of the root members plus those of *unassigned* equal the unfiltered rows. */

import type { Frame } from '../../books/reference/frame.ts'
import { rootFilters } from '../../books/reference/tree.ts'
import type { Figures, Period } from '../../contract/document.ts'
import { addStated } from '../../contract/figures.ts'
import type { StatementName } from '../../contract/vocabulary.ts'
import type { StatementBody } from '../totals.ts'
import { inBasisOrder, type TieOutScope } from './scoped.ts'

type Axis = 'classes' | 'departments'

interface Rows {
  readonly periods: readonly Period[]
  readonly rows: Map<string, Figures>
}

interface Sums extends Rows {
  readonly axis: Axis
  readonly scope: TieOutScope
  readonly statement: StatementName
}

/** The sums of one instance as plain data, for {@link MemberSums.absorb}. */
export interface MemberData {
  readonly sums: ReadonlyMap<string, Sums>
  readonly unfiltered: ReadonlyMap<string, Rows>
}

/** Adds up the rows of root members and `unassigned`, and keeps the unfiltered rows to compare them with. */
export class MemberSums {
  readonly #sums = new Map<string, Sums>()
  readonly #unfiltered = new Map<string, Rows>()
  readonly #roots: { readonly [axis in Axis]: ReadonlySet<string> }

  constructor(frame: Frame) {
    this.#roots = {
      classes: new Set(rootFilters(frame.classes)),
      departments: new Set(rootFilters(frame.departments)),
    }
  }

  /**
   * Adds the rows of a statement that is unfiltered, or filtered by one root member or `unassigned`. Other
   * statements are ignored.
   */
  add(scope: TieOutScope, statement: StatementName, periods: readonly Period[], body: StatementBody): void {
    const { classId, departmentId } = scope
    if (classId === null && departmentId === null) {
      this.#unfiltered.set(keyOf(scope, statement), {
        periods,
        rows: new Map(body.rows.map((row) => [row.accountId, row.values.slice()])),
      })
      return
    }
    if (departmentId === null && classId !== null && this.#roots.classes.has(classId))
      this.#addTo('classes', scope, statement, periods, body)
    if (classId === null && departmentId !== null && this.#roots.departments.has(departmentId))
      this.#addTo('departments', scope, statement, periods, body)
  }

  /** The sums so far, as plain data for {@link MemberSums.absorb}. */
  data(): MemberData {
    return { sums: this.#sums, unfiltered: this.#unfiltered }
  }

  /** Adds the sums of another instance, which are not changed. */
  absorb(data: MemberData): void {
    for (const [key, rows] of data.unfiltered) this.#unfiltered.set(key, rows)
    for (const [key, { rows, ...about }] of data.sums) {
      const own = this.#sumsOf(key, about)
      for (const [id, values] of rows) addRow(own.rows, id, values)
    }
  }

  /** The rows of an unfiltered statement that was added. */
  unfiltered(scope: TieOutScope, statement: StatementName): Rows | undefined {
    return this.#unfiltered.get(keyOf(scope, statement))
  }

  /**
   * For each statement and axis: the pairs of sum over the members and unfiltered figures, one pair per
   * account.
   */
  *results() {
    for (const { axis, scope, statement, periods, rows } of inBasisOrder(
      [...this.#sums.values()],
      (sums) => sums.scope.basis,
    )) {
      const whole = this.#unfiltered.get(keyOf(scope, statement))?.rows ?? new Map<string, Figures>()
      const none = new Float64Array(periods.length)
      const ids = new Set([...whole.keys(), ...rows.keys()])
      const sides = [...ids].map((id): [Figures, Figures] => [
        zeroForNone(rows.get(id) ?? none),
        zeroForNone(whole.get(id) ?? none),
      ])
      yield { axis, statement, periods, sides, scope: { ...scope, classId: null, departmentId: null } }
    }
  }

  #addTo(
    axis: Axis,
    scope: TieOutScope,
    statement: StatementName,
    periods: readonly Period[],
    body: StatementBody,
  ): void {
    const { rows } = this.#sumsOf(`${axis}|${keyOf(scope, statement)}`, { axis, scope, statement, periods })
    for (const row of body.rows) addRow(rows, row.accountId, row.values)
  }

  #sumsOf(key: string, about: Omit<Sums, 'rows'>): Sums {
    const sums = this.#sums.get(key) ?? { ...about, rows: new Map() }
    this.#sums.set(key, sums)
    return sums
  }
}

function addRow(rows: Map<string, Figures>, id: string, values: Figures): void {
  const sum = rows.get(id) ?? new Float64Array(values.length)
  rows.set(id, sum)
  addStated(sum, values)
}

/** NaN (no figure) counts as zero. */
const zeroForNone = (figures: Figures): Figures => figures.map((value) => value || 0)

const keyOf = (scope: TieOutScope, statement: StatementName): string =>
  `${scope.basis}|${scope.budgetId ?? ''}|${statement}`
