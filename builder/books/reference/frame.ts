/**
 * Owns the frame of the books: accounts with their codes, dimension trees, fiscal calendar, budgets and settings. It holds
 * no figures. The build makes it, and the ad-hoc engine reads it back from a snapshot.
 */
import { dayOf, monthOf } from '../../contract/calendar.ts'
import { currencyDecimals } from '../../contract/currency.ts'
import type { DateRange } from '../../contract/document.ts'
import { present } from '../../contract/present.ts'
import {
  type Basis,
  type BasisSource,
  byCodePoint,
  type CashFlowCategory,
  type Classification,
  type ComputedRow,
  isProfitAndLoss,
} from '../../contract/vocabulary.ts'
import type { AccountRow, FiscalYear, MetricDefinition } from '../../ingest/format/intake.ts'
import type { BudgetEquity } from '../../workspace/company.ts'
import type { Consolidation } from '../../workspace/group.ts'
import type { Presentation } from './presentation.ts'
import type { Tree } from './tree.ts'

export interface Account {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly classification: Classification
  readonly type: string
  readonly parentId: string | null
  readonly isHeader: boolean
  readonly isActive: boolean
  /** The category on the cash flow statement; null for P&L accounts and for accounts without one. */
  readonly cashFlow: CashFlowCategory | null
}

export interface Budget {
  readonly id: string
  readonly name: string
  /** `YYYY-MM`; null where the budget holds no figure. */
  readonly startMonth: string | null
  readonly endMonth: string | null
  /** Whether its equity includes the year's result; null where company.yaml does not say, and then it has no cash flow. */
  readonly equity: BudgetEquity | null
  /** Id of the equity account that holds the result; null where that is not clear. */
  readonly resultAccount: string | null
}

export interface Frame {
  readonly companyId: string
  readonly name: string
  readonly currency: string
  readonly fiscalMonthEnd: number
  /** Ordered by number, then id. The index of an account is its code. */
  readonly accounts: readonly Account[]
  readonly classes: Tree
  readonly departments: Tree
  readonly fiscalYears: readonly FiscalYear[]
  /** The first months (`YYYY-MM`) of the fiscal years of books and budgets; absent where `fiscalYears` and `fiscalMonthEnd` say the same. */
  readonly budgetYears?: readonly string[]
  /** The months that the books cover, the same for every basis and filter (accounting.md §9). */
  readonly coverage: DateRange
  readonly bases: readonly Basis[]
  readonly basisSources: { readonly [basis in Basis]?: BasisSource }
  readonly budgets: readonly Budget[]
  readonly metrics: readonly MetricDefinition[]
  readonly lockedThrough: string | null
  /** Codes of the accounts that are named as gains and losses on disposals. They have rows on the cash flow. */
  readonly disposals: readonly number[]
  /** Codes of the liabilities whose lines count as lines of cash where entries are judged; absent where there are none. */
  readonly overdrafts?: readonly number[]
  /** Ids of the income and expense accounts and computed rows that have postings which only the cash flow shows; absent where none has. */
  readonly cashFlowRows?: readonly string[]
  /** The month (`YYYY-MM`) from which on equity without cash stays in financing: a credit against earnings may be a dividend or tax. */
  readonly dividendOrTax?: string
  /** Absent where the company is no group. */
  readonly consolidation?: Consolidation
  /** Absent where the company states no presentation. */
  readonly presentation?: Presentation
}

/**
 * Rows that no account of the chart holds. Their codes follow those of the accounts. The first one holds results of prior
 * years that no closing entry has moved to equity, such as an opening that last year's result explains (accounting.md §3).
 * Those up to `opening-payables-paid` occur on a derived cash basis only (§7), the last two on the cash flow only (§5).
 */
export const COMPUTED_CODES = [
  'prior-years-not-closed',
  'unapplied-receipts',
  'opening-receivables-collected',
  'unapplied-payments',
  'opening-payables-paid',
  'disposal-proceeds',
  'without-cash',
] as const satisfies readonly ComputedRow[]
export const NOT_CLOSED = COMPUTED_CODES[0]
export const CASH_FLOW_ROWS = ['disposal-proceeds', 'without-cash'] as const satisfies readonly ComputedRow[]
type CashFlowRow = (typeof CASH_FLOW_ROWS)[number]
const isCashFlowRow = (row: string): row is CashFlowRow => CASH_FLOW_ROWS.some((each) => each === row)
export const computedCode = (frame: Pick<Frame, 'accounts'>, row: (typeof COMPUTED_CODES)[number]): number =>
  frame.accounts.length + COMPUTED_CODES.indexOf(row)
/** An account in messages: its number, else its id, and its name where that says more. */
export function accountLabel({ id, number, name }: Pick<Account, 'id' | 'number' | 'name'>): string {
  const code = number || id
  return name === '' || code === name || code.endsWith(`:${name}`) ? code : `${code} ${name}`
}

