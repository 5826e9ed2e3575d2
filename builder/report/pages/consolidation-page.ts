/** The page of a group: its members side by side, what they have with each other, and how members in other currencies were translated. */
import { formatInteger } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import { capitalised } from '../../contract/listed.ts'
import { statementTitle } from '../../contract/vocabulary.ts'
import {
  intercompany,
  isShownAsGroup,
  type TranslationTable,
  translations,
  worksheets,
} from '../consolidation.ts'
import { Numbers } from '../numbers.ts'
import type { ShownStatement, StatementChoice } from '../report.ts'
import type { FigureSource } from '../source.ts'
import { type LinkOf, statementTable } from './statement-table.ts'

type Choice = Omit<StatementChoice, 'statement' | 'view'>

/** `Profit and loss, Jan to Jun 2025` */
const captionOf = ({ statement, columns }: ShownStatement): string =>
  [capitalised(statementTitle(statement)), ...columns.slice(-1).map(({ title }) => title)].join(', ')

export async function consolidationPage(source: FigureSource, choice: Choice, linkOf: LinkOf): Promise<Html> {
  if (!isShownAsGroup(source, choice))
    return html`<p>Members stand side by side for the whole group alone.</p>\n`
  const sheets = await worksheets(source, choice)
  const pairs = await intercompany(source, choice)
  const translated = await translations(source, choice)
  const tables = (of: readonly ShownStatement[], name: string) =>
    of.map((shown, i) => statementTable(shown, captionOf(shown), { name: `${name}-${i}`, linkOf }))
  const statements = sheets.filter(({ statement }, i) => sheets[i - 1]?.statement !== statement)
  return html`${statements.map(
    ({ statement }) =>
      html`<h2>${capitalised(statementTitle(statement))}</h2>\n${tables(
        sheets.filter((each) => each.statement === statement),
        `worksheet-${statement}`,
      )}`,
  )}${
    pairs.length === 0
      ? null
      : html`<h2>What members have with each other</h2>
<p class="note">What both sides agree on is eliminated. What differs is in the last column, and stays in the figures until it is booked in one of the members.</p>
${tables(pairs, 'intercompany')}`
  }${
    translated.length === 0
      ? null
      : html`<h2>Translation of members in other currencies</h2>
${translated.map((each) => translationTable(each, source))}`
  }`
}

function translationTable({ caption, heads, rows }: TranslationTable, { frame }: FigureSource): Html {
  const cell = (of: TranslationTable['rows'][number]['cells'][number]): Html => {
    if (typeof of === 'string') return html`<td>${of}</td>`
    if (of.minor === null) return html`<td></td>`
    const text = new Numbers(of.decimals, frame.presentation?.numbers).exact(of.minor)
    return html`<td data-value="${formatInteger(String(of.minor), of.decimals)}">${text}</td>`
  }
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ({
    label,
    isTotal,
    cells,
  }) => html`<tr class="${isTotal ? 'total' : 'account'} d0"><th scope="row">${label}</th>${cells.map(cell)}</tr>
`,
)}</tbody></table></div>
`
}
