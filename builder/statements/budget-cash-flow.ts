/**
 * Derives the cash flow of a budget from the changes in its balance sheet from one month to the next. A month
 * has a cash flow only where its balance sheet and that of the month before are complete and balance; for
 * other months the answer states the reason.
 */

import { moneyText } from '../books/read/money.ts'
import { budgetYearStart } from '../books/reference/fiscal.ts'
import { accountAt, type Budget, type Frame } from '../books/reference/frame.ts'
import { monthText } from '../contract/calendar.ts'
import { NO_BALANCE_SHEET } from '../contract/document.ts'
import { andMore } from '../contract/listed.ts'
import { present } from '../contract/present.ts'
import { isProfitAndLoss, type NotStatedReason } from '../contract/vocabulary.ts'
import type { BudgetSum } from './budget-sums.ts'

/** Why a month has no cash flow. */
interface Obstacle {
  readonly reason: NotStatedReason
  readonly detail: string
}

/** The cash flow of a budget in one month, in minor units and in the signs of the cash flow statement. */
export interface BudgetMonth {
  /** Account code → change in cash that it causes. Cash accounts have no entry. */
  readonly rows: ReadonlyMap<number, number>
  readonly netIncome: number
  readonly beginningCash: number
  readonly endingCash: number
}

const COSTS: readonly string[] = ['CostOfSales', 'Expense', 'OtherExpense']

/** The budget's figures under one class and department filter, by month. */
export class BudgetBalances {
  readonly #frame: Frame
  readonly #budget: Budget
  /** Codes of the balance sheet accounts with a figure in any month, in wire order. */
  readonly #accounts: readonly number[]
  /** Month → account code → balance. */
  readonly #balances = new Map<number, Map<number, number>>()
  /** Month → net income. */
  readonly #results = new Map<number, number>()

  constructor(frame: Frame, budget: Budget, figures: readonly BudgetSum[]) {
    this.#frame = frame
    this.#budget = budget
    const accounts = new Set<number>()
    for (const { account, month, amount } of figures) {
      const { classification } = accountAt(frame, account)
      if (isProfitAndLoss(classification)) {
        const sign = COSTS.includes(classification) ? -1 : 1
        this.#results.set(month, (this.#results.get(month) ?? 0) + sign * amount)
        continue
      }
      accounts.add(account)
      const balances = this.#balances.get(month) ?? new Map<number, number>()
      this.#balances.set(month, balances.set(account, (balances.get(account) ?? 0) + amount))
    }
    this.#accounts = [...accounts].sort((a, b) => a - b)
  }

