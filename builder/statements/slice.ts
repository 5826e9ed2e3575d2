/**
 * One scenario, one class filter, one department filter: balances before the first period and movements in each,
 * per account. Debit positive, minor units. Statements are composed from a slice and from nothing else.
 */
import { type Cells, YEAR_TO_DATE } from '../books/cells.ts'
import { COMPUTED_CODES, type Frame } from '../books/frame.ts'
import { KIND, KINDS } from '../books/postings.ts'
import type { Period } from '../contract/document.ts'
import { isProfitAndLoss } from '../contract/vocabulary.ts'

/** Figures stand in one array for all accounts, a row of one figure per period for each. */
export interface Slice {
  readonly periods: readonly Period[]
  /**
   * Codes of the accounts with any posting or opening, ascending: an account's place here is its row. Codes after the
   * frame's last account are those of computed rows.
   */
  readonly codes: readonly number[]
  /** The row of each code; -1 where it has none. */
  readonly rowOf: Int32Array
  /** Balance before the first period, per row. */
  readonly opening: Float64Array
  /**
   * Movement per row and period, one array per kind (index into KINDS); null where there is none. What disposals shown
   * gross move stands under its kind: it is on the cash flow, and part of no balance.
   */
  readonly movements: readonly (Float64Array | null)[]
  /** P&L of the first period's fiscal year before the first period, debit positive, less what was closed of it. */
  readonly currentEarnings: number
  /** Which kinds a row has movements of: see {@link moves}. */
  readonly kinds: Uint8Array
}

/** Kinds that balances are made of. */
export const BALANCE_KINDS = [KIND.activity, KIND.transfer, KIND.closingCurrent, KIND.closingPrior] as const

/** Whether anything of that kind was posted on the account, be it zero in sum. */
export const moves = (slice: Slice, row: number, kind: number): boolean =>
  (slice.kinds[row]! & (1 << kind)) !== 0

export const isEarnings = (frame: Frame, code: number): boolean => {
  const account = frame.accounts[code]
  return account === undefined || isProfitAndLoss(account.classification)
}

/** An account that has a balance before the first period and no movement yet. */
const KNOWN = 1 << KINDS.length

/** Builds a slice from stretches of cells (pairs from, to), all of them inside its filters. */
export function sliceOf(
  frame: Frame,
  periods: readonly Period[],
  cells: Cells,
  stretches: readonly number[],
): Slice {
  const { account, period, kind, amount } = cells
  const width = periods.length
  const found = new Uint8Array(frame.accounts.length + COMPUTED_CODES.length)
  let every = 0
  for (let s = 0; s < stretches.length; s += 2)
    for (let i = stretches[s]!, to = stretches[s + 1]!; i < to; i++) {
      const moved = period[i]! >= 0 || kind[i] === KIND.grossUp ? 1 << kind[i]! : KNOWN
      found[account[i]!] = found[account[i]!]! | moved
      every |= moved
    }
  const codes: number[] = []
  const rowOf = new Int32Array(found.length).fill(-1)
  for (let code = 0; code < found.length; code++) if (found[code] !== 0) rowOf[code] = codes.push(code) - 1
  const opening = new Float64Array(codes.length)
  const movements = KINDS.map((_, k) => (every & (1 << k) ? new Float64Array(codes.length * width) : null))
  let currentEarnings = 0
  for (let s = 0; s < stretches.length; s += 2)
    for (let i = stretches[s]!, to = stretches[s + 1]!; i < to; i++) {
      const row = rowOf[account[i]!]!
      if (period[i]! >= 0) {
        const figures = movements[kind[i]!]!
        const at = row * width + period[i]!
        figures[at] = figures[at]! + amount[i]!
      } else if (kind[i] !== KIND.grossUp) {
        opening[row] = opening[row]! + amount[i]!
        // A closing entry that reduces prior years is no part of the current year's earnings.
        if (period[i] === YEAR_TO_DATE && kind[i] !== KIND.closingPrior && isEarnings(frame, account[i]!))
          currentEarnings += amount[i]!
      }
    }
  const kinds = Uint8Array.from(codes, (code) => found[code]!)
  return { periods, codes, rowOf, opening, movements, currentEarnings, kinds }
}
