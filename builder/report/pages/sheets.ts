/** The pages of statements as data: what each is called, where it lies, and what stands on it. */

import type { Frame } from '../../books/reference/frame.ts'
import { wordOf } from '../../books/reference/presentation.ts'
import { displayDecimal, isPercentUnit, minorOfText } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import type { Basis, StatementName } from '../../contract/vocabulary.ts'
import { sparkline } from '../charts/sparkline.ts'
import { type ShownMetric, shownMetrics } from '../metrics.ts'
import { MARKS_EXPLAINED, type Numbers, numbersOf } from '../numbers.ts'
import { hasPartial, PARTIAL_EXPLAINED } from '../partial.ts'
import { composeStatement, type StatementChoice } from '../report.ts'
import type { FigureSource, PageLayout, ProvenSource } from '../source.ts'
import { monthTitle, type View } from '../views.ts'
import { noteList } from './commentary.ts'
import { consolidationPage } from './consolidation-page.ts'
import type { PageLink } from './layout.ts'
import { overview } from './overview.ts'
import { addressOf, type Filter, statementFolder } from './places.ts'
import { ratiosPage } from './ratios-page.ts'
import { type LinkOf, statementTable } from './statement-table.ts'

export type Choice = Omit<StatementChoice, 'statement' | 'view'>

export interface ReportSheet<Source = ProvenSource> {
  readonly file: string
  readonly label: string
  /** The statements that it shows; none on pages of other figures. */
  readonly statements: readonly StatementName[]
  readonly body: (source: Source, choice: Choice, linkOf: LinkOf) => Promise<Html>
}

/** The page that states the proof and the warnings, beside figures. */
export const OVERVIEW: ReportSheet = {
  ...{ file: 'index.html', label: 'Overview', body: overview },
  statements: ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'],
}

const BY_YEAR = 'profit-loss-by-year.html'

const STATEMENTS: readonly ReportSheet<FigureSource>[] = [
  statementSheet('profit-loss.html', 'Profit and loss', 'ProfitAndLoss', ['month']),
  statementSheet('profit-loss-by-month.html', 'By month', 'ProfitAndLoss', ['months']),
  statementSheet('profit-loss-by-quarter.html', 'By quarter', 'ProfitAndLoss', ['quarters']),
  statementSheet(BY_YEAR, 'By year and class', 'ProfitAndLoss', ['years', 'classes', 'departments']),
  statementSheet('balance-sheet.html', 'Balance sheet', 'BalanceSheet', ['month', 'years']),
  statementSheet('cash-flow.html', 'Cash flow', 'CashFlow', ['month', 'months', 'years']),
]

function statementSheet(
  file: string,
  label: string,
  statement: StatementName,
  views: readonly View[],
): ReportSheet<FigureSource> {
  return { file, label, statements: [statement], body: tables(statement, views) }
}

const RATIOS: ReportSheet<FigureSource> = {
  file: 'ratios.html',
  label: 'Ratios',
  statements: [],
  body: ratiosPage,
}

const METRICS: ReportSheet<FigureSource> = {
  file: 'metrics.html',
  label: 'Metrics',
  statements: [],
  body: metricsPage,
}

const CONSOLIDATION: ReportSheet<FigureSource> = {
  file: 'consolidation.html',
  label: 'Consolidation',
  statements: [],
  body: consolidationPage,
}

/** Without a layout: pages of this program. */
type SheetSource = {
  readonly frame: Pick<Frame, 'metrics' | 'presentation' | 'consolidation'>
  readonly layout?: PageLayout
}

/** The pages of figures that a company has of each basis and filter. */
export const figureSheetsOf = ({ frame, layout }: SheetSource): readonly ReportSheet<FigureSource>[] => [
  ...STATEMENTS.map((sheet) =>
    sheet.file === BY_YEAR
      ? { ...sheet, label: `By year and ${wordOf('class', frame.presentation?.words)}` }
      : sheet,
  ),
  ...(frame.consolidation ? [CONSOLIDATION] : []),
  ...(layout !== undefined && layout < 3 ? [] : [RATIOS]),
  ...(frame.metrics.length === 0 ? [] : [METRICS]),
]

/** All pages that a company has of each basis and filter. */
export const sheetsOf = (source: SheetSource): readonly ReportSheet[] => [OVERVIEW, ...figureSheetsOf(source)]

/** Links to the pages of one basis and filter; `root` is the relative path to the report's folder. */
export function pageLinks(
  source: SheetSource,
  basis: Basis,
  filter: Filter,
  root: string,
  here: Pick<ReportSheet, 'file'> | null,
): PageLink[] {
  const folder = addressOf(statementFolder(basis, filter))
  return sheetsOf(source).map((sheet) => ({
    label: sheet.label,
    href: `${root}${folder}${sheet.file}`,
    isHere: sheet.file === here?.file,
  }))
}

