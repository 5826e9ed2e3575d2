/**
 * What all charts share: an SVG that says what it shows (title and description for screen readers), a plot with a value axis,
 * and texts that never overlap. The notation is that of IBCS: actual figures are solid, comparisons lighter or outlined.
 */
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { type Html, html } from '../../contract/html.ts'
import type { Numbers } from '../numbers.ts'

export const WIDTH = 760
const HEIGHT = 260
/** Room for the labels of the value axis on the left, for those of the months below. */
const MARGIN = { top: 18, right: 12, bottom: 26, left: 64 }
export const PLOT = {
  left: MARGIN.left,
  right: WIDTH - MARGIN.right,
  top: MARGIN.top,
  bottom: HEIGHT - MARGIN.bottom,
} as const

/** About as wide as a figure or letter of the labels, in units of the drawing. */
const CHARACTER = 6.6

export interface ChartText {
  /** Unique on the page: the ids of the title and the description begin with it. */
  readonly id: string
  readonly title: string
  /** What a person who does not see it has to know. */
  readonly description: string
}

export const chart = (
  { id, title, description }: ChartText,
  drawing: readonly Html[],
  height = HEIGHT,
): Html =>
  html`<svg class="chart" role="img" viewBox="0 0 ${WIDTH} ${height}" aria-labelledby="${id}-title ${id}-text">
<title id="${id}-title">${title}</title><desc id="${id}-text">${description}</desc>
${drawing}</svg>
`

/** The scale from minor units to heights; zero is always inside. */
export function valueScale(
  values: readonly number[],
  [low, high] = [PLOT.bottom, PLOT.top],
): ScaleLinear<number, number> {
  const extent = [Math.min(0, ...values), Math.max(0, ...values)] as const
  const domain = extent[0] === extent[1] ? [0, 1] : extent
  return scaleLinear().domain(domain).range([low, high]).nice(4)
}

/** Lines across the plot, each with its value; the one at zero is stronger. */
export const valueAxis = (scale: ScaleLinear<number, number>, numbers: Numbers): Html[] =>
  scale.ticks(4).map((value) => {
    const y = place(scale(value))
    return html`<line class="${value === 0 ? 'zero' : 'grid'}" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/><text class="value" x="${PLOT.left - 8}" y="${y}" dy=".32em">${numbers.short(value)}</text>
`
  })

/** Labels below the plot, as many as have room, the last always among them. */
export function placeLabels(labels: readonly string[], centre: (i: number) => number): Html[] {
  const step = labels.length < 2 ? WIDTH : Math.abs(centre(1) - centre(0))
  const wide = Math.max(...labels.map((label) => label.length)) * CHARACTER
  const longest = wide + 8
  const every = Math.max(1, Math.ceil(longest / step))
  // The first and the last label stay inside the drawing, also where their place is at its edge.
  const inside = (x: number) => Math.min(Math.max(x, longest / 2), WIDTH - longest / 2)
  const last = labels.length - 1
  // What was moved inside may be too near to the label beside it, which gives way; the first one does so itself.
  const hasRoom = (i: number) => i === last || inside(centre(i + every)) - inside(centre(i)) >= wide
  return labels.flatMap((label, i) =>
    (last - i) % every === 0 && hasRoom(i)
      ? [html`<text class="place" x="${place(inside(centre(i)))}" y="${PLOT.bottom + 18}">${label}</text>`]
      : [],
  )
}

export const bar = (kind: string, x: number, width: number, from: number, to: number): Html =>
  html`<rect class="${kind}" x="${place(x)}" y="${place(Math.min(from, to))}" width="${place(width)}" height="${place(Math.max(Math.abs(from - to), 0.5))}"/>
`

/** Coordinates with one decimal: enough for any screen, and the same text everywhere. */
export const place = (value: number): string => String(Math.round(value * 10) / 10)
