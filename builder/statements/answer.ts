/** One statement or metric answer for any range, straight from the books: what the ad-hoc child answers with. */

import type { Books } from '../books/books.ts'
import { allOf } from '../books/cells.ts'
import { fiscalYearOf } from '../books/fiscal.ts'
import { basisSourceOf, type Frame } from '../books/frame.ts'
import { type RangeBooks, rangeCells } from '../books/ranges.ts'
import { spanOf } from '../books/tree.ts'
import { cutTo, periodsOf } from '../contract/calendar.ts'
import type { DateRange, MetricScope, StatementScope } from '../contract/document.ts'
import { emptyStatement, encodeMetrics, encodeStatement } from '../contract/encode.ts'
import { present } from '../contract/present.ts'
import { type BudgetBody, budgetCoverage, budgetFiguresIn, composeBudget } from './budget.ts'
import { Composer, documentOf } from './compose.ts'
import { metricFigures, valuesByPeriod } from './metrics.ts'
import { Slicer } from './slice.ts'
import type { StatementBody } from './totals.ts'

/** Scope and ids must exist in the frame: the server has checked them against the same snapshot's lists. */
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
  return encodeStatement(documentOf(frame, scope, range, periodsOf(inside), body))
}

async function actuals(books: RangeBooks, scope: StatementScope, range: DateRange): Promise<StatementBody> {
  const { frame } = books
  const classes = spanOf(frame.classes, scope.classId)
  const departments = spanOf(frame.departments, scope.departmentId)
  // Days before the first fiscal year, in a first month that it starts inside of, have nothing before them.
  const yearStart = fiscalYearOf(frame.fiscalYears, range.startDate)?.start ?? range.startDate
  const periods = periodsOf(range)
  const cells = await rangeCells(books, scope.basis, { classes, departments }, range, yearStart)
  const slice = new Slicer(frame, periods).slice(cells, [allOf(cells)])
  return new Composer(frame, periods).one(scope.statement, slice)
}

function budgeted(
  { frame, budgetFigures }: Books,
  scope: StatementScope,
  budgetId: string,
  range: DateRange,
): BudgetBody {
  const figures = budgetFiguresIn(
    budgetFigures,
    budgetId,
    spanOf(frame.classes, scope.classId),
    spanOf(frame.departments, scope.departmentId),
  )
  return composeBudget(frame, budgetId, scope.statement, figures, periodsOf(range))
}

/** Metrics in the order asked. */
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
      const byPeriod = valuesByPeriod(metric, books.metricValues, scope.budgetId, periods)
      return { metricId, values: metricFigures(frame, metric.aggregation, byPeriod, scope) }
    }),
  })
}

/** Actuals are covered as the books are; a budget by its own months. */
export function coverageOf(frame: Frame, budgetId: string | null): DateRange | null {
  if (budgetId === null) return frame.coverage
  const budget = frame.budgets.find((candidate) => candidate.id === budgetId)
  return budget ? budgetCoverage(budget) : null
}
