/**
 * One scenario, one class filter, one department filter: balances before the first period and movements in each,
 * per account. Debit positive, minor units. Statements are composed from a slice and from nothing else.
 */
import { type Cells, YEAR_TO_DATE } from '../books/cells.ts'
import { COMPUTED_CODES, type Frame } from '../books/frame.ts'
import type { OpeningCell } from '../books/openings.ts'
import { KIND, KINDS } from '../books/postings.ts'
import type { Span } from '../books/tree.ts'
import type { Period } from '../contract/document.ts'
import { type Basis, isProfitAndLoss } from '../contract/vocabulary.ts'

export interface AccountSlice {
  /** Code in the frame; codes after the last account are those of computed rows. */
  readonly code: number
  /** Balance before the first period. */
  opening: number
  /** Movement per period, one array per kind (index into KINDS); null where there is none. */
  readonly movements: (Float64Array | null)[]
  /** Per period, what disposals shown gross move into this account's row of the cash flow; on no other statement. */
  grossUp: Float64Array | null
}

export interface Slice {
  readonly periods: readonly Period[]
  /** Accounts with any posting or opening, ordered by code. */
  readonly accounts: readonly AccountSlice[]
  /** P&L of the first period's fiscal year before the first period, debit positive, less what was closed of it. */
  readonly currentEarnings: number
}

export const isEarnings = (frame: Frame, code: number): boolean => {
  const account = frame.accounts[code]
  return account === undefined || isProfitAndLoss(account.classification)
}

/** Builds a slice from the cells `from` up to `to` and from openings, both already inside its filters. */
export function sliceOf(
  frame: Frame,
  periods: readonly Period[],
  cells: Cells,
  from: number,
  to: number,
  openings: readonly OpeningCell[],
): Slice {
  const byCode: (AccountSlice | undefined)[] = new Array(frame.accounts.length + COMPUTED_CODES.length)
  const accountOf = (code: number): AccountSlice => {
    let account = byCode[code]
    if (account === undefined) {
      account = { code, opening: 0, movements: KINDS.map(() => null), grossUp: null }
      byCode[code] = account
    }
    return account
  }
  let currentEarnings = 0
  for (const cell of openings) {
    accountOf(cell.account).opening += cell.amount
    if (cell.current && periods[0] && inFirstYear(frame, periods[0].startDate)) currentEarnings += cell.amount
  }
  for (let i = from; i < to; i++) {
    const account = accountOf(cells.account[i]!)
    const period = cells.period[i]!
    const kind = cells.kind[i]!
    const amount = cells.amount[i]!
    if (kind === KIND.grossUp) {
      account.grossUp ??= new Float64Array(periods.length)
      if (period >= 0) addAt(account.grossUp, period, amount)
    } else if (period >= 0) {
      const movement = account.movements[kind] ?? new Float64Array(periods.length)
      addAt(movement, period, amount)
      account.movements[kind] = movement
    } else {
      account.opening += amount
      // A closing entry that reduces prior years is no part of the current year's earnings.
      if (period === YEAR_TO_DATE && kind !== KIND.closingPrior && isEarnings(frame, account.code))
        currentEarnings += amount
    }
  }
  return { periods, accounts: byCode.filter((account) => account !== undefined), currentEarnings }
}

const addAt = (figures: Float64Array, period: number, amount: number): void => {
  figures[period] = figures[period]! + amount
}

/** Whether `date` lies before the second fiscal year: an opening's own P&L belongs to the first. */
const inFirstYear = (frame: Frame, date: string): boolean =>
  !frame.fiscalYears.slice(1).some((year) => year.start <= date)

/** Openings of one basis inside two filters. */
export const openingsIn = (
  openings: readonly OpeningCell[],
  basis: Basis,
  classes: Span,
  departments: Span,
): OpeningCell[] =>
  openings.filter(
    (cell) =>
      cell.basis === basis &&
      cell.class >= classes.from &&
      cell.class <= classes.to &&
      cell.department >= departments.from &&
      cell.department <= departments.to,
  )
