/**
 * Composes statements from budgets. A budget states whole months: P&L figures add up, balance sheet figures
 * are month-end balances as given, without earnings or balancing rows. The cash flow is derived from the
 * balances (budget-cash-flow.ts).
 */

import { accountAt, type Budget, budgetAt, type Frame, isEarnings } from '../books/reference/frame.ts'
import { firstDay, lastDay, monthOf, periodAt } from '../contract/calendar.ts'
import type { DateRange, Figures, NotStated, Period, StatementRow } from '../contract/document.ts'
import { figureAt } from '../contract/figures.ts'
import { present } from '../contract/present.ts'
import type { Section, StatementName } from '../contract/vocabulary.ts'
import { BudgetBalances, type BudgetMonth } from './budget-cash-flow.ts'
import type { BudgetSum } from './budget-sums.ts'
import { accountRowLabel, computedRowLabel, type RowLabel } from './compose.ts'
import { SPECS } from './specs.ts'
import { type StatementBody, Totals, totalOf } from './totals.ts'

/** The first and last day of a budget's months; null where it has none. */
export const budgetCoverage = (budget: Budget): DateRange | null =>
  budget.startMonth === null || budget.endMonth === null
    ? null
    : { startDate: `${budget.startMonth}-01`, endDate: lastDay(monthOf(budget.endMonth)) }

/**
 * Both sides of an identity, for the periods in which the budget satisfies it. A budget need not balance; one
 * that does not has no such proof.
 */
interface BudgetProof {
  readonly identity: string
  readonly periods: readonly Period[]
  readonly left: Figures
  readonly right: Figures
}

export interface BudgetBody extends StatementBody {
  readonly notStated?: readonly NotStated[]
  readonly proof: BudgetProof | null
}

/**
 * Composes one statement of a budget from its figures under one filter. A month without a figure is NaN, not
 * 0; so is part of a month, because a budget states whole months only.
 */
export function composeBudget(
  frame: Frame,
  budgetId: string,
  statement: StatementName,
  figures: readonly BudgetSum[],
  periods: readonly Period[],
): BudgetBody {
  const balances = () => new BudgetBalances(frame, budgetAt(frame, budgetId), figures)
  if (statement === 'CashFlow') return cashFlow(frame, balances(), periods)
  const nothing = noFigures(periods)
  const rows = new Map<number, Figures>()
  const periodOf = new Map(
    periods.flatMap((period, p) => (states(statement, period) ? [[monthOf(period.startDate), p]] : [])),
  )
  for (const figure of figures) {
    const p = periodOf.get(figure.month)
    if (p === undefined || isEarnings(frame, figure.account) !== (statement === 'ProfitAndLoss')) continue
    const values = rows.get(figure.account) ?? nothing.slice()
    values[p] = (figureAt(values, p) || 0) + figure.amount
    rows.set(figure.account, values)
  }
  const labels = [...rows].map(([code, values]) => ({
    ...{ code, values },
    label: accountRowLabel(frame, code, accountAt(frame, code).classification as Section),
  }))
  const body = new Totals(SPECS[statement], nothing).bodyOf(
    inOrder(statement, labels).map(({ label, values }) => ({ ...label, values })),
  )
  return { ...body, proof: statement === 'BalanceSheet' ? balanceProof(balances(), periods) : null }
}

const noFigures = (periods: readonly Period[]): Figures => new Float64Array(periods.length).fill(Number.NaN)

function inOrder<Row extends { readonly code: number; readonly label: RowLabel }>(
  statement: StatementName,
  rows: readonly Row[],
): Row[] {
  const order = SPECS[statement].sections as readonly Section[]
  return [...rows]
    .sort((a, b) => a.code - b.code)
    .sort((a, b) => order.indexOf(a.label.section) - order.indexOf(b.label.section))
}

/**
 * Whether a budget states figures for a period: a balance for a month's end, an activity for a whole month.
 */
const states = (statement: StatementName, period: Period): boolean =>
  period.endDate === lastDay(monthOf(period.startDate)) &&
  (statement === 'BalanceSheet' || period.startDate === firstDay(monthOf(period.startDate)))

/**
 * The balance sheet identity for every month with balances; null unless all of these months are complete and
 * balance.
 */
function balanceProof(balances: BudgetBalances, periods: readonly Period[]): BudgetProof | null {
  const months = new Set(balances.months)
  if (months.size === 0 || balances.months.some((month) => balances.obstacle(month) !== null)) return null
  const stated = periods.filter((period) => months.has(monthOf(period.startDate)))
  const sides = stated.flatMap((period) => {
    const found = balances.sides(monthOf(period.startDate))
    return 'reason' in found ? [] : [found]
  })
  return {
    identity: 'assets = liabilities + equity',
    periods: stated,
    left: Float64Array.from(sides, ({ assets }) => assets),
    right: Float64Array.from(sides, ({ claims }) => claims),
  }
}

function cashFlow(frame: Frame, balances: BudgetBalances, periods: readonly Period[]): BudgetBody {
  const nothing = noFigures(periods)
  const notStated: NotStated[] = []
  const months = periods.map((period): BudgetMonth | null => {
    const found = states('CashFlow', period)
      ? balances.cashFlow(monthOf(period.startDate))
      : ({ reason: 'PartOfMonth', detail: 'a budget says nothing of a part of a month' } as const)
    if (!('reason' in found)) return found
    notStated.push({ month: period.month, ...found })
    return null
  })
  const codes = new Set(months.flatMap((month) => (month === null ? [] : [...month.rows.keys()])))
  const over = (figureOf: (month: BudgetMonth) => number): Figures =>
    Float64Array.from(months, (month) => (month === null ? Number.NaN : figureOf(month)))
  const labels = [...codes].map((code) => ({
    code,
    label: accountRowLabel(frame, code, (accountAt(frame, code).cashFlow ?? 'Operating') as Section),
  }))
  const rows: StatementRow[] = inOrder('CashFlow', labels).map(({ code, label }) => ({
    ...label,
    values: over((month) => present(month.rows.get(code), 'movement of an account of the budget') + 0),
  }))
  if (months.some((month) => month !== null)) {
    const operating = rows.findLastIndex(({ section }) => section === 'Operating') + 1
    rows.splice(operating, 0, {
      ...computedRowLabel('net-income', 'Operating'),
      values: over((month) => month.netIncome),
    })
  }
  // In a month with a cash flow, a section without rows is zero rather than unknown.
  for (const [p, month] of months.entries()) if (month !== null) nothing[p] = 0
  const cash = {
    beginning: over((month) => month.beginningCash),
    ending: over((month) => month.endingCash),
  }
  const body = new Totals(SPECS.CashFlow, nothing).bodyOf(rows, cash)
  return { ...body, notStated, proof: cashProof(body, periods, months) }
}

function cashProof(
  body: StatementBody,
  periods: readonly Period[],
  months: readonly (BudgetMonth | null)[],
): BudgetProof | null {
  const change = totalOf(body, 'NetChangeInCash')
  const stated = months.flatMap((month, p) => (month === null ? [] : [{ month, p }]))
  return stated.length === 0
    ? null
    : {
        identity: 'operating + investing + financing = change in cash',
        periods: stated.map(({ p }) => periodAt(periods, p)),
        left: Float64Array.from(stated, ({ p }) => figureAt(change, p)),
        right: Float64Array.from(stated, ({ month }) => month.endingCash - month.beginningCash),
      }
}
