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
  /**
   * For each month the value as decimal text with {@link decimals} decimals; null where there is none, which is not
   * zero.
   */
  readonly values: readonly (string | null)[]
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
    const own = published.values.get(id)?.slice(begin, end) ?? []
    const decimals = Math.max(...own.map((value) => fractionOf(value).length))
    const values = own.map((value) => value && widened(value, decimals))
    return values.some((value) => value !== null) ? [{ name, unit, decimals, values }] : []
  })
  return { months: published.months.slice(begin, end), rows }
}

const fractionOf = (value: string | null): string => value?.split('.')[1] ?? ''

/** `6.5`, 2 → `6.50`. */
const widened = (value: string, decimals: number): string =>
  decimals === 0 ? value : `${value.split('.')[0] ?? ''}.${fractionOf(value).padEnd(decimals, '0')}`
