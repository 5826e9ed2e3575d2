/** A sparkline: a small line without axes, beside the figures that it draws. */
import { scaleLinear, scalePoint } from 'd3-scale'
import { line as lineThrough } from 'd3-shape'
import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'

const WIDTH = 128
const HEIGHT = 28
const EDGE = 2

/** Draws a line through the months that have a value. */
export function sparkline(name: string, texts: readonly (string | null)[]): Html {
  const values = texts.map((text) => (text === null ? null : Number(text)))
  const known = texts.filter((text) => text !== null).sort((a, b) => Number(a) - Number(b))
  const [least = '', most = ''] = [known[0], known.at(-1)]
  const [low, high] = [Number(least), Number(most)]
  const across = scalePoint<number>()
    .domain(values.map((_, i) => i))
    .range([EDGE, WIDTH - EDGE])
  const up = scaleLinear()
    .domain(low === high ? [low - 1, high + 1] : [low, high])
    .range([HEIGHT - EDGE, EDGE])
  const path = lineThrough<number | null>()
    .defined((value) => value !== null)
    .x((_, i) => across(i) ?? 0)
    .y((value) => up(value ?? 0))
    .digits(1)([...values])
  return html`<svg class="spark" role="img" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-label="${name}: between ${displayDecimal(least)} and ${displayDecimal(most)}"><path d="${path ?? ''}"/></svg>`
}