const CAPTIONS: Readonly<Record<View, string>> = {
  month: 'The month and what it is compared with',
  months: 'The last twelve months',
  quarters: 'Quarters of the fiscal years',
  years: 'Fiscal years',
  classes: 'Classes in the month',
  departments: 'Departments in the month',
}

const FIRST_CAPTIONS = { months: 'Months of the fiscal year', quarters: 'Quarters of the fiscal year' }

/** The captions, where a company has its own words for the dimensions with these. */
function captionsOf({ layout, frame: { presentation } }: FigureSource): Readonly<Record<View, string>> {
  const { class: cls, department } = presentation?.words ?? {}
  return {
    ...CAPTIONS,
    ...(layout === 1 && FIRST_CAPTIONS),
    ...(cls !== undefined && { classes: `By ${cls} in the month` }),
    ...(department !== undefined && { departments: `By ${department} in the month` }),
  }
}

/** Sets the anchors of the tables apart from those of other statements. */
const ANCHORS: Readonly<Record<StatementName, string>> = {
  ProfitAndLoss: 'result',
  BalanceSheet: 'position',
  CashFlow: 'cash',
}

/** Makes one table for each view that has figures; members are shown side by side for the whole company alone. */
function tables(statement: StatementName, views: readonly View[]): ReportSheet<FigureSource>['body'] {
  return async (source, choice, linkOf) => {
    const name = ANCHORS[statement]
    const found: Html[] = []
    for (const view of views) {
      if (isAcross(view) && !hasMembers(view, source, choice)) continue
      const captions = captionsOf(source)
      const shown = await composeStatement(source, {
        ...choice,
        ...{ statement, view, hasShares: source.layout > 1 },
      })
      const hasShares = shown.columns.some(({ kind }) => kind === 'share')
      const isJudged = shown.columns.some(({ kind }) => kind === 'difference') && statement !== 'BalanceSheet'
      const caption = shown.budget ? `${captions[view]}; budget: ${shown.budget.name}` : captions[view]
      found.push(
        html`${hasShares ? SHARES : null}${statementTable(shown, caption, { name: `${name}-${view}`, linkOf, notes: shown.notes, hasPlaces: source.layout > 2 })}${isJudged ? html`<p class="note">${MARKS_EXPLAINED}</p>\n` : null}${hasPartial(shown) ? html`<p class="note">${PARTIAL_EXPLAINED}</p>\n` : null}${noteList(shown.notes, `${name}-${view}`)}`,
      )
    }
    return html`${found}`
  }
}

/** Columns of percentages show as long as it is ticked, by the style sheet alone. */
const SHARES = html`<p class="note"><label><input type="checkbox" class="shares"> also in percent of income</label></p>
`

const isAcross = (view: View): view is 'classes' | 'departments' =>
  view === 'classes' || view === 'departments'

const hasMembers = (
  view: 'classes' | 'departments',
  { frame }: FigureSource,
  { classId, departmentId }: Choice,
): boolean => classId === null && departmentId === null && frame[view].members.length > 0

async function metricsPage(
  source: FigureSource,
  choice: Pick<StatementChoice, 'month' | 'classId' | 'departmentId'>,
): Promise<Html> {
  const shown = await shownMetrics(source, choice)
  if (!shown) return html`<p>No metric has a value here.</p>\n`
  const { frame, layout } = source
  const numbers = layout > 3 ? numbersOf(frame) : null
  const order = numbers ? ', the newest first' : ''
  const caption = `Metrics by month${order}; an empty cell is a month without a value`
  const months = numbers ? shown.months.toReversed() : shown.months
  return html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Metric</th><th scope="col">${layout === 1 ? 'Course' : 'Trend'}</th>${months.map((each) => html`<th scope="col">${monthTitle(each)}</th>`)}</tr></thead>
<tbody>
${shown.rows.map((each) => metricRow(each, numbers))}</tbody></table></div>
`
}

/** `numbers`: the company's style, with the newest month first and percentages as such; null as earlier layouts had it. */
function metricRow({ name, unit, decimals, values }: ShownMetric, numbers: Numbers | null): Html {
  const isPercent = numbers !== null && isPercentUnit(unit)
  // "71.6%" says what "percent" does, and not what "% of income" does.
  const beside = isPercent && !unit.trim().includes(' ') ? '' : unit
  const text = (value: string) =>
    numbers ? `${numbers.fixed(minorOfText(value), decimals)}${isPercent ? '%' : ''}` : displayDecimal(value)
  return html`<tr><th scope="row">${name}${beside === '' ? null : html` <span class="number">${beside}</span>`}</th><td>${sparkline(name, values)}</td>${(
    numbers ? values.toReversed() : values
  ).map((value) =>
    value === null ? html`<td></td>` : html`<td data-value="${value}">${text(value)}</td>`,
  )}</tr>
`
}
