/** Reports values of metrics that stand twice, or that are given both for a month and for its days. */

import { present } from '../../../contract/present.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { MetricRow } from '../../format/intake.ts'
import { firstRows, keysOf, keysWith } from '../row-keys.ts'

/** Allows one value for each metric, budget, members and day, and a month either as a whole or by its days. */
export function repeatedValues(rows: ColumnRows<MetricRow>): Finding[] {
  const dateOf = rows.column('date')
  const isWhole = rows.column('wholeMonth')
  const owners = keysOf(
    rows.length,
    rows.column('metric'),
    rows.column('budget'),
    rows.column('class'),
    rows.column('department'),
  )
  const days = firstRows(keysWith(owners, dateOf))
  const months = firstRows(keysWith(owners, (row) => dateOf(row).slice(0, 7)))
  const findings: Finding[] = []
  for (let i = 0; i < rows.length; i++) {
    const [ofDay, ofMonth] = [days[i] ?? i, months[i] ?? i]
    if (ofDay === i && isWhole(ofMonth) === isWhole(i)) continue
    const row = present(rows.at(i), 'row of a metric')
    const sameDay = ofDay === i ? undefined : rows.at(ofDay)
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
    else
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
