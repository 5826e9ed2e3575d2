/** Adds up the figures of a budget under a filter. */

import type { Span } from '../books/reference/tree.ts'
import { eachCell, type MonthlySums, stretchesIn } from '../books/sums/monthly-sums.ts'

/** What a budget states of one account in one month, in minor units and the natural sign of the account. */
export interface BudgetSum {
  readonly account: number
  /** Months since year 0. */
  readonly month: number
  amount: number
}

/** A factor above all codes of accounts, to make one key of month and code. */
const CODES = 2 ** 32

export function budgetSums(cells: MonthlySums, classes: Span, departments: Span): readonly BudgetSum[] {
  const sums = new Map<number, BudgetSum>()
  for (const stretch of stretchesIn(cells, classes, departments))
    eachCell(cells, stretch, (account, month, _, amount) => {
      const key = month * CODES + account
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { account, month, amount })
      else sum.amount += amount
    })
  return [...sums.values()]
}
