/** Tables of text: facts with their names, and lists. */
import { type Html, html } from '../../contract/html.ts'

type Text = string | Html

/** `label` names the region for those who hear the page, and is its own on each page. */
export const factsTable = (facts: readonly (readonly [name: string, value: Text])[], label = 'Facts'): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table class="text facts"><tbody>
${facts.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tbody></table></div>
`

/** `amounts`: how many of the last columns hold figures, which stand below each other. */
export const textTable = (
  caption: string,
  head: readonly string[],
  rows: readonly (readonly [name: Text, ...others: Text[]])[],
  amounts = 0,
): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table class="text">
<caption>${caption}</caption>
<thead><tr>${head.map((name, i) => html`<th scope="col"${classOf(head, i, amounts)}>${name}</th>`)}</tr></thead>
<tbody>
${rows.map(([name, ...others]) => html`<tr><th scope="row">${name}</th>${others.map((each, i) => html`<td${classOf(head, i + 1, amounts)}>${each}</td>`)}</tr>\n`)}</tbody></table></div>
`

const classOf = (head: readonly string[], i: number, amounts: number): Html | null =>
  i < head.length - amounts ? null : html` class="amount"`

/** `2026-02-03 22:00 UTC` */
export const timeText = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`
