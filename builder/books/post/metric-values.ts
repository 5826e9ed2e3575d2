/** Turns metric rows into values: codes of members, and exact millionths, because metrics have up to six decimals. */
import { present } from '../../contract/present.ts'
import { ColumnRows, type Rows } from '../../ingest/format/column-rows.ts'
import type { MetricRow } from '../../ingest/format/intake.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import type { LedgerKeys } from '../read/key-sql.ts'

export const METRIC_DECIMALS = 6

export interface MetricValue {
  readonly metric: string
  readonly date: string
  readonly wholeMonth: boolean
  /** In millionths of the metric's unit. */
  readonly value: bigint
  readonly class: number
  readonly department: number
  readonly budget: string | null
  /** Source file and row; null in books of earlier versions. */
  readonly file: string | null
  readonly row: number | null
}

export type MetricValues = ColumnRows<MetricValue>

export const keptValues = (): MetricValues =>
  new ColumnRows<MetricValue>({
    metric: 'repeated',
    date: 'repeated',
    wholeMonth: 'repeated',
    value: 'single',
    class: 'whole',
    department: 'whole',
    budget: 'repeated',
    file: 'repeated',
    row: 'number',
  })

/** Where the values of one metric stand: those of a budget, or the actual ones with null. */
export function placesOf(all: MetricValues, metric: string, budget: string | null): number[] {
  const [metricAt, budgetAt] = [all.column('metric'), all.column('budget')]
  const places: number[] = []
  for (let i = 0; i < all.length; i++) if (metricAt(i) === metric && budgetAt(i) === budget) places.push(i)
  return places
}

export const valuesAt = (all: MetricValues, places: readonly number[]): MetricValue[] =>
  places.map((place) => present(all.at(place), 'value of a metric'))

/** The values of all metrics. Rows with unknown members or unreadable values become findings. */
export function metricValues(
  keys: LedgerKeys,
  rows: Rows<MetricRow>,
): { values: MetricValues; findings: Finding[] } {
  const values = keptValues()
  const findings: Finding[] = []
  for (const row of rows) {
    const value = millionths(row.value)
    const member = row.class === null ? 0 : keys.classes.get(row.class)
    const department = row.department === null ? 0 : keys.departments.get(row.department)
    if (value === null || member == null || department == null)
      findings.push(
        error('unreadable-metric', `a value of metric ${row.metric} on ${row.date} cannot be read`, {
          file: row.file,
          row: row.row,
          text: row.value,
          remedy: 'write a number of at most six decimals, and members that exist',
        }),
      )
    else
      values.push({
        metric: row.metric,
        date: row.date,
        wholeMonth: row.wholeMonth,
        value,
        class: member,
        department,
        budget: row.budget,
        file: row.file,
        row: row.row,
      })
  }
  return { values, findings }
}

/** Converts decimal text (`1.5`) to millionths; null for text that is not a number, or has more than six decimals. */
export function millionths(text: string): bigint | null {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(text.trim())
  const fraction = (match?.[3] ?? '').replace(/(?<!0)0+$/, '')
  if (!match || fraction.length > METRIC_DECIMALS) return null
  const magnitude = BigInt(match[2] + fraction.padEnd(METRIC_DECIMALS, '0'))
  return match[1] === '-' ? -magnitude : magnitude
}
