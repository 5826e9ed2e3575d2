/** A statement as an HTML table. Each figure carries its exact minor units as `data-minor`, a percentage its tenths as `data-tenths`. */
import { Html, html } from '../../pages/html.ts'
import type { Span } from '../columns.ts'
import { judged, MARKS, percentText, wholeText } from '../numbers.ts'
import type { ShownLine, ShownStatement } from '../report.ts'

/** Where the lines behind a figure of an account stand, seen from the page; null where nowhere. */
export type LinkOf = (account: string, months: Span) => string | null

/** `caption` is read out by screen readers and stands above the table. */
export function statementTable(shown: ShownStatement, caption: string, linkOf: LinkOf = () => null): Html {
  const { columns, lines } = shown
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><td></td>${columns.map(({ kind, title }) => html`<th scope="col" class="${kind}">${title}</th>`)}</tr></thead>
${partsOf(lines).map((part) => html`<tbody>\n${part.map((line) => row(line, shown, linkOf))}</tbody>\n`)}</table></div>
`
}

/** A part of the statement begins at a heading that is not indented. */
function partsOf(lines: readonly ShownLine[]): ShownLine[][] {
  const parts: ShownLine[][] = []
  for (const line of lines) {
    if (parts.length === 0 || (line.kind === 'heading' && line.depth === 0)) parts.push([])
    parts.at(-1)?.push(line)
  }
  return parts
}

function row(line: ShownLine, shown: ShownStatement, linkOf: LinkOf): Html {
  const { kind, depth, label, number } = line
  if (kind === 'heading')
    return html`<tr class="heading d${Math.min(depth, DEEPEST)}"><th scope="rowgroup" colspan="${shown.columns.length + 1}">${label}</th></tr>
`
  const named = number === '' ? html`${label}` : html`<span class="number">${number}</span> ${label}`
  return html`<tr class="${kind} d${Math.min(depth, DEEPEST)}"><th scope="row">${named}</th>${shown.columns.map((_, i) => cell(line, shown, i, linkOf))}</tr>
`
}

/** The style sheet indents no deeper. */
const DEEPEST = 6

function cell(line: ShownLine, { columns, decimals }: ShownStatement, i: number, linkOf: LinkOf): Html {
  const value = line.cells[i] ?? null
  if (value === null) return html`<td></td>`
  const column = columns[i]
  const kind = column?.kind
  if (kind === 'percent') return html`<td class="percent" data-tenths="${value}">${percentText(value)}</td>`
  const [unit, text] = line.isRatio
    ? ['data-tenths', percentText(value)]
    : ['data-minor', wholeText(value, decimals)]
  const exact = new Html(`${unit}="${value}"`)
  if (kind === 'difference') {
    const verdict = judged(line, i)
    return html`<td class="difference ${verdict}" ${exact}>${text} <span class="mark">${verdict && MARKS[verdict]}</span></td>`
  }
  const [account, ...others] = line.accounts
  const isOne = line.kind === 'account' && account !== undefined && others.length === 0
  const link = isOne && column?.months ? linkOf(account, column.months) : null
  return html`<td ${exact}>${link === null ? text : html`<a href="${link}">${text}</a>`}</td>`
}
