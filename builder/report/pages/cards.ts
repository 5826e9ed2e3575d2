/** What a reader asks first: a few figures of the month, each beside its budget, the year before, and a small chart of its last two years. */
import { formatInteger } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import type { PublishedStatement } from '../../snapshot/files/documents.ts'
import { lastMonthsOf } from '../charts/series.ts'
import { sparkline } from '../charts/sparkline.ts'
import { amountOf, type LineValue } from '../columns.ts'
import type { ReportLine } from '../groups.ts'
import { judged, MARKS, Numbers } from '../numbers.ts'
import { PARTIAL } from '../partial.ts'
import type { ShownStatement } from '../report.ts'
import { monthBefore } from '../views.ts'

const COURSE_MONTHS = 24

/** A figure that a table of the page shows, and the document that states it. */
export interface Card {
  readonly line: ReportLine
  readonly shown: ShownStatement
  readonly document: PublishedStatement | null
}

export const cards = (all: readonly Card[]): Html =>
  html`<ul class="cards">
${all.flatMap((each) => card(each) ?? [])}</ul>
`

function card({ line, shown, document }: Card): Html | null {
  const own = shown.lines.find(({ id }) => id === line.id)
  const figure = own?.cells[0] ?? null
  if (own === undefined || figure === null) return null
  const label = line.label.replace(/,.*/, '')
  const numbers = new Numbers(shown.decimals, shown.numbers)
  const text = (cell: LineValue) => (own.isRatio ? `${numbers.percent(cell)} %` : numbers.shown(cell))
  const exact = (cell: LineValue) =>
    own.isRatio ? html`data-tenths="${String(cell)}"` : html`data-minor="${String(cell)}"`
  const verdict = judged(
    own,
    shown.columns.findIndex(({ title }) => title === 'Variance'),
  )
  const prior = monthBefore(shown.month, 12)
  const priorAt = shown.columns.findIndex(
    ({ months }) => months?.from === prior && months.through === prior && !months.start && !months.end,
  )
  const against = shown.columns.flatMap(({ title }, at) => {
    const isPrior = at === priorAt
    const cell = own.cells[at] ?? null
    if (cell === null || !(isPrior || title === 'Budget')) return []
    const mark = isPrior || verdict === null ? null : html` <span class="${verdict}">${MARKS[verdict]}</span>`
    return [
      html`<span class="against">${title} <span ${exact(cell)}>${text(cell)}</span>${own.partial.includes(at) ? PARTIAL : null}${mark}</span>`,
    ]
  })
  return html`<li><span class="label">${label}</span><strong ${exact(figure)}>${text(figure)}</strong>${against}${document && sparkline(label, courseOf(line, document, shown))}</li>
`
}

/** The figure of each of the last months in units of the currency, or in percent; null for a month without it. */
function courseOf(
  line: ReportLine,
  document: PublishedStatement,
  { month, decimals }: ShownStatement,
): (string | null)[] {
  const places = line.of !== null && 'ratio' in line.of ? 1 : decimals
  return lastMonthsOf(document, month, COURSE_MONTHS).map((each) => {
    const cell = amountOf(line, document, { from: each, through: each })
    return cell === null ? null : formatInteger(String(cell), places)
  })
}
