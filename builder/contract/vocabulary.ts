/**
 * Defines the words of the interface: closed lists, reserved ids and computed rows. First file of the room
 * that owns what goes over the wire: schemas of requests and answers, the one encoder, problems,
 * openapi.json. Owns each name and sign that a client sees. Must not know DuckDB, HTTP or the file system.
 */

export const BASES = ['ACCRUAL', 'CASH'] as const
export type Basis = (typeof BASES)[number]

/** Why a month of a budget has no cash flow. */
export const NOT_STATED_REASONS = [
  'NoBalanceSheet',
  'EquityNotStated',
  'Incomplete',
  'DoesNotBalance',
  'NoMonthBefore',
  'NoProfitAndLoss',
  'NoCashAccount',
  'ResultAccountUnclear',
  'PartOfMonth',
] as const
export type NotStatedReason = (typeof NOT_STATED_REASONS)[number]

export const STATEMENTS = ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const
export type StatementName = (typeof STATEMENTS)[number]
/** `ProfitAndLoss` → `profit and loss`; the non-financial figures that a company states beside its statements are its metrics. */
export const statementTitle = (statement: string): string =>
  statement === 'NonFinancial'
    ? 'metrics'
    : statement.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()

export const CLASSIFICATIONS = [
  'Asset',
  'Liability',
  'Equity',
  'Income',
  'CostOfSales',
  'Expense',
  'OtherIncome',
  'OtherExpense',
] as const
export type Classification = (typeof CLASSIFICATIONS)[number]

export const BALANCE_SHEET_CLASSIFICATIONS = ['Asset', 'Liability', 'Equity'] as const
const PROFIT_AND_LOSS_CLASSIFICATIONS = [
  'Income',
  'CostOfSales',
  'Expense',
  'OtherIncome',
  'OtherExpense',
] as const

export const CASH_FLOW_CATEGORIES = ['Operating', 'Investing', 'Financing', 'Cash'] as const
export type CashFlowCategory = (typeof CASH_FLOW_CATEGORIES)[number]

export const SECTIONS = {
  ProfitAndLoss: PROFIT_AND_LOSS_CLASSIFICATIONS,
  BalanceSheet: BALANCE_SHEET_CLASSIFICATIONS,
  CashFlow: ['Operating', 'Investing', 'Financing'],
} as const satisfies Record<StatementName, readonly string[]>
export type Section = (typeof SECTIONS)[StatementName][number]

/**
 * Account types, each with the classifications under which it may appear. An empty type on an account means
 * "other".
 */
export const ACCOUNT_TYPES = {
  Bank: ['Asset', 'Liability'],
  CashEquivalent: ['Asset'],
  AccountsReceivable: ['Asset'],
  Inventory: ['Asset'],
  OtherCurrentAsset: ['Asset'],
  FixedAsset: ['Asset'],
  AccumulatedDepreciation: ['Asset'],
  OtherAsset: ['Asset'],
  AccountsPayable: ['Liability'],
  CreditCard: ['Liability'],
  SalesTax: ['Liability', 'Asset'],
  OtherCurrentLiability: ['Liability'],
  LongTermLiability: ['Liability'],
  Capital: ['Equity'],
  Drawings: ['Equity'],
  RetainedEarnings: ['Equity'],
  OtherEquity: ['Equity'],
  Sales: ['Income'],
  OtherIncome: ['OtherIncome'],
  CostOfSales: ['CostOfSales'],
  Expense: ['Expense'],
  Depreciation: ['Expense', 'CostOfSales', 'OtherExpense'],
  IncomeTax: ['OtherExpense', 'Expense'],
  OtherExpense: ['OtherExpense'],
  Computed: [],
} as const satisfies Record<string, readonly Classification[]>
export type AccountType = keyof typeof ACCOUNT_TYPES

export const AGGREGATIONS = ['Sum', 'Average', 'Last', 'Min', 'Max'] as const
export type Aggregation = (typeof AGGREGATIONS)[number]

/** Where the figures of a basis come from: `BasisSource` on the wire. */
export const BASIS_SOURCES = ['Books', 'Exported', 'Derived', 'Budget'] as const
export type BasisSource = (typeof BASIS_SOURCES)[number]

export const UNASSIGNED = 'unassigned'
/** Ids that would clash with names of folders or files in a snapshot; sources may not use them. */
export const RESERVED_MEMBER_IDS: ReadonlySet<string> = new Set(['all', UNASSIGNED, 'actuals'])

