/** Reports values of metrics that stand twice, or that are given both for a month and for its days. */
import { error, type Finding } from '../../../workspace/finding.ts'
import type { MetricRow } from '../../format/intake.ts'
import { firstRows, keysOf, keysWith } from '../row-keys.ts'

/** Allows one value for each metric, budget, members and day, and a month either as a whole or by its days. */
export function repeatedValues(rows: readonly MetricRow[]): Finding[] {
  const owners = keysOf(
    rows,
    ({ metric }) => metric,
    ({ budget }) => budget,
    (row) => row.class,
    ({ department }) => department,
  )
  const days = firstRows(keysWith(owners, rows, ({ date }) => date))
  const months = firstRows(keysWith(owners, rows, ({ date }) => date.slice(0, 7)))
  const findings: Finding[] = []
  for (const [i, row] of rows.entries()) {
    const sameDay = days[i] === i ? undefined : rows[days[i] ?? i]
    if (sameDay !== undefined)
      findings.push(
        error(
          'repeated-value',
          `${row.metric} has a value for ${row.date} in row ${sameDay.row} of ${sameDay.file} already`,
          {
            ...placeOf(row),
            remedy: 'keep one of the two; for two members, write their class or department',
          },
        ),
      )
    else if (rows[months[i] ?? i]?.wholeMonth !== row.wholeMonth)
      findings.push(
        error(
          'month-and-days',
          `${row.metric} has a value for all of ${row.date.slice(0, 7)} and values for days in it`,
          {
            ...placeOf(row),
            remedy: 'keep the value of the month, or those of the days',
          },
        ),
      )
  }
  return findings
}

const placeOf = ({ file, row, metric }: MetricRow) => ({ file, row, text: metric })
