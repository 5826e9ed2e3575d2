/** How the rows of budgets and metrics are kept in memory. */
import { ColumnRows } from '../format/column-rows.ts'
import type { BudgetRow, MetricRow } from '../format/intake.ts'

export interface DetailedBudgetRow extends BudgetRow {
  /** The texts beside its account, members and figures, which distinguish rows of the same account. */
  readonly detail: string
}

const ORIGIN = { file: 'repeated', row: 'whole' } as const
const MEMBERS = { class: 'repeated', department: 'repeated' } as const

export const keptBudget = (): ColumnRows<DetailedBudgetRow> =>
  new ColumnRows<DetailedBudgetRow>({
    ...ORIGIN,
    ...MEMBERS,
    account: 'repeated',
    month: 'repeated',
    amount: 'single',
    scale: 'repeated',
    detail: 'repeated',
  })

export const keptMetrics = (): ColumnRows<MetricRow> =>
  new ColumnRows<MetricRow>({
    ...ORIGIN,
    ...MEMBERS,
    metric: 'repeated',
    budget: 'repeated',
    date: 'repeated',
    wholeMonth: 'repeated',
    value: 'single',
    scale: 'repeated',
  })

/** The rows of all of them; those of a single one are not copied. */
export function joinedRows<Row extends object>(
  all: readonly ColumnRows<Row>[],
  none: () => ColumnRows<Row>,
): ColumnRows<Row> {
  const [only, ...others] = all
  if (only !== undefined && others.length === 0) return only
  const rows = none()
  for (const each of all) for (const row of each) rows.push(row)
  return rows
}
