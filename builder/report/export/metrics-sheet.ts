/** The sheet of a board pack with the metrics that are no money. */
import type { ShownMetrics } from '../metrics.ts'
import {
  type About,
  headDate,
  headText,
  plainDigits,
  QUIET,
  sheetLayout,
  TITLE_WIDTH,
  titleRows,
} from './looks.ts'
import { once } from './sheets.ts'
import type { Sheet } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'

const MOST_UNIT_WIDTH = 24
const VALUE_WIDTH = 11

export function metricsSheet({ months, rows }: ShownMetrics, about: About): Sheet {
  const title = { ...about, figures: [], title: 'Metrics', period: 'Months to' }
  const above = titleRows(title)
  const longest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length)) + 2
  const body = rows.map(({ name, unit, decimals, values }): SheetCell[] => {
    const style = { format: plainDigits(decimals) }
    return [
      { text: name },
      { text: unit, style: QUIET },
      ...values.map((value) => (value === null ? null : { number: value, style })),
    ]
  })
  return {
    name: title.title,
    widths: [
      Math.max(TITLE_WIDTH, longest(rows.map(({ name }) => name))),
      Math.min(longest(['Unit', ...rows.map(({ unit }) => unit)]), MOST_UNIT_WIDTH),
      ...months.map(() => VALUE_WIDTH),
    ],
    frozen: { rows: above.length + 1, columns: 2 },
    rows: once([
      ...above,
      [headText('Metric'), headText('Unit'), ...months.map((month) => headDate(month, 'month'))],
      ...body,
    ]),
    layout: sheetLayout(title, { repeated: { from: above.length + 1, through: above.length + 1 } }),
  }
}
