/**
 * Budgets as statements. A budget states whole months: P&L figures add up, balance sheet figures are month-end
 * balances as given, without earnings or balancing rows; there is no budget cash flow in this version.
 */
import type { BudgetFigure } from '../books/budget-figures.ts'
import type { Budget, Frame } from '../books/frame.ts'
import type { Span } from '../books/tree.ts'
import { firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import type { DateRange, Figures, Period } from '../contract/document.ts'
import type { Section, StatementName } from '../contract/vocabulary.ts'
import { accountLabel } from './compose.ts'
import { isEarnings } from './slice.ts'
import { SPECS } from './specs.ts'
import { type StatementBody, Totals } from './totals.ts'

/** A budget's own months; null where it has none. */
export const budgetCoverage = (budget: Budget): DateRange | null =>
  budget.startMonth === null || budget.endMonth === null
    ? null
    : { startDate: `${budget.startMonth}-01`, endDate: lastDay(monthOf(budget.endMonth)) }

export const budgetFiguresIn = (
  figures: readonly BudgetFigure[],
  budgetId: string,
  classes: Span,
  departments: Span,
): BudgetFigure[] =>
  figures.filter(
    (figure) =>
      figure.budget === budgetId &&
      figure.class >= classes.from &&
      figure.class <= classes.to &&
      figure.department >= departments.from &&
      figure.department <= departments.to,
  )

/** A month without a figure is NaN, not 0; so is a part of a month, of which a budget says nothing. */
export function composeBudget(
  frame: Frame,
  statement: StatementName,
  figures: readonly BudgetFigure[],
  periods: readonly Period[],
): StatementBody {
  const nothing: Figures = new Float64Array(periods.length).fill(Number.NaN)
  const spec = SPECS[statement]
  const rows = new Map<number, Figures>()
  const periodOf = new Map(
    periods.flatMap((period, p) => (states(statement, period) ? [[monthOf(period.startDate), p]] : [])),
  )
  for (const figure of figures) {
    const p = periodOf.get(figure.month)
    if (
      p === undefined ||
      isEarnings(frame, figure.account) !== (statement === 'ProfitAndLoss') ||
      statement === 'CashFlow'
    )
      continue
    const values = rows.get(figure.account) ?? nothing.slice()
    values[p] = (Number.isNaN(values[p]!) ? 0 : values[p]!) + figure.amount
    rows.set(figure.account, values)
  }
  const order = spec.sections as readonly Section[]
  const labels = [...rows.keys()]
    .sort((a, b) => a - b)
    .map((code) => ({
      code,
      label: accountLabel(frame, code, frame.accounts[code]!.classification as Section),
    }))
    .sort((a, b) => order.indexOf(a.label.section) - order.indexOf(b.label.section))
  return new Totals(spec, nothing).bodyOf(
    labels.map(({ code, label }) => ({ ...label, values: rows.get(code)! })),
  )
}

/** A balance is stated for its month's end, an activity for the whole month. */
const states = (statement: StatementName, period: Period): boolean =>
  period.endDate === lastDay(monthOf(period.startDate)) &&
  (statement === 'BalanceSheet' || period.startDate === firstDay(monthOf(period.startDate)))
