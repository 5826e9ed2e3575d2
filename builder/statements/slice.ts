/**
 * One scenario, one class filter, one department filter: balances before the first period and movements in each,
 * per account. Debit positive, minor units. Statements are composed from a slice and from nothing else.
 */

import { type Cells, eachCell, type Stretch, YEAR_TO_DATE } from '../books/cells.ts'
import { codeCount, type Frame, isEarnings } from '../books/frame.ts'
import { KIND, KINDS } from '../books/postings.ts'
import type { Figures, Period } from '../contract/document.ts'
import { addFigures, figureAt } from '../contract/figures.ts'
import { present } from '../contract/present.ts'

/** Accounts by code: those of the frame, and after them the codes of computed rows. Sound until its slicer makes another. */
export interface Slice {
  readonly periods: readonly Period[]
  /** Codes of the accounts with any posting or opening, ascending. */
  readonly codes: readonly number[]
  /** Balance before the first period, by code. */
  readonly opening: Float64Array
  /**
   * Movement by kind (index into KINDS): of a code, one per period from `code × periods` on, sound where the code
   * {@link moves}. What disposals shown gross move stands under its kind: it is on the cash flow, and part of no balance.
   */
  readonly movements: readonly Float64Array[]
  /** P&L of the first period's fiscal year before the first period, debit positive, less what was closed of it. */
  readonly currentEarnings: number
  /** By code, a bit for each kind; 0 where there is nothing of the account at all. See {@link moves} and {@link knows}. */
  readonly kinds: Uint8Array
}

/** Kinds that balances are made of. */
export const BALANCE_KINDS = [KIND.activity, KIND.transfer, KIND.closingCurrent, KIND.closingPrior] as const

/** Whether anything of that kind was posted on the account, be it zero in sum. */
export const moves = (slice: Slice, code: number, kind: number): boolean =>
  ((slice.kinds[code] ?? 0) & (1 << kind)) !== 0

/** Whether there is any posting or opening of the account. */
export const knows = (slice: Slice, code: number): boolean => slice.kinds[code] !== 0

/** An account that has a balance before the first period and no movement yet. */
const KNOWN = 1 << KINDS.length

/** Adds what of a kind was posted on an account, times `factor`, to one figure per period. */
export function addMovement(
  sum: Figures,
  slice: Slice,
  code: number,
  kind: number,
  factor: 1 | -1 = 1,
): void {
  if (moves(slice, code, kind)) addFigures(sum, movementsOf(slice, kind), factor, code * sum.length)
}

/** The same where nothing was before; a zero has no sign. The account must have moved so. */
export function setMovement(
  figures: Figures,
  slice: Slice,
  code: number,
  kind: number,
  factor: 1 | -1,
): void {
  const movements = movementsOf(slice, kind)
  const from = code * figures.length
  for (let p = 0; p < figures.length; p++) figures[p] = 0 + factor * figureAt(movements, from + p)
}

const movementsOf = ({ movements }: Slice, kind: number): Figures =>
  present(movements[kind], 'movement of that kind')

/** Makes slices one after the other in the same memory: a build makes thousands, and needs one at a time. */
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

  /** From stretches of cells, all of them inside its filters. */
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

  /** Finds which accounts there are, and clears the room of their movements. */
  #begin(cells: Cells, stretches: readonly Stretch[]): number[] {
    const kinds = this.#kinds.fill(0)
    this.#opening.fill(0)
    for (const stretch of stretches)
      eachCell(cells, stretch, (code, period, kind) => {
        const moved = period >= 0 || kind === KIND.grossUp ? 1 << kind : KNOWN
        kinds[code] = (kinds[code] ?? 0) | moved
      })
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

  /** Adds the cells up; gives the earnings of the year so far. */
  #fill(cells: Cells, stretches: readonly Stretch[]): number {
    const width = this.#periods.length
    const opening = this.#opening
    let currentEarnings = 0
    const add = (code: number, period: number, kind: number, amount: number): void => {
      if (period >= 0) {
        const figures = present(this.#movements[kind], 'movement of that kind')
        const at = code * width + period
        figures[at] = figureAt(figures, at) + amount
      } else if (kind !== KIND.grossUp) {
        opening[code] = figureAt(opening, code) + amount
        // A closing entry that reduces prior years is no part of the current year's earnings.
        if (period === YEAR_TO_DATE && kind !== KIND.closingPrior && isEarnings(this.#frame, code))
          currentEarnings += amount
      }
    }
    for (const stretch of stretches) eachCell(cells, stretch, add)
    return currentEarnings
  }
}
