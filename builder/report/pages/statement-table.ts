/** A statement as an HTML table. Each figure carries its exact minor units as `data-minor`, a percentage its tenths as `data-tenths`. */
import { Html, html } from '../../contract/html.ts'
import { segment } from '../../snapshot/files/layout.ts'
import type { MonthSpan } from '../columns.ts'
import type { ShownNote } from '../notes.ts'
import { judged, MARKS, Numbers } from '../numbers.ts'
import { PARTIAL } from '../partial.ts'
import type { ShownLine, ShownStatement } from '../report.ts'
import { notePlace } from './commentary.ts'
import { addressOf } from './places.ts'

/** The relative link to the lines behind a figure of an account; null where there are none. */
export type LinkOf = (account: string, months: MonthSpan) => string | null

/** For paper, on which no link leads anywhere. */
export const NO_LINKS: LinkOf = () => null

interface Table {
  readonly name: string
  readonly shown: ShownStatement
  readonly numbers: Numbers
  readonly linkOf: LinkOf
  readonly notes: readonly ShownNote[]
  /** The anchor of each heading, and of each subtotal or total the anchor of the heading that it closes. */
  readonly headings: ReadonlyMap<ShownLine, string>
  readonly hasPlaces: boolean
}

interface TableOptions {
  /** Sets the anchors of the table apart from those of the other tables of the page. */
  readonly name: string
  readonly linkOf?: LinkOf
  /** The notes below the table, which its lines link to. */
  readonly notes?: readonly ShownNote[]
  /** Its subtotals and totals are places that links lead to. */
  readonly hasPlaces?: boolean
}

/** `caption` is read out by screen readers and stands above the table. */
export function statementTable(
  shown: ShownStatement,
  caption: string,
  { name, linkOf = () => null, notes = [], hasPlaces = false }: TableOptions,
): Html {
  const { columns, lines } = shown
  const numbers = new Numbers(shown.decimals, shown.numbers)
  const table = { name, shown, numbers, linkOf, notes, hasPlaces, headings: headingPlaces(lines, name) }
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><td></td>${columns.map(({ kind, title }) => html`<th scope="col" class="${kind}">${title}</th>`)}</tr></thead>
${partsOf(lines).map((part) => html`<tbody>\n${part.map((line) => row(line, table))}</tbody>\n`)}</table></div>
`
}

/**
 * Finds the anchor of each heading, and for each subtotal or total the anchor of the heading that it closes: the last one of the same
 * depth. Totals of totals, such as gross profit, close none.
 */
function headingPlaces(lines: readonly ShownLine[], name: string): Map<ShownLine, string> {
  const places = new Map<ShownLine, string>()
  const open = new Map<number, string>()
  for (const line of lines) {
    const place = open.get(line.depth)
    if (line.kind === 'heading') {
      places.set(line, `${name}-${segment(line.id, 'all')}`)
      open.set(line.depth, `${name}-${segment(line.id, 'all')}`)
    } else if (line.kind !== 'account' && place !== undefined) {
      places.set(line, place)
      open.delete(line.depth)
    }
  }
  return places
}

/** Divides the lines at the headings that are not indented. */
function partsOf(lines: readonly ShownLine[]): ShownLine[][] {
  const parts: ShownLine[][] = []
  for (const line of lines) {
    if (parts.length === 0 || (line.kind === 'heading' && line.depth === 0)) parts.push([])
    parts.at(-1)?.push(line)
  }
  return parts
}

function row(line: ShownLine, table: Table): Html {
  const { kind, depth, label, number } = line
  const { columns } = table.shown
  const place = table.headings.get(line) ?? ''
  if (kind === 'heading')
    return html`<tr class="heading d${Math.min(depth, DEEPEST)}" id="${place}"><th scope="rowgroup" colspan="${columns.length + 1}">${label}</th></tr>
`
  const text = place === '' ? html`${label}` : html`<a href="#${addressOf(place)}">${label}</a>`
  const marks = table.notes
    .filter((note) => note.line === line.id)
    .map((note) => html` <sup><a href="#${notePlace(note, table.name)}">note ${note.number}</a></sup>`)
  const named = html`${number === '' ? null : html`<span class="number">${number}</span> `}${text}${marks}`
  const own =
    table.hasPlaces && kind !== 'account' ? html` id="${table.name}-${segment(line.id, 'all')}"` : null
  return html`<tr class="${kind} d${Math.min(depth, DEEPEST)}"${own}><th scope="row">${named}</th>${columns.map((_, i) => cell(line, table, i))}</tr>
`
}

/** The deepest indentation of the style sheet. */
const DEEPEST = 6

function cell(line: ShownLine, { shown, numbers, linkOf }: Table, i: number): Html {
  const value = line.cells[i] ?? null
  if (value === null) return html`<td></td>`
  const column = shown.columns[i]
  const kind = column?.kind
  if (kind === 'percent' || kind === 'share')
    return html`<td class="${kind}" data-tenths="${String(value)}">${numbers.percent(value)}</td>`
  const [unit, text] = line.isRatio
    ? ['data-tenths', numbers.percent(value)]
    : ['data-minor', numbers.shown(value)]
  const exact = new Html(`${unit}="${value}"`)
  if (kind === 'difference') {
    const verdict = judged(line, i)
    return html`<td class="difference ${verdict}" ${exact}>${text} <span class="mark">${verdict && MARKS[verdict]}</span></td>`
  }
  const [account, ...others] = line.accounts
  const isOne = line.kind === 'account' && account !== undefined && others.length === 0
  const link = isOne && column?.months ? linkOf(account, column.months) : null
  const partial = line.partial.includes(i) ? html`<span class="partial">${PARTIAL}</span>` : null
  return html`<td ${exact}>${link === null ? text : html`<a href="${link}">${text}</a>`}${partial}</td>`
}
