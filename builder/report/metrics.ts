/** Metrics that are no money, as they are shown: the last months of each that has a value in one of them. */
import type { StatementChoice } from './report.ts'
import type { FigureSource } from './source.ts'

const MONTHS = 12

export interface ShownMetrics {
  /** `YYYY-MM` */
  readonly months: readonly string[]
  readonly rows: readonly ShownMetric[]
}

export interface ShownMetric {
  readonly name: string
  /** Empty where it has none. */
  readonly unit: string
  /** As many as its most precise value has. */
  readonly decimals: number
  /** One for each month; null where there is none, which is not zero. */
  readonly values: readonly (number | null)[]
}

/** Null where no metric was published of that class and department. */
export async function shownMetrics(
  { frame, metrics }: Pick<FigureSource, 'frame' | 'metrics'>,
  { month, classId, departmentId }: Pick<StatementChoice, 'month' | 'classId' | 'departmentId'>,
): Promise<ShownMetrics | null> {
  const published = await metrics({ budgetId: null, classId, departmentId })
  if (!published) return null
  const end = published.months.indexOf(month) + 1
  const begin = Math.max(0, end - MONTHS)
  const rows = frame.metrics.flatMap(({ id, name, unit }) => {
    const values = published.values.get(id)?.slice(begin, end) ?? []
    return values.some((value) => value !== null)
      ? [{ name, unit, decimals: decimalsOf(values), values }]
      : []
  })
  return { months: published.months.slice(begin, end), rows }
}

const decimalsOf = (values: readonly (number | null)[]): number =>
  Math.max(...values.map((value) => String(value ?? '').split('.')[1]?.length ?? 0))