/** Rows that have no posting account. Each is an entry of the chart of accounts where it can occur. */
export const COMPUTED_ROWS = {
  'net-income': { name: 'Net income', classification: 'Equity', cashFlow: 'Operating' },
  'current-year-earnings': { name: 'Current-year earnings', classification: 'Equity', cashFlow: null },
  'prior-years-not-closed': {
    name: 'Prior years not closed',
    classification: 'Equity',
    cashFlow: null,
  },
  balancing: { name: 'Balancing (other slices)', classification: 'Equity', cashFlow: 'Operating' },
  'unapplied-receipts': { name: 'Unapplied receipts', classification: 'Income', cashFlow: null },
  'opening-receivables-collected': {
    name: 'Opening receivables collected',
    classification: 'Income',
    cashFlow: null,
  },
  'unapplied-payments': { name: 'Unapplied payments', classification: 'Expense', cashFlow: null },
  'opening-payables-paid': { name: 'Opening payables paid', classification: 'Expense', cashFlow: null },
  'disposal-proceeds': {
    name: 'Proceeds from disposals',
    classification: 'Asset',
    cashFlow: 'Investing',
  },
  'without-cash': { name: 'Entries without cash', classification: 'Equity', cashFlow: 'Operating' },
} as const satisfies Record<
  string,
  { name: string; classification: Classification; cashFlow: CashFlowCategory | null }
>
export type ComputedRow = keyof typeof COMPUTED_ROWS

/** The totals of each statement; a statement always has all of them, in this order. */
export const SUMMARY_NAMES = {
  ProfitAndLoss: [
    'TotalIncome',
    'TotalCostOfSales',
    'GrossProfit',
    'TotalExpense',
    'OperatingIncome',
    'TotalOtherIncome',
    'TotalOtherExpense',
    'NetIncome',
  ],
  BalanceSheet: ['TotalAssets', 'TotalLiabilities', 'TotalEquity', 'TotalLiabilitiesAndEquity'],
  CashFlow: [
    'NetCashFromOperating',
    'NetCashFromInvesting',
    'NetCashFromFinancing',
    'NetChangeInCash',
    'BeginningCash',
    'EndingCash',
  ],
} as const satisfies Record<StatementName, readonly string[]>

export type SummaryName = (typeof SUMMARY_NAMES)[StatementName][number]

/** Names of the totals for people. */
export const SUMMARY_LABELS: Readonly<Record<SummaryName, string>> = {
  TotalIncome: 'Total income',
  TotalCostOfSales: 'Total cost of sales',
  GrossProfit: 'Gross profit',
  TotalExpense: 'Total expenses',
  OperatingIncome: 'Operating income',
  TotalOtherIncome: 'Total other income',
  TotalOtherExpense: 'Total other expenses',
  NetIncome: 'Net income',
  TotalAssets: 'Total assets',
  TotalLiabilities: 'Total liabilities',
  TotalEquity: 'Total equity',
  TotalLiabilitiesAndEquity: 'Total liabilities and equity',
  NetCashFromOperating: 'Net cash from operating activities',
  NetCashFromInvesting: 'Net cash from investing activities',
  NetCashFromFinancing: 'Net cash from financing activities',
  NetChangeInCash: 'Net change in cash',
  BeginningCash: 'Cash at the beginning',
  EndingCash: 'Cash at the end',
}

export const isProfitAndLoss = (classification: Classification): boolean =>
  (PROFIT_AND_LOSS_CLASSIFICATIONS as readonly string[]).includes(classification)

const CREDIT_CLASSIFICATIONS: readonly Classification[] = ['Liability', 'Equity', 'Income', 'OtherIncome']

/** Whether amounts of such accounts are shown positive where they are credits. */
export const isOnCreditSide = (classification: Classification): boolean =>
  CREDIT_CLASSIFICATIONS.includes(classification)

/**
 * Compares texts by code point. Ids, numbers and names on the wire are sorted this way, whatever the locale.
 */
export const byCodePoint = (a: string, b: string): number =>
  // Bytes of UTF-8 have the order of code points, which units of UTF-16 have not.
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Names of the identities (statements/tie-outs/identities.ts) in the `Tie-Out` header. */
export const CHECKED: Readonly<Record<string, string>> = {
  'rows add up to the totals': 'totals',
  'net income = movement of earnings + closed': 'earnings',
  'assets = liabilities + equity': 'balance',
  'balance − previous balance = movement': 'movements',
  'operating + investing + financing = change in cash': 'cash',
  'ending cash = cash on the balance sheet': 'cash',
}

/** The checks on every statement of actuals. */
export const STATEMENT_CHECKS: Readonly<Record<StatementName, readonly string[]>> = {
  ProfitAndLoss: ['totals', 'earnings'],
  BalanceSheet: ['totals', 'balance', 'movements'],
  CashFlow: ['totals', 'cash'],
}

/** The check without which a statement of a budget does not tie out. */
export const OWN_CHECK: Readonly<Record<StatementName, string>> = {
  ProfitAndLoss: 'totals',
  BalanceSheet: 'balance',
  CashFlow: 'cash',
}
