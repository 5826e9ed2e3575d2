/** All pages of a report as files: the statements of every basis, of the whole company and of each class and department. */
import type { Tree } from '../../books/tree.ts'
import { type Basis, type StatementName, UNASSIGNED } from '../../contract/vocabulary.ts'
import { type Html, html } from '../../pages/html.ts'
import { segment } from '../../snapshot/layout.ts'
import { MARKS_EXPLAINED } from '../numbers.ts'
import { composeStatement, type StatementChoice } from '../report.ts'
import type { ReportSource } from '../source.ts'
import { monthTitle, type View } from '../views.ts'
import { type Link, pageText, STYLE_SHEET } from './layout.ts'
import { overview } from './overview.ts'
import { statementTable } from './statement-table.ts'
import { STYLE } from './style.ts'

/** A member of a dimension that statements are filtered by. */
interface Filter {
  readonly kind: 'all' | 'class' | 'department'
  readonly id: string | null
  readonly label: string
}

interface Scope {
  readonly basis: Basis
  readonly filter: Filter
}

interface Sheet {
  readonly file: string
  readonly label: string
  readonly body: (source: ReportSource, choice: Choice) => Promise<Html>
}

type Choice = Omit<StatementChoice, 'statement' | 'view'>

const SHEETS: readonly Sheet[] = [
  { file: 'index.html', label: 'Overview', body: overview },
  { file: 'profit-loss.html', label: 'Profit and loss', body: tables('ProfitAndLoss', ['month']) },
  {
    file: 'profit-loss-by-month.html',
    label: 'By month',
    body: tables('ProfitAndLoss', ['months', 'quarters']),
  },
  {
    file: 'profit-loss-by-year.html',
    label: 'By year and class',
    body: tables('ProfitAndLoss', ['years', 'classes', 'departments']),
  },
  { file: 'balance-sheet.html', label: 'Balance sheet', body: tables('BalanceSheet', ['month', 'years']) },
  { file: 'cash-flow.html', label: 'Cash flow', body: tables('CashFlow', ['month', 'months', 'years']) },
]

/** The overview of the whole company once more, where a browser looks first. */
export const FIRST_PAGE = 'index.html'

const CAPTIONS: Readonly<Record<View, string>> = {
  month: 'The month and what it is compared with',
  months: 'Months of the fiscal year',
  quarters: 'Quarters of the fiscal year',
  years: 'Fiscal years',
  classes: 'Classes in the month',
  departments: 'Departments in the month',
}

/** Further members are left out of the pages; the interface and `tieout show` have them all. */
const MOST_MEMBERS = 50

/** Path inside the report → content. `month` is `YYYY-MM`, a month that the books cover. */
export async function reportPages(source: ReportSource, month: string): Promise<Map<string, string>> {
  const { frame } = source
  const filters = filtersOf(frame.classes, frame.departments)
  const files = new Map([[STYLE_SHEET, STYLE]])
  for (const basis of frame.bases)
    for (const filter of filters)
      for (const sheet of SHEETS) {
        const scope = { basis, filter }
        const body = await sheet.body(source, choiceOf(scope, month))
        const at = { scope, sheet, month, filters, body }
        files.set(`${folderOf(scope)}${sheet.file}`, pageOf(source, { ...at, root: '../../' }))
        if (!files.has(FIRST_PAGE)) files.set(FIRST_PAGE, pageOf(source, { ...at, root: '' }))
      }
  return files
}

const choiceOf = ({ basis, filter: { kind, id } }: Scope, month: string): Choice => ({
  ...{ basis, month, budgetId: null },
  classId: kind === 'class' ? id : null,
  departmentId: kind === 'department' ? id : null,
})

const ALL: Filter = { kind: 'all', id: null, label: 'All' }

function filtersOf(classes: Tree, departments: Tree): Filter[] {
  const members = (kind: 'class' | 'department', { members }: Tree): Filter[] =>
    members.length === 0
      ? []
      : [...members, { id: UNASSIGNED, name: 'Unassigned' }].map(({ id, name }) => ({
          kind,
          id,
          label: name,
        }))
  return [
    ALL,
    ...[...members('class', classes), ...members('department', departments)].slice(0, MOST_MEMBERS),
  ]
}

/** Every page lies in a folder of its basis and filter. */
const folderOf = ({ basis, filter }: Scope): string =>
  `${basis.toLowerCase()}/${filter.id === null ? 'all' : `${filter.kind}-${segment(filter.id, 'all')}`}/`

/** A path as an address: the name of a folder may hold a percent sign, which an address would decode. */
const addressOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

function pageOf(
  { frame }: ReportSource,
  at: { scope: Scope; sheet: Sheet; month: string; filters: readonly Filter[]; body: Html; root: string },
): string {
  const { scope, sheet, month, filters, body, root } = at
  const link = (label: string, to: Scope, file: string, isHere: boolean): Link => ({
    ...{ label, isHere },
    href: `${root}${addressOf(`${folderOf(to)}${file}`)}`,
  })
  const ofKind = (kind: Filter['kind']) =>
    filters
      .filter((filter) => filter.kind === kind || filter.kind === 'all')
      .map((filter) =>
        link(
          filter.label,
          { ...scope, filter },
          sheet.file,
          scope.filter.kind === kind ? filter === scope.filter : filter === ALL,
        ),
      )
  const words = [
    scope.basis.toLowerCase(),
    ...(scope.filter.id === null ? [] : [`${scope.filter.kind} ${scope.filter.label}`]),
    `whole ${frame.currency}`,
  ]
  return pageText({
    title: sheet.label,
    about: `${monthTitle(month)}, ${words.join(', ')}`,
    company: frame.name,
    root,
    pages: SHEETS.map((each) => link(each.label, scope, each.file, each === sheet)),
    filters: [
      {
        name: 'Basis',
        links: frame.bases.map((basis) =>
          link(basis.toLowerCase(), { ...scope, basis }, sheet.file, basis === scope.basis),
        ),
      },
      { name: 'Class', links: ofKind('class') },
      { name: 'Department', links: ofKind('department') },
    ],
    body,
  })
}

/** One table for each view that has anything to show. Members are shown side by side for the whole company alone. */
function tables(statement: StatementName, views: readonly View[]): Sheet['body'] {
  return async (source, choice) => {
    const found: Html[] = []
    for (const view of views) {
      if (isAcross(view) && !hasMembers(view, source, choice)) continue
      const shown = await composeStatement(source, { ...choice, statement, view })
      const isJudged = shown.columns.some(({ kind }) => kind === 'difference') && statement !== 'BalanceSheet'
      found.push(
        html`${statementTable(shown, shown.budget ? `${CAPTIONS[view]}; budget: ${shown.budget.name}` : CAPTIONS[view])}${isJudged ? html`<p class="note">${MARKS_EXPLAINED}</p>\n` : null}`,
      )
    }
    return html`${found}`
  }
}

const isAcross = (view: View): view is 'classes' | 'departments' =>
  view === 'classes' || view === 'departments'

const hasMembers = (
  view: 'classes' | 'departments',
  { frame }: ReportSource,
  { classId, departmentId }: Choice,
): boolean => classId === null && departmentId === null && frame[view].members.length > 0
