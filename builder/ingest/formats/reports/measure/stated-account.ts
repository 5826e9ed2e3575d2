/** What a report that marks its rows states of one account, while its rows are read. */
import type { Cells } from '../../../text/delimited.ts'
import { nothing, type Sides } from '../rows/sides.ts'
import { RunningBalance } from './differences.ts'
import type { BalanceSign } from './written.ts'

export interface StatedAccount {
  readonly id: string
  readonly row: number
  opening: Sides
  /** The sum of its lines since the opening. */
  moved: Sides
  /** The sum of its lines since the last row that states such a sum. */
  change: Sides
  /** Debit positive; and the same, had the program written balances in the sign of the account's own side. */
  readonly is: { readonly [sign in BalanceSign]: RunningBalance }
  lines: number
  /** Whether a line cannot be read: at all, since the last balance, since the last stated change. */
  lacks: { line: boolean; balance: boolean; change: boolean }
  heading: { readonly cells: Cells; readonly row: number } | null
  hasEnd: boolean
}

/** Of an account whose first row was reached. */
export const statedAccount = (id: string, row: number): StatedAccount => ({
  id,
  row,
  opening: nothing(),
  moved: nothing(),
  change: nothing(),
  is: { debit: new RunningBalance(), natural: new RunningBalance() },
  lines: 0,
  lacks: { line: false, balance: false, change: false },
  heading: null,
  hasEnd: false,
})
