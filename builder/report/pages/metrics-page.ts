/** Metrics that are no money: the last months of each beside a small chart of them. */
import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../pages/html.ts'
import { course } from '../charts/course.ts'
import { type ShownMetric, shownMetrics } from '../metrics.ts'
import type { StatementChoice } from '../report.ts'
import type { FigureSource } from '../source.ts'
import { monthTitle } from '../views.ts'

export async function metricsPage(
  source: FigureSource,
  choice: Pick<StatementChoice, 'month' | 'classId' | 'departmentId'>,
): Promise<Html> {
  const shown = await shownMetrics(source, choice)
  if (!shown) return html`<p>No metric has a value here.</p>\n`
  const caption = 'Metrics by month; an empty cell is a month without a value'
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Metric</th><th scope="col">Trend</th>${shown.months.map((each) => html`<th scope="col">${monthTitle(each)}</th>`)}</tr></thead>
<tbody>
${shown.rows.map(row)}</tbody></table></div>
`
}

const row = ({ name, unit, values }: ShownMetric): Html =>
  html`<tr><th scope="row">${name}${unit === '' ? null : html` <span class="number">${unit}</span>`}</th><td>${course(name, values)}</td>${values.map(
    (value) =>
      value === null ? html`<td></td>` : html`<td data-value="${value}">${displayDecimal(value)}</td>`,
  )}</tr>
`
