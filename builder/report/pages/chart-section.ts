/** The charts of the overview with the figures behind each: published totals of months, drawn and listed. */
import { wordOf } from '../../books/reference/presentation.ts'
import { type Html, html } from '../../contract/html.ts'
import type { PublishedStatement } from '../../snapshot/files/documents.ts'
import {
  type BridgeStep,
  bridgeChart,
  cashChart,
  memberCharts,
  resultChart,
  varianceChart,
} from '../charts/charts.ts'
import { monthsThrough, type Series } from '../charts/series.ts'
import { amountOf, type Whole } from '../columns.ts'
import { totalLine } from '../groups.ts'
import { judged, type Numbers, numbersOf } from '../numbers.ts'
import type { ShownStatement, StatementChoice } from '../report.ts'
import type { FigureSource, PageLayout } from '../source.ts'
import { monthTitle, yearToDate } from '../views.ts'

type Choice = Omit<StatementChoice, 'statement' | 'view'>

const RESULT_MONTHS = 12
const CASH_MONTHS = 24
const MOST_CLASSES = 9

/** `variances`: the lines of the table of variances, the difference in their column `at`. */
export async function chartSection(
  source: FigureSource,
  choice: Choice,
  variances: { readonly shown: ShownStatement; readonly at: number },
): Promise<Html> {
  const { frame, statement } = source
  const { basis, classId, departmentId, month } = choice
  const scope = { basis, budgetId: null, classId, departmentId }
  const result = await statement({ ...scope, statement: 'ProfitAndLoss' })
  const cash = await statement({ ...scope, statement: 'CashFlow' })
  const isWhole = classId === null && departmentId === null
  const { currency } = variances.shown
  const numbers = numbersOf(frame)
  const parts = [
    result && resultPart(result, month, numbers, source.layout),
    isWhole && cash ? bridgePart(cash, source, month, numbers) : null,
    isWhole && cash ? cashPart(cash, month, numbers) : null,
    variances.shown.lines.length === 0
      ? null
      : variancePart(variances.shown, variances.at, numbers, source.layout),
    isWhole && frame.classes.members.length > 0 ? await classPart(source, choice, numbers) : null,
  ].filter((part) => part !== null)
  return html`<section class="charts" aria-label="Charts">
<h2>Charts</h2>
<p class="note">In ${currency}.</p>
${parts}</section>
`
}

/** `legend`: the class and the name of each kind of mark, where there are several. */
const figure = (
  caption: string,
  drawing: Html,
  table: Html,
  legend: readonly (readonly [mark: string, name: string])[] = [],
): Html => html`<figure><figcaption>${caption}</figcaption>
${legend.length === 0 ? null : html`<ul class="legend">${legend.map(([mark, name]) => html`<li class="${mark}">${name}</li>`)}</ul>\n`}${drawing}<details><summary>Figures</summary>${table}</details></figure>
`

