/** Metrics that are no money: the last months of each beside a small chart of them. */
import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../pages/html.ts'
import { course } from '../charts/course.ts'
import type { StatementChoice } from '../report.ts'
import type { ReportSource } from '../source.ts'
import { monthTitle } from '../views.ts'

const MONTHS = 12

export async function metricsPage(
  { frame, metrics }: ReportSource,
  { month, classId, departmentId }: Pick<StatementChoice, 'month' | 'classId' | 'departmentId'>,
): Promise<Html> {
  const published = await metrics({ budgetId: null, classId, departmentId })
  if (!published) return html`<p>No metric has a value here.</p>\n`
  const end = published.months.indexOf(month) + 1
  const begin = Math.max(0, end - MONTHS)
  const months = published.months.slice(begin, end)
  const rows = frame.metrics.flatMap((metric) => {
    const values = published.values.get(metric.id)?.slice(begin, end) ?? []
    return values.some((value) => value !== null) ? [row(metric, values)] : []
  })
  const caption = 'Metrics by month; an empty cell is a month without a value'
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Metric</th><th scope="col">Course</th>${months.map((each) => html`<th scope="col">${monthTitle(each)}</th>`)}</tr></thead>
<tbody>
${rows}</tbody></table></div>
`
}

function row(
  { name, unit }: ReportSource['frame']['metrics'][number],
  values: readonly (number | null)[],
): Html {
  const decimals = Math.max(...values.map((value) => String(value ?? '').split('.')[1]?.length ?? 0))
  return html`<tr><th scope="row">${name}${unit === '' ? null : html` <span class="number">${unit}</span>`}</th><td>${course(name, values)}</td>${values.map(
    (value) =>
      value === null
        ? html`<td></td>`
        : html`<td data-value="${value}">${displayDecimal(value.toFixed(decimals))}</td>`,
  )}</tr>
`
}
