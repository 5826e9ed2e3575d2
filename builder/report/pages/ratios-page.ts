/** The page of ratios: the newest month first, beside its target and the year before, and what each is and is made of. */
import { formatInteger } from '../../contract/currency.ts'
import { Html, html } from '../../contract/html.ts'
import type { StatementName } from '../../contract/vocabulary.ts'
import { segment } from '../../snapshot/files/layout.ts'
import { sparkline } from '../charts/sparkline.ts'
import type { LineValue } from '../columns.ts'
import { MARKS, type Numbers, numbersOf } from '../numbers.ts'
import { type Origin, type ShownRatio, shownRatios } from '../ratios.ts'
import type { StatementChoice } from '../report.ts'
import type { FigureSource } from '../source.ts'
import { monthBefore, monthTitle } from '../views.ts'
import { addressOf } from './places.ts'
import { textTable } from './plain-table.ts'
import { type LinkOf, NO_LINKS } from './statement-table.ts'

type Choice = Pick<StatementChoice, 'basis' | 'classId' | 'departmentId' | 'month'>

export async function ratiosPage(source: FigureSource, choice: Choice, linkOf: LinkOf): Promise<Html> {
  const { months, groups, notes } = await shownRatios(source, choice)
  const said = notes.map((note) => html`<p class="note">${note}</p>\n`)
  if (groups.length === 0) return html`<p>No ratio has a value here.</p>\n${said}`
  const numbers = numbersOf(source.frame)
  const all = groups.flatMap(({ ratios }) => ratios)
  const hasTargets = all.some((ratio) => limitText(ratio, numbers) !== '')
  const caption = 'The last twelve months, the newest first'
  const [newest = '', ...others] = months
  const heads = [
    monthTitle(newest),
    ...(hasTargets ? ['Target'] : []),
    monthTitle(monthBefore(newest, 12)),
    'Trend',
    ...others.map(monthTitle),
  ]
  const row = (ratio: ShownRatio): Html =>
    html`<tr><th scope="row">${ratio.label} <span class="number">${ratio.unit}</span></th>${cell(ratio, ratio.values[0] ?? null, numbers, verdictOn(ratio))}${hasTargets ? html`<td>${limitText(ratio, numbers)}</td>` : null}${cell(ratio, ratio.yearBefore, numbers)}<td>${sparkline(ratio.label, ratio.values.map((value) => exactText(ratio, value)).toReversed())}</td>${ratio.values.slice(1).map((value) => cell(ratio, value, numbers))}</tr>
`
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><td></td>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
${groups.map(({ heading, ratios }) => html`<tbody>\n<tr class="heading d0"><th scope="rowgroup" colspan="${heads.length + 1}">${heading}</th></tr>\n${ratios.map(row)}</tbody>\n`)}</table></div>
${hasTargets ? html`<p class="note">${MARKS.better} reaches its target, ${MARKS.worse} misses it or a limit</p>\n` : null}${said}${textTable(
  'What each ratio is, and where its figures stand',
  ['Ratio', 'What it is', 'Figures'],
  all
    .filter(({ origins }) => origins.length > 0)
    .map(({ label, definition, origins }) => [
      label,
      definition,
      originLinks(origins, source, choice, linkOf),
    ]),
)}`
}

/** Decimal text; null where there is no value. */
const exactText = ({ decimals }: ShownRatio, value: LineValue): string | null =>
  value === null ? null : formatInteger(String(value), decimals)

const shownText = ({ isMoney, decimals }: ShownRatio, value: LineValue, numbers: Numbers): string =>
  isMoney ? numbers.shown(value) : numbers.fixed(value, decimals)

function cell(
  ratio: ShownRatio,
  value: LineValue,
  numbers: Numbers,
  verdict: 'better' | 'worse' | null = null,
): Html {
  if (value === null) return html`<td></td>`
  const exact = ratio.isMoney
    ? new Html(`data-minor="${value}"`)
    : html`data-value="${exactText(ratio, value)}"`
  const mark = verdict && html` <span class="mark">${MARKS[verdict]}</span>`
  return html`<td class="${verdict}" ${exact}>${shownText(ratio, value, numbers)}${mark}</td>`
}

/** `40.0, at least 35.0`; empty where the company states nothing. */
function limitText(ratio: ShownRatio, numbers: Numbers): string {
  const { target, least, most } = ratio
  const text = (words: string, value: LineValue) =>
    value === null ? [] : [`${words}${shownText(ratio, value, numbers).trim()}`]
  return [...text('', target), ...text('at least ', least), ...text('at most ', most)].join(', ')
}

/** Whether the newest value is as the company wants it; null where it states nothing, or not which side of its target is better. */
function verdictOn({ values, target, least, most, better }: ShownRatio): 'better' | 'worse' | null {
  const value = values[0] ?? null
  if (value === null) return null
  if ((least !== null && value < least) || (most !== null && value > most)) return 'worse'
  if (target === null || better === null) return null
  return (better === 'more' ? value >= target : value <= target) ? 'better' : 'worse'
}

/** The page of each statement with the months of the ratios, and the beginning of the places of its lines. */
const PAGES: Readonly<Record<StatementName, readonly [page: string, place: string]>> = {
  ProfitAndLoss: ['profit-loss-by-month.html', 'result-months'],
  BalanceSheet: ['balance-sheet.html', 'position-month'],
  CashFlow: ['cash-flow.html', 'cash-months'],
}

const MOST_ACCOUNTS = 8

/** A company's own layout of a profit and loss has other totals, so that links lead to the page alone. */
function originLinks(
  origins: readonly Origin[],
  { frame }: FigureSource,
  { month }: Choice,
  linkOf: LinkOf,
): Html {
  const links = origins.flatMap((origin): Html[] => {
    if ('statement' in origin) {
      const [page, place] = PAGES[origin.statement]
      const hasOwn = origin.statement === 'ProfitAndLoss' && frame.presentation?.layout?.ProfitAndLoss
      const line = hasOwn ? '' : `#${addressOf(`${place}-${segment(origin.line, 'all')}`)}`
      return [
        linkOf === NO_LINKS ? html`${origin.label}` : html`<a href="${page}${line}">${origin.label}</a>`,
      ]
    }
    const shown = origin.accounts.slice(0, MOST_ACCOUNTS).map(({ id, number, name }) => {
      const link = linkOf(id, { from: month, through: month })
      const text = html`<span class="number">${number}</span> ${name}`
      return link === null ? text : html`<a href="${link}">${text}</a>`
    })
    const more = origin.accounts.length - shown.length
    return more > 0 ? [...shown, html`${more} more`] : shown
  })
  return html`${links.map((link, i) => (i === 0 ? link : html`; ${link}`))}`
}
