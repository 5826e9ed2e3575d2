/** Sums of postings by account, period and kind: what both the monthly cube and ad-hoc ranges are composed from. */
import { monthOf } from '../contract/calendar.ts'
import type { DateRange } from '../contract/document.ts'
import type { Basis } from '../contract/vocabulary.ts'
import type { Database } from './database.ts'
import { BASIS_CODE } from './ledger.ts'
import type { Span } from './tree.ts'

/** Parallel columns. `period` counts from 0; amounts are minor units, debit positive. */
export interface Cells {
  readonly department: Float64Array
  readonly account: Float64Array
  readonly period: Float64Array
  /** Index into KINDS. */
  readonly kind: Float64Array
  readonly amount: Float64Array
}

/** Periods before the range: earlier fiscal years, and the part of the current one. */
export const BEFORE_YEAR = -2
export const YEAR_TO_DATE = -1

const cellsOf = ([department, account, period, kind, amount]: Float64Array[]): Cells => ({
  department: department!,
  account: account!,
  period: period!,
  kind: kind!,
  amount: amount!,
})

/** All months of one basis for a span of classes, ordered by department. Reads `leaf`. */
export async function monthlyCells(
  db: Database,
  basis: Basis,
  classes: Span,
  coverage: DateRange,
): Promise<Cells> {
  return cellsOf(
    await db.columns(
      `SELECT department, account, (month - ${monthOf(coverage.startDate)})::INTEGER AS period, kind, sum(amount)::DOUBLE
       FROM leaf WHERE basis = ${BASIS_CODE[basis]} AND class BETWEEN ${classes.from} AND ${classes.to}
       GROUP BY ALL ORDER BY department`,
      5,
    ),
  )
}

/**
 * Any range, by month or part of one, with everything before it: {@link BEFORE_YEAR} for what lies before `yearStart`
 * (the fiscal year of the range's first day), {@link YEAR_TO_DATE} from there. Reads `posting`.
 */
export async function rangeCells(
  db: Database,
  basis: Basis,
  classes: Span,
  departments: Span,
  range: DateRange,
  yearStart: string,
): Promise<Cells> {
  return cellsOf(
    await db.columns(
      `SELECT 0 AS department, account,
         (CASE WHEN day < DATE '${yearStart}' THEN ${BEFORE_YEAR} WHEN day < DATE '${range.startDate}' THEN ${YEAR_TO_DATE}
               ELSE month - ${monthOf(range.startDate)} END)::INTEGER AS period, kind, sum(amount)::DOUBLE
       FROM posting WHERE basis = ${BASIS_CODE[basis]} AND day <= DATE '${range.endDate}'
         AND class BETWEEN ${classes.from} AND ${classes.to} AND department BETWEEN ${departments.from} AND ${departments.to}
       GROUP BY ALL`,
      5,
    ),
  )
}
