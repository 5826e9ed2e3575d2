/** Defines statement and metric documents before encoding, with figures as exact integers. */
import type { Basis, BasisSource, NotStatedReason, Section, StatementName } from './vocabulary.ts'

/** A month, or the part of it inside a range; both days are inclusive (YYYY-MM-DD). */
export interface Period {
  readonly month: string
  readonly startDate: string
  readonly endDate: string
}

/**
 * One figure per period, in minor units of the currency and in the sign of the section: income and expenses
 * positive, assets debit, liabilities and equity credit, cash flow positive for cash received. NaN means no
 * figure (`null` on the wire; budgets only).
 */
export type Figures = Float64Array

export interface StatementRow {
  readonly accountId: string
  readonly accountNumber: string
  readonly accountName: string
  readonly section: Section
  readonly values: Figures
}

/** What entries without cash would have added to a section of the cash flow, in its sign. */
export interface WithoutCashRow {
  readonly section: Section
  readonly values: Figures
}

export interface SummaryRow {
  readonly name: string
  readonly values: Figures
}

/** What a statement was asked for; the answer repeats it. A null class or department means all of them. */
export interface StatementScope {
  readonly statement: StatementName
  readonly basis: Basis
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

export interface DateRange {
  readonly startDate: string
  readonly endDate: string
}

/** A month of a budget without a cash flow, and the reason. */
export interface NotStated {
  readonly month: string
  readonly reason: NotStatedReason
  /** The reason as a sentence for people. */
  readonly detail: string
}

export const NO_BALANCE_SHEET = 'the budget states no balance sheet for this month'

export interface StatementDocument extends StatementScope, DateRange {
  readonly companyId: string
  readonly basisSource: BasisSource
  readonly currency: string
  readonly periods: readonly Period[]
  readonly rows: readonly StatementRow[]
  readonly summary: readonly SummaryRow[]
  /** The months without a cash flow; only on the cash flow of a budget. */
  readonly notStated?: readonly NotStated[]
  /** What entries without cash would have added; only on the cash flow of actuals. */
  readonly withoutCash?: readonly WithoutCashRow[]
}

export interface MetricScope {
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

export interface MetricDocument extends MetricScope, DateRange {
  readonly companyId: string
  readonly periods: readonly Period[]
  /** Values as plain decimal text with at most six decimals; null where the metric has no value. */
  readonly rows: readonly { readonly metricId: string; readonly values: readonly (string | null)[] }[]
}
