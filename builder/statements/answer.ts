/**
 * Answers a statement or metric request for any range directly from the books; the child process for ad-hoc
 * ranges runs this.
 */

import type { Books } from '../books/books.ts'
import { placesOf, valuesAt } from '../books/post/metric-values.ts'
import { fiscalYearOf } from '../books/reference/fiscal.ts'
import { basisSourceOf, type Frame } from '../books/reference/frame.ts'
import { spanOf } from '../books/reference/tree.ts'
import { allOf } from '../books/sums/monthly-sums.ts'
import { type RangeBooks, rangeCells } from '../books/sums/ranges.ts'
import { cutTo, periodsOf } from '../contract/calendar.ts'
import type { DateRange, MetricScope, StatementScope } from '../contract/document.ts'
import { emptyStatement, encodeMetrics, encodeStatement } from '../contract/encode.ts'
import { present } from '../contract/present.ts'
import { type BudgetBody, budgetCoverage, composeBudget } from './budget.ts'
import { budgetSums } from './budget-sums.ts'
import { Composer, documentOf } from './compose.ts'
import { metricFigures, valuesByPeriod } from './metrics.ts'
import { Slicer } from './slice.ts'
import type { StatementBody } from './totals.ts'
/**
 * Composes one statement for any range and encodes it as JSON. Scope and ids must exist in the frame: the
 * server checks them against the lists of the same snapshot.
 */
export async function answerStatement(
  books: RangeBooks,
  scope: StatementScope,
  range: DateRange,
): Promise<string> {
  const { frame } = books
  const coverage = coverageOf(frame, scope.budgetId)
  const inside = coverage && cutTo(range, coverage)
  if (!inside) {
    const basisSource = basisSourceOf(frame, scope)
    return emptyStatement(
      { id: frame.companyId, currency: frame.currency, basisSource },
      scope,
      range,
      coverage,
    )
  }
  const body =
    scope.budgetId === null
      ? await actuals(books, scope, inside)
      : budgeted(books, scope, scope.budgetId, inside)
  const whole = scope.statement === 'CashFlow' ? { notStated: [], ...body } : body
  return encodeStatement(documentOf(frame, scope, range, periodsOf(inside), whole))
}

async function actuals(books: RangeBooks, scope: StatementScope, range: DateRange): Promise<StatementBody> {
  const { frame } = books
  const classes = spanOf(frame.classes, scope.classId)
  const departments = spanOf(frame.departments, scope.departmentId)
  // The first fiscal year may begin inside the first month. The days before it belong to no fiscal year, so
  // earnings to date begin with the range.
  const yearStart = fiscalYearOf(frame.fiscalYears, range.startDate)?.start ?? range.startDate
  const periods = periodsOf(range)
  const cells = await rangeCells(books, scope.basis, { classes, departments }, range, yearStart)
  const slice = new Slicer(frame, periods).slice(cells, [allOf(cells)])
  return new Composer(frame, periods).one(scope.statement, slice)
}

function budgeted(
  { frame, budgetCells }: Books,
  scope: StatementScope,
  budgetId: string,
  range: DateRange,
): BudgetBody {
  const figures = budgetSums(
    present(budgetCells.get(budgetId), `figures of budget "${budgetId}"`),
    spanOf(frame.classes, scope.classId),
    spanOf(frame.departments, scope.departmentId),
  )
  return composeBudget(frame, budgetId, scope.statement, figures, periodsOf(range))
}

/**
 * Answers metrics for any range, encoded as JSON, in the order of `metricIds`, which must exist in the frame.
 */
export function answerMetrics(
  books: Books,
  scope: MetricScope,
  metricIds: readonly string[],
  range: DateRange,
): string {
  const { frame } = books
  const coverage = coverageOf(frame, scope.budgetId)
  const inside = coverage && cutTo(range, coverage)
  const periods = inside ? periodsOf(inside) : []
  return encodeMetrics({
    companyId: frame.companyId,
    ...range,
    ...scope,
    periods,
    rows: metricIds.map((metricId) => {
      const metric = present(
        frame.metrics.find(({ id }) => id === metricId),
        `metric "${metricId}" in the books`,
      )
      const { metricValues: all } = books
      const values = valuesAt(all, placesOf(all, metricId, scope.budgetId))
      const byPeriod = valuesByPeriod(metric.aggregation, values, periods)
      return { metricId, values: metricFigures(frame, metric.aggregation, byPeriod, scope) }
    }),
  })
}

/**
 * The range for which there are figures: the coverage of the books for actuals, a budget's own months for a
 * budget. Null for a budget without months.
 */
export function coverageOf(frame: Frame, budgetId: string | null): DateRange | null {
  if (budgetId === null) return frame.coverage
  const budget = frame.budgets.find((candidate) => candidate.id === budgetId)
  return budget ? budgetCoverage(budget) : null
}