  get months(): readonly number[] {
    return [...this.#balances.keys()]
  }

  /**
   * Total assets, and total liabilities and equity. Where the budget's equity does not include the result of
   * the year, the result so far is added to the latter.
   */
  sides(month: number): { readonly assets: number; readonly claims: number } | Obstacle {
    const balances = this.#balances.get(month)
    if (balances === undefined) return { reason: 'NoBalanceSheet', detail: NO_BALANCE_SHEET }
    if (this.#budget.equity === null)
      return {
        reason: 'EquityNotStated',
        detail:
          'the settings of this budget do not say whether its equity holds the result of the year ("equity")',
      }
    const [missing, ...others] = this.#accounts.filter((account) => !balances.has(account))
    if (missing !== undefined)
      return {
        reason: 'Incomplete',
        detail: `${this.#name(missing)} has no balance in ${monthText(month)}${andMore(others.length)}`,
      }
    let assets = 0
    let claims = 0
    for (const [account, amount] of balances)
      if (accountAt(this.#frame, account).classification === 'Asset') assets += amount
      else claims += amount
    if (this.#budget.equity === 'with-result') return { assets, claims }
    const result = this.#resultSince(budgetYearStart(this.#frame, month), month)
    return typeof result === 'number' ? { assets, claims: claims + result } : result
  }

  /** Why a month has no usable balance sheet; null where it is complete and balances. */
  obstacle(month: number): Obstacle | null {
    const sides = this.sides(month)
    if ('reason' in sides) return sides
    if (sides.assets === sides.claims) return null
    const money = (amount: number) => moneyText(this.#frame, amount)
    return {
      reason: 'DoesNotBalance',
      detail: `in ${monthText(month)} assets are ${money(sides.assets)}, liabilities and equity ${money(sides.claims)}`,
    }
  }

  /** The cash flow of a month, or the reason why it has none. */
  cashFlow(month: number): BudgetMonth | Obstacle {
    const obstacle = this.obstacle(month) ?? this.#obstacleBefore(month)
    if (obstacle !== null) return obstacle
    const netIncome = this.#results.get(month)
    if (netIncome === undefined) return this.#noResult(month)
    const cash = this.#accounts.filter((account) => accountAt(this.#frame, account).cashFlow === 'Cash')
    if (cash.length === 0)
      return { reason: 'NoCashAccount', detail: 'no cash account is among the balances of this budget' }
    const moved = this.#resultInEquity(month, netIncome)
    if (typeof moved !== 'number') return moved
    const [now, before] = [this.#balancesAt(month), this.#balancesAt(month - 1)]
    const rows = new Map<number, number>()
    for (const account of this.#accounts) {
      if (cash.includes(account)) continue
      const change = now(account) - before(account)
      const own = this.#isAsset(account) ? 0 - change : change
      rows.set(account, own - (this.#resultAccount() === account ? moved : 0))
    }
    const cashIn = (balance: (account: number) => number) =>
      cash.reduce((sum, account) => sum + (this.#isAsset(account) ? 1 : -1) * balance(account), 0)
    return { rows, netIncome, beginningCash: cashIn(before), endingCash: cashIn(now) }
  }

  /** Looks up balances in a month that is known to be complete. */
  #balancesAt(month: number): (account: number) => number {
    const balances = present(this.#balances.get(month), `balance in ${monthText(month)}`)
    return (account) => present(balances.get(account), `balance of ${this.#name(account)}`)
  }

  #obstacleBefore(month: number): Obstacle | null {
    const before = this.obstacle(month - 1)
    return before?.reason === 'NoBalanceSheet'
      ? { reason: 'NoMonthBefore', detail: `the budget states no balance sheet for ${monthText(month - 1)}` }
      : before
  }

  /** The part of equity's movement that is the result itself, and so not a movement of cash. */
  #resultInEquity(month: number, netIncome: number): number | Obstacle {
    let moved = 0
    if (this.#budget.equity === 'with-result') moved = netIncome
    else if (budgetYearStart(this.#frame, month) === month) {
      const result = this.#resultSince(budgetYearStart(this.#frame, month - 1), month - 1)
      if (typeof result !== 'number') return result
      moved = result
    }
    if (moved === 0 || this.#resultAccount() !== null) return moved
    return {
      reason: 'ResultAccountUnclear',
      detail:
        'which account of equity holds the result of the year is not clear: none, or several, are of the type RetainedEarnings, or the one that is named counts as cash ("resultAccount")',
    }
  }

  #resultAccount(): number | null {
    const code = this.#accounts.find((account) => {
      const { id, cashFlow } = accountAt(this.#frame, account)
      return id === this.#budget.resultAccount && cashFlow !== 'Cash'
    })
    return code ?? null
  }

  #resultSince(first: number, last: number): number | Obstacle {
    let sum = 0
    for (let month = first; month <= last; month++) {
      const result = this.#results.get(month)
      if (result === undefined) return this.#noResult(month)
      sum += result
    }
    return sum
  }

  #noResult = (month: number): Obstacle => ({
    reason: 'NoProfitAndLoss',
    detail: `the budget states no income and no cost for ${monthText(month)}`,
  })

  #isAsset = (account: number): boolean => accountAt(this.#frame, account).classification === 'Asset'

  #name(account: number): string {
    const { number, id, name } = accountAt(this.#frame, account)
    return `${number || id} ${name}`.trim()
  }
}
