/**
 * What the figures of a company hang on: accounts with their codes, dimension trees, calendar. No figure is in
 * here. The same frame serves the build and, read back from the snapshot, the ad-hoc engine.
 */
import { dayOf, monthOf } from '../contract/calendar.ts'
import { currencyDecimals } from '../contract/currency.ts'
import type { DateRange } from '../contract/document.ts'
import { present } from '../contract/present.ts'
import {
  type Basis,
  type BasisSource,
  byCodePoint,
  type CashFlowCategory,
  type Classification,
  type ComputedRow,
  isProfitAndLoss,
} from '../contract/vocabulary.ts'
import type { AccountRow, FiscalYear, MetricDefinition } from '../ingest/format/intake.ts'
import type { BudgetEquity } from '../workspace/company.ts'
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
  /** The category that the cash flow uses; null for P&L accounts and for what nothing maps. */
  readonly cashFlow: CashFlowCategory | null
}

export interface Budget {
  readonly id: string
  readonly name: string
  /** `YYYY-MM`; null where the budget holds no figure. */
  readonly startMonth: string | null
  readonly endMonth: string | null
  /** Whether its equity holds the result of the year; null where the settings do not say, and there is no cash flow. */
  readonly equity: BudgetEquity | null
  /** The account of equity that holds it; null where that is not clear. */
  readonly resultAccount: string | null
}

export interface Frame {
  readonly companyId: string
  readonly name: string
  readonly currency: string
  readonly fiscalMonthEnd: number
  /** Ordered by number, then id; an account's place here is its code. */
  readonly accounts: readonly Account[]
  readonly classes: Tree
  readonly departments: Tree
  readonly fiscalYears: readonly FiscalYear[]
  /** Whole months, the same for every basis and filter (accounting.md §9). */
  readonly coverage: DateRange
  readonly bases: readonly Basis[]
  readonly basisSources: { readonly [basis in Basis]?: BasisSource }
  readonly budgets: readonly Budget[]
  readonly metrics: readonly MetricDefinition[]
  readonly lockedThrough: string | null
  /** Gain and loss accounts of disposals that are shown gross: they have a row on the cash flow. */
  readonly disposals: readonly number[]
  /** Absent where the company says nothing of it. */
  readonly presentation?: Presentation
}

/**
 * Rows of the books that no account of the chart holds, with codes after the last real account. The first is the
 * pseudo account of results that no closing entry has moved and no posting account holds: an opening that is explained
 * by last year's result (accounting.md §3). The others occur on a derived cash basis (§7).
 */
export const COMPUTED_CODES = [
  'prior-years-not-closed',
  'unapplied-receipts',
  'opening-receivables-collected',
  'unapplied-payments',
  'opening-payables-paid',
] as const satisfies readonly ComputedRow[]
export const NOT_CLOSED = COMPUTED_CODES[0]
export const computedCode = (frame: Pick<Frame, 'accounts'>, row: (typeof COMPUTED_CODES)[number]): number =>
  frame.accounts.length + COMPUTED_CODES.indexOf(row)
/** The account of the chart with a code; computed rows are no accounts. */
export function accountAt({ accounts }: Pick<Frame, 'accounts'>, code: number): Account {
  const account = accounts[code]
  if (account === undefined) throw new Error(`no account of the chart has the code ${code}`)
  return account
}
/** The budget with an id that the frame has. */
export const budgetAt = ({ budgets }: Pick<Frame, 'budgets'>, budgetId: string): Budget =>
  present(
    budgets.find(({ id }) => id === budgetId),
    `budget "${budgetId}" in the books`,
  )
/** The basis that is stated first: accrual, where the books have it. */
export const firstBasis = ({ bases }: Pick<Frame, 'bases'>): Basis => present(bases[0], 'basis of the books')
/** Where the figures of a statement come from. */
export const basisSourceOf = (
  { basisSources }: Pick<Frame, 'basisSources'>,
  { basis, budgetId }: { readonly basis: Basis; readonly budgetId: string | null },
): BasisSource =>
  budgetId === null ? present(basisSources[basis], `source of the basis ${basis}`) : 'Budget'
/** Codes are those of the accounts, then those of {@link COMPUTED_CODES}. */
export const codeCount = (frame: Pick<Frame, 'accounts'>): number =>
  frame.accounts.length + COMPUTED_CODES.length
export const notClosedCode = (frame: Pick<Frame, 'accounts'>): number => computedCode(frame, NOT_CLOSED)

/** Whether what stands under a code is part of a result: P&L accounts and all computed rows are. */
export const isEarnings = (frame: Pick<Frame, 'accounts'>, code: number): boolean => {
  const account = frame.accounts[code]
  return account === undefined || isProfitAndLoss(account.classification)
}

export const decimalsOf = (frame: Pick<Frame, 'currency'>): number => currencyDecimals(frame.currency)

/** Type → category; accounting.md §5. */
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

/** Own category (an override counts as such) > type > classification, which gives a default to equity only. */
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

/** Accounts in wire order: by number, then id. */
export const inWireOrder = (rows: readonly AccountRow[]): AccountRow[] =>
  [...rows].sort((a, b) => byCodePoint(a.number, b.number) || byCodePoint(a.id, b.id))

/** Accounts of rows in wire order; a header has children and no posting, opening or budget of its own. */
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

/** Months of the coverage. */
export const monthsOf = (coverage: DateRange): number =>
  monthOf(coverage.endDate) - monthOf(coverage.startDate) + 1

/** Last days of the fiscal years: a closing entry dated on one reduces current-year earnings. */
export const yearEndDays = (frame: Pick<Frame, 'fiscalYears'>): number[] =>
  frame.fiscalYears.map((year) => dayOf(year.end))
