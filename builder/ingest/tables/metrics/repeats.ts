/** Reports values of metrics that stand twice, or that are given both for a month and for its days. */
import { error, type Finding } from '../../../workspace/finding.ts'
import type { MetricRow } from '../../format/intake.ts'

/** Allows one value for each metric, budget, members and day, and a month either as a whole or by its days. */
export function repeatedValues(rows: readonly MetricRow[]): Finding[] {
  const key = (row: MetricRow, date: string) =>
    JSON.stringify([row.metric, row.budget, row.class, row.department, date])
  const days = new Map<string, MetricRow>()
  const months = new Map<string, MetricRow>()
  const findings: Finding[] = []
  for (const row of rows) {
    const day = key(row, row.date)
    const month = key(row, row.date.slice(0, 7))
    const before = months.get(month)
    const place = { file: row.file, row: row.row, text: row.metric }
    const sameDay = days.get(day)
    if (sameDay !== undefined)
      findings.push(
        error(
          'repeated-value',
          `${row.metric} has a value for ${row.date} in row ${sameDay.row} of ${sameDay.file} already`,
          {
            ...place,
            remedy: 'keep one of the two; for two members, write their class or department',
          },
        ),
      )
    else if (before !== undefined && before.wholeMonth !== row.wholeMonth)
      findings.push(
        error(
          'month-and-days',
          `${row.metric} has a value for all of ${row.date.slice(0, 7)} and values for days in it`,
          {
            ...place,
            remedy: 'keep the value of the month, or those of the days',
          },
        ),
      )
    if (!days.has(day)) days.set(day, row)
    if (!months.has(month)) months.set(month, row)
  }
  return findings
}
