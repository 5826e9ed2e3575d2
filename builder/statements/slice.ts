/**
 * Makes slices: for one basis, class filter and department filter, the balances before the first period and
 * the movements in each period, by account. Debit positive, in minor units. Statements are composed from
 * slices alone.
 */

import { CASH_FLOW_KINDS, KIND, KINDS } from '../books/post/postings.ts'
import { codeCount, type Frame, isEarnings } from '../books/reference/frame.ts'
import { filtersOf, spanOf } from '../books/reference/tree.ts'
import {
  type Cells,
  type MonthlySums,
  type Stretch,
  stretchesIn,
  YEAR_TO_DATE,
} from '../books/sums/monthly-sums.ts'
import type { Figures, Period } from '../contract/document.ts'
import { addFigures, NONE, setFigures } from '../contract/figures.ts'
import { present } from '../contract/present.ts'
import type { Basis } from '../contract/vocabulary.ts'
/**
 * Accounts are indexed by code: those of the frame first, then the computed rows. Valid until its slicer
 * makes the next slice.
 */
export interface Slice {
  readonly periods: readonly Period[]
  /** Codes of the accounts that have any posting or opening, ascending. */
  readonly codes: readonly number[]
  /** Balance before the first period, by code. */
  readonly opening: Float64Array
  readonly movements: readonly Float64Array[]
  /**
   * Result of the first period's fiscal year before the first period, debit positive, less what was closed of
   * it.
   */
  readonly currentEarnings: number
  /**
   * By code, one bit for each kind that moves; 0 where the account has no postings and no opening.
   * `hasMovement` and `hasLines` read them.
   */
  readonly kinds: Uint8Array
}

/** The kinds of movement that make up balances. */
export const BALANCE_KINDS = [KIND.activity, KIND.transfer, KIND.closingCurrent, KIND.closingPrior] as const

/** Whether postings of a kind only move amounts between rows of the cash flow. */
const isOnCashFlowOnly = (kind: number): boolean => kind >= KIND.grossUp

/** Whether anything of that kind was posted on the account, even if its sum is zero. */
export const hasMovement = (slice: Slice, code: number, kind: number): boolean =>
  ((slice.kinds[code] ?? 0) & (1 << kind)) !== 0

const MOVES = CASH_FLOW_KINDS.reduce((bits, kind) => bits | (1 << kind), 0)
/** Whether anything is moved onto the account, or off it, on the cash flow alone. */
export const hasMoves = (slice: Slice, code: number): boolean => ((slice.kinds[code] ?? 0) & MOVES) !== 0

/** Whether the account has any posting or opening. */
export const hasLines = (slice: Slice, code: number): boolean => slice.kinds[code] !== 0

/** Marks an account that has a balance before the first period and no movement yet. */
const OPENING_ONLY = 1 << KINDS.length

/**
 * Adds the movements of one kind on an account, times `factor`, to `sum`, which has one figure per period.
 */
export function addMovement(
  sum: Figures,
  slice: Slice,
  code: number,
  kind: number,
  factor: 1 | -1 = 1,
): void {
  if (hasMovement(slice, code, kind)) addFigures(sum, movementsOf(slice, kind), factor, code * sum.length)
}

/** Like {@link addMovement}, but replaces the figures. {@link hasMovement} must hold. */
export function setMovement(
  figures: Figures,
  slice: Slice,
  code: number,
  kind: number,
  factor: 1 | -1,
): void {
  setFigures(figures, movementsOf(slice, kind), factor, code * figures.length)
}

const movementsOf = ({ movements }: Slice, kind: number): Figures =>
  present(movements[kind], 'movement of that kind')

/**
 * Makes slices one after the other and reuses its memory, since a build makes thousands and needs one at a
 * time.
 */
export class Slicer {
  readonly #frame: Frame
  readonly #periods: readonly Period[]
  readonly #kinds: Uint8Array
  readonly #opening: Float64Array
  readonly #movements: Float64Array[]

  constructor(frame: Frame, periods: readonly Period[]) {
    const codes = codeCount(frame)
    this.#frame = frame
    this.#periods = periods
    this.#kinds = new Uint8Array(codes)
    this.#opening = new Float64Array(codes)
    this.#movements = KINDS.map(() => new Float64Array(codes * periods.length))
  }

  /** Adds up the cells of some stretches, all of which must lie inside the slice's filters. */
  slice(cells: Cells, stretches: readonly Stretch[]): Slice {
    const codes = this.#begin(cells, stretches)
    const currentEarnings = this.#fill(cells, stretches)
    return {
      periods: this.#periods,
      codes,
      opening: this.#opening,
      movements: this.#movements,
      currentEarnings,
      kinds: this.#kinds,
    }
  }

  /** Finds the accounts of the slice and clears their movements; returns their codes. */
  #begin({ account, period, kind }: Cells, stretches: readonly Stretch[]): number[] {
    const kinds = this.#kinds.fill(0)
    this.#opening.fill(0)
    for (const { from, to } of stretches)
      for (let i = from; i < to; i++) {
        const code = account[i] ?? NONE
        const own = kind[i] ?? NONE
        const moved = (period[i] ?? NONE) >= 0 || isOnCashFlowOnly(own) ? 1 << own : OPENING_ONLY
        kinds[code] = (kinds[code] ?? 0) | moved
      }
    const width = this.#periods.length
    const codes: number[] = []
    for (const [code, moved] of kinds.entries()) {
      if (moved === 0) continue
      codes.push(code)
      for (const [kind, figures] of this.#movements.entries())
        if (moved & (1 << kind)) figures.fill(0, code * width, (code + 1) * width)
    }
    return codes
  }

  /** Adds up the cells; returns the earnings of the fiscal year before the first period. */
  #fill({ account, period, kind, amount }: Cells, stretches: readonly Stretch[]): number {
    const width = this.#periods.length
    const opening = this.#opening
    let currentEarnings = 0
    for (const { from, to } of stretches)
      for (let i = from; i < to; i++) {
        const code = account[i] ?? NONE
        const own = kind[i] ?? NONE
        const when = period[i] ?? NONE
        const added = amount[i] ?? NONE
        if (when >= 0) {
          const figures = present(this.#movements[own], 'movement of that kind')
          const at = code * width + when
          figures[at] = (figures[at] ?? NONE) + added
        } else if (!isOnCashFlowOnly(own)) {
          opening[code] = (opening[code] ?? NONE) + added
          // A closing entry that reduces prior years' earnings is not part of the current year's.
          if (when === YEAR_TO_DATE && own !== KIND.closingPrior && isEarnings(this.#frame, code))
            currentEarnings += added
        }
      }
    return currentEarnings
  }
}

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