/** One row for each series, one column for each month, in whole units. */
const seriesTable = (
  caption: string,
  months: readonly string[],
  rows: readonly (readonly [label: string, values: readonly Whole[]])[],
  numbers: Numbers,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><td></td>${months.map((month) => html`<th scope="col">${month}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ([
    label,
    values,
  ]) => html`<tr><th scope="row">${label}</th>${values.map((value) => html`<td data-minor="${String(value)}">${numbers.shown(value)}</td>`)}</tr>
`,
)}</tbody></table></div>
`

function resultPart(document: PublishedStatement, month: string, numbers: Numbers, layout: PageLayout): Html {
  const of = (...names: Parameters<typeof monthsThrough>[1]) =>
    monthsThrough(document, names, month, RESULT_MONTHS)
  const income = of('TotalIncome', 'TotalOtherIncome')
  const costs = of('TotalCostOfSales', 'TotalExpense', 'TotalOtherExpense')
  const net = of('NetIncome')
  const caption = 'Income and costs by month, with net income'
  const description = `Bars for income, lighter bars for costs, a line for net income, ${spanOf(income)}. Net income of the last month: ${numbers.shown(net.values.at(-1) ?? 0)}.`
  return figure(
    caption,
    resultChart({ id: 'chart-result', title: caption, description }, { income, costs, net }, numbers),
    seriesTable(
      caption,
      income.months.map(monthTitle),
      [
        ['Income', income.values],
        ['Costs', costs.values],
        ['Net income', net.values],
      ],
      numbers,
    ),
    layout === 1
      ? []
      : [
          ['actual', 'Income'],
          ['lighter', 'Costs'],
          ['net', 'Net income'],
        ],
  )
}

const spanOf = ({ months }: Series): string =>
  `${monthTitle(months[0] ?? '')} to ${monthTitle(months.at(-1) ?? '')}`

/** From the cash at the beginning of the fiscal year to the cash at the end of the month. */
function bridgePart(
  document: PublishedStatement,
  { frame }: FigureSource,
  month: string,
  numbers: Numbers,
): Html | null {
  const year = yearToDate({ frame, month })
  const steps = (
    [
      ['Beginning', 'BeginningCash', 'balance'],
      ['Operating', 'NetCashFromOperating', 'movement'],
      ['Investing', 'NetCashFromInvesting', 'movement'],
      ['Financing', 'NetCashFromFinancing', 'movement'],
      [monthTitle(month), 'EndingCash', 'balance'],
    ] as const
  ).flatMap(([label, name, kind]): (BridgeStep & { readonly amount: Whole })[] => {
    const amount = amountOf(totalLine([name, null], 'sum', 'total'), document, year)
    return amount === null ? [] : [{ label, amount, value: Number(amount), kind }]
  })
  if (steps.length < 5) return null
  const caption = 'Cash from the beginning of the year to now'
  const described = steps.map(({ label, amount }) => `${label} ${numbers.shown(amount)}`).join(', ')
  return figure(
    caption,
    bridgeChart({ id: 'chart-bridge', title: caption, description: `${described}.` }, steps, numbers),
    seriesTable(
      caption,
      ['Amount'],
      steps.map(({ label, amount }) => [label, [amount]]),
      numbers,
    ),
  )
}

function cashPart(document: PublishedStatement, month: string, numbers: Numbers): Html {
  const cash = monthsThrough(document, ['EndingCash'], month, CASH_MONTHS)
  const caption = 'Cash at the end of each month'
  const description = `A line from ${spanOf(cash)}; now ${numbers.shown(cash.values.at(-1) ?? 0)}.`
  return figure(
    caption,
    cashChart({ id: 'chart-cash', title: caption, description }, cash, numbers),
    seriesTable(caption, cash.months.map(monthTitle), [['Cash', cash.values]], numbers),
  )
}

function variancePart(shown: ShownStatement, at: number, numbers: Numbers, layout: PageLayout): Html {
  const caption = 'Largest variances from the budget, year to date'
  const variances = shown.lines.map((line) => ({
    label: line.label,
    amount: line.cells[at] ?? 0,
    value: Number(line.cells[at] ?? 0),
    verdict: judged(line, at),
  }))
  const described = variances.map(({ label, amount }) => `${label} ${numbers.shown(amount)}`).join(', ')
  return figure(
    caption,
    varianceChart(
      { id: 'chart-variances', title: caption, description: `${described}.` },
      variances,
      numbers,
      layout > 1,
    ),
    seriesTable(
      caption,
      ['Variance'],
      variances.map(({ label, amount }) => [label, [amount]]),
      numbers,
    ),
  )
}

/** Income of the classes at the top of the dimension, all on one scale. */
async function classPart(
  { frame, statement }: FigureSource,
  { basis, month }: Choice,
  numbers: Numbers,
): Promise<Html | null> {
  const members: { label: string; months: readonly string[]; values: readonly number[] }[] = []
  for (const { id, name } of frame.classes.members.filter(({ parentId }) => parentId === null)) {
    const scope = { basis, budgetId: null, classId: id, departmentId: null }
    const document = await statement({ ...scope, statement: 'ProfitAndLoss' })
    if (!document || members.length === MOST_CLASSES) continue
    members.push({ label: name, ...monthsThrough(document, ['TotalIncome'], month, RESULT_MONTHS) })
  }
  const [first] = members
  if (first === undefined) return null
  const caption = `Income of each ${wordOf('class', frame.presentation?.words)} by month`
  const described = members
    .map(({ label, values }) => `${label} ${numbers.shown(values.at(-1) ?? 0)}`)
    .join(', ')
  return figure(
    caption,
    memberCharts(
      { id: 'chart-classes', title: caption, description: `In the last month: ${described}.` },
      members,
      numbers,
    ),
    seriesTable(
      caption,
      first.months.map(monthTitle),
      members.map(({ label, values }) => [label, values]),
      numbers,
    ),
  )
}