/** The account with a code. Throws for codes of computed rows, which are not accounts of the chart. */
export function accountAt({ accounts }: Pick<Frame, 'accounts'>, code: number): Account {
  const account = accounts[code]
  if (account === undefined) throw new Error(`no account of the chart has the code ${code}`)
  return account
}
/** The budget with an id. Throws where the frame has none. */
export const budgetAt = ({ budgets }: Pick<Frame, 'budgets'>, budgetId: string): Budget =>
  present(
    budgets.find(({ id }) => id === budgetId),
    `budget "${budgetId}" in the books`,
  )
/** The basis that is listed first: accrual where the books have it. */
export const firstBasis = ({ bases }: Pick<Frame, 'bases'>): Basis => present(bases[0], 'basis of the books')
/** The source of a statement's figures: the books, an exported or derived cash basis, or a budget. */
export const basisSourceOf = (
  { basisSources }: Pick<Frame, 'basisSources'>,
  { basis, budgetId }: { readonly basis: Basis; readonly budgetId: string | null },
): BasisSource =>
  budgetId === null ? present(basisSources[basis], `source of the basis ${basis}`) : 'Budget'
/** The number of codes: one for each account, then one for each of {@link COMPUTED_CODES}. */
export const codeCount = (frame: Pick<Frame, 'accounts'>): number =>
  frame.accounts.length + COMPUTED_CODES.length
export const notClosedCode = (frame: Pick<Frame, 'accounts'>): number => computedCode(frame, NOT_CLOSED)

/** Whether amounts with this code are part of a result: those of P&L accounts and of computed rows are, but for rows of the cash flow. */
export const isEarnings = (frame: Pick<Frame, 'accounts'>, code: number): boolean => {
  const account = frame.accounts[code]
  if (account !== undefined) return isProfitAndLoss(account.classification)
  return !isCashFlowRow(COMPUTED_CODES[code - frame.accounts.length] ?? '')
}

/** Codes of the income and expense accounts that have rows on the cash flow. */
export const resultsOnCashFlow = ({ accounts, disposals, cashFlowRows = [] }: Frame): number[] =>
  accounts.flatMap(({ id }, code) => (disposals.includes(code) || cashFlowRows.includes(id) ? [code] : []))

/** The computed rows that have postings on the cash flow. */
export const computedOnCashFlow = ({ cashFlowRows = [] }: Frame): CashFlowRow[] =>
  cashFlowRows.filter(isCashFlowRow)

/** How many decimals the currency of the books has. */
export const decimalsOf = (frame: Pick<Frame, 'currency'>): number => currencyDecimals(frame.currency)

/** The cash flow category of each account type (accounting.md §5). */
const CATEGORY_OF_TYPE: Readonly<Record<string, CashFlowCategory>> = {
  Bank: 'Cash',
  CashEquivalent: 'Cash',
  AccountsReceivable: 'Operating',
  Inventory: 'Operating',
  OtherCurrentAsset: 'Operating',
  AccumulatedDepreciation: 'Operating',
  FixedAsset: 'Investing',
  OtherAsset: 'Investing',
  AccountsPayable: 'Operating',
  CreditCard: 'Operating',
  SalesTax: 'Operating',
  OtherCurrentLiability: 'Operating',
  LongTermLiability: 'Financing',
  Capital: 'Financing',
  Drawings: 'Financing',
  RetainedEarnings: 'Financing',
  OtherEquity: 'Financing',
}

/**
 * The cash flow category of a balance sheet account: its own or that of company.yaml, else that of its type, else Financing
 * for equity. Null for P&L accounts and where nothing decides.
 */
export const cashFlowCategory = (
  account: Pick<AccountRow, 'classification' | 'type' | 'cashFlow'>,
): CashFlowCategory | null => {
  if (!['Asset', 'Liability', 'Equity'].includes(account.classification)) return null
  return (
    account.cashFlow ??
    CATEGORY_OF_TYPE[account.type] ??
    (account.classification === 'Equity' ? 'Financing' : null)
  )
}

/** Sorts accounts as the interface lists them: by number, then id. */
export const inWireOrder = (rows: readonly AccountRow[]): AccountRow[] =>
  [...rows].sort((a, b) => byCodePoint(a.number, b.number) || byCodePoint(a.id, b.id))

/**
 * The accounts of rows that are sorted as the interface lists them. An account with children is a header unless it has postings, openings or
 * budget figures of its own; `withFigures` holds the codes of those.
 */
export function accountsOf(rows: readonly AccountRow[], withFigures: ReadonlySet<number>): Account[] {
  const parents = new Set(rows.map((row) => row.parentId))
  return rows.map((row, code) => ({
    id: row.id,
    number: row.number,
    name: row.name,
    classification: row.classification,
    type: row.type,
    parentId: row.parentId,
    isHeader: parents.has(row.id) && !withFigures.has(code),
    isActive: row.isActive,
    cashFlow: cashFlowCategory(row),
  }))
}

/** The number of months in the coverage. */
export const monthsOf = (coverage: DateRange): number =>
  monthOf(coverage.endDate) - monthOf(coverage.startDate) + 1

/** Last days of the fiscal years, counted from 1970. A closing entry on one of them reduces current-year earnings. */
export const yearEndDays = (frame: Pick<Frame, 'fiscalYears'>): number[] =>
  frame.fiscalYears.map((year) => dayOf(year.end))
