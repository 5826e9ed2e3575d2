/** The charts of the overview: result by month, the way of cash through the year, cash by month, variances, classes. */
import { scaleBand, scalePoint } from 'd3-scale'
import { line as lineThrough } from 'd3-shape'
import { type Html, html } from '../../contract/html.ts'
import { MARKS, type Numbers } from '../numbers.ts'
import { monthTitle } from '../views.ts'
import {
  bar,
  type ChartText,
  chart,
  PLOT,
  place,
  placeLabels,
  valueAxis,
  valueScale,
  WIDTH,
} from './chart.ts'
import type { Series } from './series.ts'

const bands = (count: number, padding: number) =>
  scaleBand<number>()
    .domain(Array.from({ length: count }, (_, i) => i))
    .range([PLOT.left, PLOT.right])
    .paddingInner(padding)
    .paddingOuter(padding / 2)

/** Draws income as solid bars, costs as lighter bars beside them, and net income as a line, for the same months. */
export function resultChart(
  text: ChartText,
  { income, costs, net }: { readonly income: Series; readonly costs: Series; readonly net: Series },
  numbers: Numbers,
): Html {
  const scale = valueScale([...income.values, ...costs.values, ...net.values])
  const band = bands(income.months.length, 0.35)
  const half = band.bandwidth() / 2
  const left = (i: number) => band(i) ?? 0
  const centre = (i: number) => left(i) + half
  const zero = scale(0)
  const path = lineThrough<number>()
    .x((_, i) => centre(i))
    .y((value) => scale(value))
    .digits(1)([...net.values])
  return chart(text, [
    ...valueAxis(scale, numbers),
    ...income.values.map((value, i) => bar('actual', left(i), half, zero, scale(value))),
    ...costs.values.map((value, i) => bar('lighter', left(i) + half, half, zero, scale(value))),
    html`<path class="net" d="${path}"/>\n`,
    ...net.values.map(
      (value, i) => html`<circle class="net" cx="${place(centre(i))}" cy="${place(scale(value))}" r="2.5"/>`,
    ),
    ...placeLabels(income.months.map(monthTitle), centre),
  ])
}

/** Draws cash at the end of each month as a line. */
export function cashChart(text: ChartText, { months, values }: Series, numbers: Numbers): Html {
  const scale = valueScale(values)
  const point = scalePoint<number>()
    .domain(months.map((_, i) => i))
    .range([PLOT.left + 10, PLOT.right - 10])
  const centre = (i: number) => point(i) ?? 0
  const path = lineThrough<number>()
    .x((_, i) => centre(i))
    .y((value) => scale(value))
    .digits(1)([...values])
  return chart(text, [
    ...valueAxis(scale, numbers),
    html`<path class="line" d="${path}"/>\n`,
    ...values.map(
      (value, i) =>
        html`<circle class="actual" cx="${place(centre(i))}" cy="${place(scale(value))}" r="2.2"/>`,
    ),
    ...placeLabels(months.map(monthTitle), centre),
  ])
}

export interface BridgeStep {
  readonly label: string
  readonly value: number
  /** A balance stands on zero, a movement where the one before it ended. */
  readonly kind: 'balance' | 'movement'
}

/** Draws a waterfall from one balance over movements to another, each labelled with its amount. */
export function bridgeChart(text: ChartText, steps: readonly BridgeStep[], numbers: Numbers): Html {
  const ends: { from: number; to: number }[] = []
  for (const { kind, value } of steps) {
    const from = kind === 'balance' ? 0 : (ends.at(-1)?.to ?? 0)
    ends.push({ from, to: from + value })
  }
  const scale = valueScale(
    ends.flatMap(({ from, to }) => [from, to]),
    [PLOT.bottom, PLOT.top + 14],
  )
  const band = bands(steps.length, 0.45)
  const left = (i: number) => band(i) ?? 0
  const centre = (i: number) => left(i) + band.bandwidth() / 2
  const classOf = ({ kind, value }: BridgeStep) =>
    kind === 'balance' ? 'actual' : value < 0 ? 'worse' : 'better'
  return chart(text, [
    ...valueAxis(scale, numbers),
    ...steps.flatMap((step, i) => {
      const { from, to } = ends[i] ?? { from: 0, to: 0 }
      const above = scale(Math.max(from, to)) - 6
      const sign = step.kind === 'movement' && step.value > 0 ? '+' : ''
      return [
        bar(classOf(step), left(i), band.bandwidth(), scale(from), scale(to)),
        html`<text class="amount" x="${place(centre(i))}" y="${place(above)}">${sign}${numbers.short(step.value)}</text>
`,
      ]
    }),
    ...steps.map(
      ({ label }, i) =>
        html`<text class="place" x="${place(centre(i))}" y="${PLOT.bottom + 18}">${label}</text>`,
    ),
  ])
}

