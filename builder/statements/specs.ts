/**
 * Defines the three statements as data: sections with their signs, and totals as sums of sections. First file
 * of the room that owns how figures become statements (compose.ts), budgets and metrics. Must not touch the
 * file system.
 */
import { present } from '../contract/present.ts'
import { SECTIONS, type Section, type StatementName } from '../contract/vocabulary.ts'

export interface StatementSpec {
  readonly statement: StatementName
  readonly sections: readonly Section[]
  /**
   * The factor that turns a debit-positive figure into the natural sign of its section (accounting.md §1).
   */
  readonly sign: { readonly [section in Section]?: 1 | -1 }
  /** The totals in wire order: each is a combination of sections, or is read off the cash accounts. */
  readonly totals: readonly (readonly [name: string, of: TotalParts])[]
}

/** Sections with the sign that each has in the total; or 'cash' for a total of the cash accounts. */
type TotalParts = { readonly [section in Section]?: 1 | -1 } | 'cash'

const PROFIT_AND_LOSS: StatementSpec = {
  statement: 'ProfitAndLoss',
  sections: SECTIONS.ProfitAndLoss,
  sign: { Income: -1, CostOfSales: 1, Expense: 1, OtherIncome: -1, OtherExpense: 1 },
  totals: [
    ['TotalIncome', { Income: 1 }],
    ['TotalCostOfSales', { CostOfSales: 1 }],
    ['GrossProfit', { Income: 1, CostOfSales: -1 }],
    ['TotalExpense', { Expense: 1 }],
    ['OperatingIncome', { Income: 1, CostOfSales: -1, Expense: -1 }],
    ['TotalOtherIncome', { OtherIncome: 1 }],
    ['TotalOtherExpense', { OtherExpense: 1 }],
    ['NetIncome', { Income: 1, CostOfSales: -1, Expense: -1, OtherIncome: 1, OtherExpense: -1 }],
  ],
}

const BALANCE_SHEET: StatementSpec = {
  statement: 'BalanceSheet',
  sections: SECTIONS.BalanceSheet,
  sign: { Asset: 1, Liability: -1, Equity: -1 },
  totals: [
    ['TotalAssets', { Asset: 1 }],
    ['TotalLiabilities', { Liability: 1 }],
    ['TotalEquity', { Equity: 1 }],
    ['TotalLiabilitiesAndEquity', { Liability: 1, Equity: 1 }],
  ],
}

const CASH_FLOW: StatementSpec = {
  statement: 'CashFlow',
  sections: SECTIONS.CashFlow,
  // Every movement of a non-cash account is the opposite movement of cash.
  sign: { Operating: -1, Investing: -1, Financing: -1 },
  totals: [
    ['NetCashFromOperating', { Operating: 1 }],
    ['NetCashFromInvesting', { Investing: 1 }],
    ['NetCashFromFinancing', { Financing: 1 }],
    ['NetChangeInCash', { Operating: 1, Investing: 1, Financing: 1 }],
    ['BeginningCash', 'cash'],
    ['EndingCash', 'cash'],
  ],
}

export const SPECS = {
  ProfitAndLoss: PROFIT_AND_LOSS,
  BalanceSheet: BALANCE_SHEET,
  CashFlow: CASH_FLOW,
} as const

/**
 * The factor that turns a debit-positive figure into the sign of its section; −1 for a section of another
 * statement.
 */
export const signOn = (statement: StatementName, section: Section): 1 | -1 =>
  SPECS[statement].sign[section] ?? -1

/** The parts of a total; `name` must be a total of the statement. */
export const totalParts = (statement: StatementName, name: string): TotalParts =>
  present(SPECS[statement].totals.find(([total]) => total === name)?.[1], `total ${name} on the statement`)
