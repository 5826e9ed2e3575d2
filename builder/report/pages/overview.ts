/** The first page: the figures that matter beside budget and prior year, the largest variances, and the warnings of the build. */
import type { Account } from '../../books/reference/frame.ts'
import { type Html, html } from '../../contract/html.ts'
import type { StatementName, SummaryName } from '../../contract/vocabulary.ts'
import { withoutNotes } from '../../workspace/findings/finding.ts'
import { FINDING_CODES } from '../../workspace/findings/finding-codes.ts'
import type { ReportLine } from '../groups.ts'
import { MARKS_EXPLAINED, numbersOf } from '../numbers.ts'
import { hasPartial, PARTIAL_EXPLAINED } from '../partial.ts'
import { proofText } from '../proof.ts'
import {
  composeLines,
  composeStatement,
  type ShownLine,
  type ShownStatement,
  type StatementChoice,
} from '../report.ts'
import type { CheckResults, FigureSource, PageLayout, ProvenSource } from '../source.ts'
import { isToDate } from '../views.ts'
import { type Card, cards } from './cards.ts'
import { chartSection } from './chart-section.ts'
import { monthlyCommentary } from './commentary.ts'
import { findingList } from './finding-list.ts'
import { type LinkOf, statementTable } from './statement-table.ts'

type Choice = Omit<StatementChoice, 'statement' | 'view'>

/** The key figures of the month: the result beside budget and prior year, cash and other balances beside earlier ones. */
export async function keyTables(source: FigureSource, choice: Choice) {
  const compose = (statement: StatementName, lines: readonly ReportLine[], of = statement) =>
    composeLines(source, { ...choice, statement, view: 'month' }, () => lines, of)
  const result = await compose('ProfitAndLoss', RESULT)
  const cash = await compose('BalanceSheet', [CASH], 'CashFlow')
  const balances = positionOf(source.frame.accounts)
  const others = await compose('BalanceSheet', balances)
  const position = {
    ...(others.lines.length > 0 ? others : cash),
    lines: [...cash.lines, ...others.lines],
  }
  return { result, position, cash, balances, others }
}

export async function overview(source: ProvenSource, choice: Choice, linkOf: LinkOf): Promise<Html> {
  const { result, position, cash, balances, others } = await keyTables(source, choice)
  const all = await composeStatement(source, { ...choice, statement: 'ProfitAndLoss', view: 'month' })
  const variances = largestVariances(all)
  const isWhole = choice.classId === null && choice.departmentId === null
  const { basis, classId, departmentId } = choice
  const scope = { basis, budgetId: null, classId, departmentId }
  const cardsOf = async (lines: readonly ReportLine[], shown: ShownStatement, statement: StatementName) => {
    const document = await source.statement({ ...scope, statement })
    return lines.flatMap((line): Card[] => (CARDS.has(line.id) ? [{ line, shown, document }] : []))
  }
  const ofResult = await cardsOf(RESULT, result, 'ProfitAndLoss')
  const ofCash = await cardsOf([CASH], cash, 'CashFlow')
  const ofPosition = await cardsOf(balances, others, 'BalanceSheet')
  const unit = numbersOf(source.frame).unit(source.frame.currency)
  return html`<p class="proof"><strong>Tied out.</strong> ${proofText(source)}</p>
${source.layout === 1 ? null : cards([...ofResult, ...ofCash, ...ofPosition])}${isWhole ? monthlyCommentary(source, choice.month) : null}<h2>Result</h2>
${statementTable(result, `Result, ${unit}`, { name: 'result' })}${hasPartial(result) && source.layout > 1 ? html`<p class="note">${PARTIAL_EXPLAINED}</p>\n` : null}
<h2>Position</h2>
${statementTable(position, `Position at the end of the month, ${unit}`, { name: 'position' })}
${
  variances.lines.length === 0
    ? null
    : html`<h2>Largest variances of the year</h2>
${statementTable(variances, `Accounts that differ most from the budget, year to date, ${unit}`, { name: 'variances', ...(source.layout > 2 && { linkOf }) })}
<p class="note">${MARKS_EXPLAINED}</p>
`
}${await chartSection(source, choice, { shown: variances, at: variances.columns.findIndex(({ kind }) => kind === 'difference') })}${warningList(source, source.layout)}`
}

