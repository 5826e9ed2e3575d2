/**
 * The lines of a statement in the order in which people read it: headings, accounts below the groups of the chart,
 * subtotals and totals. The lines hold no figure: each says what it adds up, so that the same lines serve every column.
 */
import type { Account } from '../books/frame.ts'
import {
  isProfitAndLoss,
  type Section,
  type StatementName,
  type SummaryName,
} from '../contract/vocabulary.ts'
import type { PublishedRow, PublishedStatement } from './published.ts'

/** How the months of a column become one figure: their sum, or what the first or the last of them states. */
export type Measure = 'sum' | 'first' | 'last'

export interface Line {
  /** The id of the account, the name of the total, or `group:` and the id of the account that heads the group. */
  readonly id: string
  readonly kind: 'heading' | 'account' | 'subtotal' | 'total'
  /** How far it is indented: 0 for sections and totals. */
  readonly depth: number
  readonly number: string
  readonly label: string
  readonly measure: Measure
  /**
   * What it states: a published total, the sum of these accounts' published rows, or one total in tenths of a percent of another;
   * null for a heading.
   */
  readonly of:
    | { readonly total: SummaryName }
    | { readonly accounts: readonly string[] }
    | { readonly ratio: readonly [part: SummaryName, whole: SummaryName] }
    | null
  /** Whether more of it is better for the result; null where that cannot be said. */
  readonly better: 'more' | 'less' | null
}

/** What a part of a statement is called, and the totals that follow it. */
interface Part {
  readonly section: Section
  readonly heading: string
  readonly better: Line['better']
  /** The total of the section itself, which is left out where the section is empty. */
  readonly total: Total | null
  readonly totals: readonly Total[]
}

type Total = readonly [name: SummaryName, label: string, better: Line['better']]

const PROFIT_AND_LOSS: readonly Part[] = [
  {
    ...{ section: 'Income', heading: 'Income', better: 'more' },
    total: ['TotalIncome', 'Total income', 'more'],
    totals: [],
  },
  {
    section: 'CostOfSales',
    heading: 'Cost of sales',
    better: 'less',
    total: ['TotalCostOfSales', 'Total cost of sales', 'less'],
    totals: [['GrossProfit', 'Gross profit', 'more']],
  },
  {
    section: 'Expense',
    heading: 'Expenses',
    better: 'less',
    total: ['TotalExpense', 'Total expenses', 'less'],
    totals: [['OperatingIncome', 'Operating income', 'more']],
  },
  {
    section: 'OtherIncome',
    heading: 'Other income',
    better: 'more',
    total: ['TotalOtherIncome', 'Total other income', 'more'],
    totals: [],
  },
  {
    section: 'OtherExpense',
    heading: 'Other expenses',
    better: 'less',
    total: ['TotalOtherExpense', 'Total other expenses', 'less'],
    totals: [['NetIncome', 'Net income', 'more']],
  },
]

const BALANCE_SHEET: readonly Part[] = [
  {
    section: 'Asset',
    heading: 'Assets',
    better: null,
    total: null,
    totals: [['TotalAssets', 'Total assets', null]],
  },
  {
    section: 'Liability',
    heading: 'Liabilities',
    better: null,
    total: null,
    totals: [['TotalLiabilities', 'Total liabilities', null]],
  },
  {
    section: 'Equity',
    heading: 'Equity',
    better: null,
    total: null,
    totals: [
      ['TotalEquity', 'Total equity', null],
      ['TotalLiabilitiesAndEquity', 'Total liabilities and equity', null],
    ],
  },
]

const CASH_FLOW: readonly Part[] = [
  {
    section: 'Operating',
    heading: 'Operating activities',
    better: 'more',
    total: null,
    totals: [['NetCashFromOperating', 'Net cash from operating activities', 'more']],
  },
  {
    section: 'Investing',
    heading: 'Investing activities',
    better: 'more',
    total: null,
    totals: [['NetCashFromInvesting', 'Net cash from investing activities', 'more']],
  },
  {
    section: 'Financing',
    heading: 'Financing activities',
    better: 'more',
    total: null,
    totals: [
      ['NetCashFromFinancing', 'Net cash from financing activities', 'more'],
      ['NetChangeInCash', 'Net change in cash', 'more'],
      ['BeginningCash', 'Cash at the beginning', null],
      ['EndingCash', 'Cash at the end', 'more'],
    ],
  },
]

const PARTS: Readonly<Record<StatementName, readonly Part[]>> = {
  ProfitAndLoss: PROFIT_AND_LOSS,
  BalanceSheet: BALANCE_SHEET,
  CashFlow: CASH_FLOW,
}

/** The lines of one statement for all of these documents together: an account that only one of them states has its line. */
export function linesOf(
  statement: StatementName,
  documents: readonly PublishedStatement[],
  accounts: readonly Account[],
): Line[] {
  const chart = new Map(accounts.map((account) => [account.id, account]))
  const rows = new Map<string, PublishedRow>()
  for (const document of documents)
    for (const [id, row] of document.rows) if (!rows.has(id)) rows.set(id, row)
  return PARTS[statement].flatMap((part) => {
    const own = [...rows.values()].filter(({ section }) => section === part.section)
    const style: Style = { measure: statement === 'BalanceSheet' ? 'last' : 'sum', better: part.better }
    const lines = part.section === 'Operating' ? operating(own, chart, style) : grouped(own, chart, style, 1)
    return [
      ...(lines.length === 0 ? [] : [heading(part.section, part.heading, 0), ...lines]),
      ...(part.total ? [totalLine(part.total, style.measure, 'subtotal')] : []),
      ...part.totals.map((total) => totalLine(total, style.measure, 'total')),
    ]
  })
}