interface Variance {
  readonly label: string
  readonly value: number
  readonly verdict: 'better' | 'worse' | null
}

const ROW = 26
const LABELS = 250
/** Room for an amount beside the longest bar. */
const AMOUNTS = 64
const LONGEST_LABEL = 34

/** Draws the largest variances first: above the budget to the right of zero, below it to the left. */
export function varianceChart(
  text: ChartText,
  variances: readonly Variance[],
  numbers: Numbers,
  hasMarks: boolean,
): Html {
  const scale = valueScale(
    variances.map(({ value }) => value),
    [LABELS + AMOUNTS, PLOT.right - AMOUNTS],
  )
  const zero = scale(0)
  const height = variances.length * ROW + 12
  const rows = variances.map(({ label, value, verdict }, i) => {
    const y = i * ROW + 8
    const end = scale(value)
    const [low, wide] = [Math.min(zero, end), Math.max(Math.abs(end - zero), 0.5)]
    const anchor = value < 0 ? 'before' : 'after'
    const shown = label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label
    return html`<text class="name" x="${LABELS - 8}" y="${y + ROW / 2 - 4}" dy=".32em">${shown}</text><rect class="${verdict ?? 'actual'}" x="${place(low)}" y="${y}" width="${place(wide)}" height="${ROW - 9}"/><text class="amount ${anchor}" x="${place(value < 0 ? end - 6 : end + 6)}" y="${y + ROW / 2 - 4}" dy=".32em">${value > 0 ? '+' : ''}${numbers.short(value)}${hasMarks && verdict ? ` ${MARKS[verdict]}` : ''}</text>
`
  })
  const axis = html`<line class="zero" x1="${place(zero)}" x2="${place(zero)}" y1="2" y2="${height - 4}"/>`
  return chart(text, [...rows, axis], height)
}

const PANELS_ABREAST = 3
const PANEL = { width: Math.floor(WIDTH / PANELS_ABREAST), height: 96, head: 20 }

/** Draws one small chart for each member, all on the same scale, so that heights can be compared. */
export function memberCharts(
  text: ChartText,
  members: readonly { readonly label: string; readonly values: readonly number[] }[],
  numbers: Numbers,
): Html {
  const all = members.flatMap(({ values }) => values)
  const scale = valueScale(all, [PANEL.height - 8, PANEL.head + 6])
  const panels = members.map(({ label, values }, i) => {
    const [x, y] = [(i % PANELS_ABREAST) * PANEL.width, Math.floor(i / PANELS_ABREAST) * PANEL.height]
    const band = scaleBand<number>()
      .domain(values.map((_, at) => at))
      .range([x + 4, x + PANEL.width - 20])
      .padding(0.25)
    const last = values.at(-1) ?? 0
    const name = label.length > LONGEST_NAME ? `${label.slice(0, LONGEST_NAME - 1)}…` : label
    return html`<text class="name start" x="${x + 4}" y="${y + 14}">${name}</text><text class="amount before" x="${x + PANEL.width - 20}" y="${y + 14}">${numbers.short(last)}</text>
${values.map((value, at) => bar('actual', band(at) ?? 0, band.bandwidth(), y + scale(0), y + scale(value)))}<line class="zero" x1="${x + 4}" x2="${x + PANEL.width - 20}" y1="${place(y + scale(0))}" y2="${place(y + scale(0))}"/>
`
  })
  return chart(text, panels, Math.ceil(members.length / PANELS_ABREAST) * PANEL.height)
}

const LONGEST_NAME = 22