const total = (
  name: SummaryName,
  label: string,
  better: ReportLine['better'],
  measure: ReportLine['measure'] = 'sum',
): ReportLine => ({
  ...{ id: name, kind: 'account', depth: 0, number: '', label, measure, better },
  of: { total: name },
})

const RESULT: readonly ReportLine[] = [
  total('TotalIncome', 'Income', 'more'),
  total('GrossProfit', 'Gross profit', 'more'),
  {
    ...total('GrossProfit', 'Gross margin, percent of income', 'more'),
    ...{ id: 'gross-margin', of: { ratio: ['GrossProfit', 'TotalIncome'] } },
  },
  total('TotalExpense', 'Expenses', 'less'),
  total('OperatingIncome', 'Operating income', 'more'),
  total('NetIncome', 'Net income', 'more'),
]

function positionOf(accounts: readonly Account[]): ReportLine[] {
  const sumOf = (id: string, label: string, isOf: (account: Account) => boolean): ReportLine => ({
    ...{ id, kind: 'account', depth: 0, number: '', label, measure: 'last', better: null },
    of: { accounts: accounts.filter(isOf).map((account) => account.id) },
  })
  return [
    sumOf('receivables', 'Receivables', ({ type }) => type === 'AccountsReceivable'),
    sumOf('payables', 'Payables', ({ type }) => type === 'AccountsPayable'),
    total('TotalAssets', 'Total assets', null, 'last'),
    total('TotalEquity', 'Equity', null, 'last'),
  ]
}

/** The lines that are shown as cards too. */
const CARDS: ReadonlySet<string> = new Set([
  'TotalIncome',
  'gross-margin',
  'NetIncome',
  'EndingCash',
  'receivables',
  'payables',
])

const CASH = total('EndingCash', 'Cash', null, 'last')

const MOST_VARIANCES = 5

/** Keeps the year-to-date columns, and of the budgeted lines those that differ most. */
function largestVariances(shown: ShownStatement): ShownStatement {
  const places = shown.columns.flatMap(({ title }, i) => (isToDate(title) ? [i] : []))
  const variance = places.find((i) => shown.columns[i]?.kind === 'difference')
  const sizeOf = ({ cells }: ShownLine) =>
    Math.abs(Number((variance === undefined ? null : cells[variance]) ?? 0))
  const lines = shown.lines
    .filter((line) => line.kind === 'account' && sizeOf(line) > 0)
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, MOST_VARIANCES)
  const only = <T>(list: readonly T[]) => list.filter((_, i) => places.includes(i))
  return {
    ...shown,
    columns: only(shown.columns),
    lines: lines.map((line) => ({ ...line, depth: 0, cells: only(line.cells), partial: [] })),
  }
}

/** What is only about files and how they were read stands on the certificate. */
const OF_FILES: ReadonlySet<string> = new Set(
  (
    [...['text', 'tables', 'maps', 'sie', 'fec', 'saft'], ...['plain-text', 'ads', 'reports']] as const
  ).flatMap((group) => FINDING_CODES[group]),
)

function warningList(proof: CheckResults, layout: PageLayout): Html {
  const all = withoutNotes(proof.warnings)
  const warnings = layout < 3 ? all : all.filter(({ code }) => !OF_FILES.has(code))
  const others = all.length - warnings.length
  return html`<h2>Warnings</h2>
${warnings.length === 0 ? html`<p>None: what was checked raised no question.</p>\n` : findingList(warnings)}${
  others === 0
    ? null
    : html`<p class="note">${others === 1 ? '1 warning' : `${others} warnings`} about how files were read: on the certificate.</p>\n`
}`
}