type Style = Pick<Line, 'measure' | 'better'>

const heading = (id: string, label: string, depth: number, number = ''): Line => ({
  ...{ id, kind: 'heading', depth, number, label },
  ...{ measure: 'sum', of: null, better: null },
})

/** Totals of the cash flow that are balances. */
const MEASURE_OF: Partial<Record<SummaryName, Measure>> = { BeginningCash: 'first', EndingCash: 'last' }

const totalLine = ([name, label, better]: Total, measure: Measure, kind: 'subtotal' | 'total'): Line => ({
  ...{ id: name, kind, depth: 0, number: '', label, better, of: { total: name } },
  measure: MEASURE_OF[name] ?? measure,
})

/**
 * What computed rows are called where people look. Documents keep the name that they were always published with: another one
 * would make every earlier snapshot differ from what a later version computes again.
 */
const LABELS: ReadonlyMap<string, string> = new Map([
  ['prior-years-not-closed', 'Undistributed prior-year earnings'],
  ['balancing', 'Interclass balancing'],
])

const accountLine = (row: PublishedRow, style: Style, depth: number): Line => ({
  ...{
    id: row.accountId,
    kind: 'account',
    depth,
    number: row.number,
    label: LABELS.get(row.accountId) ?? row.name,
  },
  ...{ ...style, of: { accounts: [row.accountId] } },
})

/**
 * Accounts below the accounts that head them in the chart, in the order of the statement, each group with its subtotal.
 * A group of one account is that account, and one group of all is no group: its subtotal would say the same again.
 */
function grouped(
  rows: readonly PublishedRow[],
  chart: ReadonlyMap<string, Account>,
  style: Style,
  depth: number,
  above: string | null = null,
): Line[] {
  const inChart = rows.filter(({ accountId }) => chart.has(accountId))
  const [head, ...others] = new Set(inChart.map((row) => headBelow(row, above, chart)))
  if (head && others.length === 0 && inChart.length > 1) return grouped(rows, chart, style, depth, head.id)
  const lines: Line[] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const head = headBelow(row, above, chart)
    if (head === null) lines.push(accountLine(row, style, depth))
    else if (!seen.has(head.id)) {
      seen.add(head.id)
      const members = rows.filter((each) => headBelow(each, above, chart)?.id === head.id)
      lines.push(...groupLines(head, members, chart, style, depth))
    }
  }
  return lines
}

function groupLines(
  head: Account,
  members: readonly PublishedRow[],
  chart: ReadonlyMap<string, Account>,
  style: Style,
  depth: number,
): Line[] {
  const [only] = members
  if (members.length === 1 && only) return [accountLine(only, style, depth)]
  return [
    heading(`group:${head.id}`, head.name, depth, head.number),
    ...grouped(members, chart, style, depth + 1, head.id),
    {
      ...{ id: `group:${head.id}:total`, kind: 'subtotal', depth, number: '', label: `Total ${head.name}` },
      ...{ ...style, of: { accounts: members.map(({ accountId }) => accountId) } },
    },
  ]
}

/** The account of the chart that stands directly below `above` on the way to a row; null where there is none. */
function headBelow(
  { accountId }: PublishedRow,
  above: string | null,
  chart: ReadonlyMap<string, Account>,
): Account | null {
  const path = pathTo(accountId, chart)
  return path[above === null ? 0 : path.findIndex(({ id }) => id === above) + 1] ?? null
}

/** From the top of the chart to the account itself, of the account's own classification; empty for a computed row. */
function pathTo(accountId: string, chart: ReadonlyMap<string, Account>): Account[] {
  const path: Account[] = []
  const classification = chart.get(accountId)?.classification
  for (let account = chart.get(accountId); account; account = chart.get(account.parentId ?? '')) {
    if (account.classification === classification) path.unshift(account)
  }
  return path
}

/**
 * Operating activities as readers know them (IAS 7.20): net income, what of it is no cash, then the changes of working
 * capital. Accumulated depreciation moves by depreciation, which is what its line is called here.
 */
function operating(rows: readonly PublishedRow[], chart: ReadonlyMap<string, Account>, style: Style): Line[] {
  const kindOf = ({
    accountId,
  }: PublishedRow): 'result' | 'depreciation' | 'gain' | 'capital' | 'balancing' => {
    if (accountId === 'net-income') return 'result'
    if (accountId === 'balancing') return 'balancing'
    const account = chart.get(accountId)
    if (account?.type === 'AccumulatedDepreciation') return 'depreciation'
    return account && isProfitAndLoss(account.classification) ? 'gain' : 'capital'
  }
  const of = (kind: ReturnType<typeof kindOf>) => rows.filter((row) => kindOf(row) === kind)
  const plain = (kind: ReturnType<typeof kindOf>) => of(kind).map((row) => accountLine(row, style, 1))
  const depreciation = of('depreciation').map(({ accountId }) => accountId)
  const capital = grouped(of('capital'), chart, style, 2)
  return [
    ...plain('result'),
    ...(depreciation.length === 0 ? [] : [depreciationLine(depreciation, style)]),
    ...plain('gain'),
    ...(capital.length === 0
      ? []
      : [heading('working-capital', 'Changes in working capital', 1), ...capital]),
    ...plain('balancing'),
  ]
}

const depreciationLine = (accounts: readonly string[], style: Style): Line => ({
  ...{ id: 'depreciation', kind: 'account', depth: 1, number: '', label: 'Depreciation and amortization' },
  ...{ ...style, of: { accounts } },
})
