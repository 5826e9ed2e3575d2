/**
 * The columns of a statement as data: amounts of published months, and differences and percentages of such columns.
 * Every comparative is a sum of published months, nothing else.
 */

import type { MonthlyFigures, PublishedStatement } from '../snapshot/documents.ts'
import type { Line } from './groups.ts'

/** Months `from` to `through`, `YYYY-MM`, both included. */
export interface Span {
  readonly from: string
  readonly through: string
}

export type Column =
  /** What a document states for these months. */
  | { readonly kind: 'amount'; readonly title: string; readonly document: number; readonly span: Span }
  /** One column less another, by their places. */
  | { readonly kind: 'difference'; readonly title: string; readonly of: readonly [number, number] }
  /** The difference of two columns in tenths of a percent of the second one's size. */
  | { readonly kind: 'percent'; readonly title: string; readonly of: readonly [number, number] }

/** Minor units, or tenths of a percent; null where there is no figure. */
export type Cell = number | null

/** The cells of one line, one for each column. A heading has none. */
export function cellsOf(
  line: Line,
  columns: readonly Column[],
  documents: readonly (PublishedStatement | null)[],
): Cell[] {
  const cells: Cell[] = []
  for (const column of columns) {
    if (column.kind === 'amount') {
      cells.push(amountOf(line, documents[column.document] ?? null, column.span))
      continue
    }
    const [a, b] = column.of.map((place) => cells[place] ?? null)
    // Of a percentage the difference is in points, and a percentage of it says nothing.
    const isRatio = line.of !== null && 'ratio' in line.of
    cells.push(column.kind === 'difference' ? difference(a, b) : isRatio ? null : percent(a, b))
  }
  return cells
}

const difference = (a: Cell | undefined, b: Cell | undefined): Cell => (a == null || b == null ? null : a - b)

/** By how much `a` is more than `b`, in tenths of a percent of the size of `b`; null on a base of zero. */
export const percent = (a: Cell | undefined, b: Cell | undefined): Cell =>
  a == null || b == null ? null : tenthsOf(BigInt(a) - BigInt(b), b)

/** Tenths of a percent, rounded half away from zero; null on a base of zero, of which nothing is a percentage. */
function tenthsOf(part: bigint, whole: number): Cell {
  if (whole === 0) return null
  const thousandfold = part * 1000n
  const base = BigInt(Math.abs(whole))
  const size = thousandfold < 0n ? -thousandfold : thousandfold
  const rounded = Number((2n * size + base) / (2n * base))
  return thousandfold < 0n ? 0 - rounded : rounded
}

/** Null where the document lacks one of the months or states no figure for it. */
export function amountOf(line: Line, document: PublishedStatement | null, span: Span): Cell {
  if (line.of === null || document === null) return null
  const months = monthsIn(document, span, line.measure)
  if (months === null) return null
  const total = (name: string) => sumOf(document.totals.get(name), months, isByLine(document))
  if ('total' in line.of) return total(line.of.total)
  if ('ratio' in line.of) {
    const [part, whole] = line.of.ratio.map(total)
    return part == null || whole == null || whole <= 0 ? null : tenthsOf(BigInt(part), whole)
  }
  const { accounts, less = [] } = line.of
  const own = [...accounts.map((id) => [id, 1] as const), ...less.map((id) => [id, -1] as const)]
  return accountsSum(own, document, months)
}

type Months = readonly [first: number, last: number]

/** The places of the first and the last month that a figure adds up; null where the document lacks one. */
function monthsIn(document: PublishedStatement, span: Span, measure: Line['measure']): Months | null {
  const first = document.months.indexOf(span.from)
  const last = document.months.indexOf(span.through)
  if (last === -1 || (first === -1 && measure !== 'last')) return null
  return measure === 'last' ? [last, last] : measure === 'first' ? [first, first] : [first, last]
}

/** A budget of the result states each account and month for itself (accounting.md §8): what is missing is left out of sums. */
const isByLine = ({ scope }: PublishedStatement): boolean =>
  scope.budgetId !== null && scope.statement === 'ProfitAndLoss'

/** Whether a budget states no figure of the account for one of the months. */
export function isMissing(account: string, document: PublishedStatement, span: Span): boolean {
  const months = isByLine(document) ? monthsIn(document, span, 'sum') : null
  return months !== null && sumOf(document.rows.get(account)?.figures, months, false) === null
}

/** An account that actual statements have no row of is zero in their months; one that a budget has no row of is missing. */
function accountsSum(
  accounts: readonly (readonly [id: string, sign: 1 | -1])[],
  document: PublishedStatement,
  months: Months,
): Cell {
  const [anyTotal] = document.totals.values()
  const isOfBudget = document.scope.budgetId !== null
  if (!isOfBudget && sumOf(anyTotal, months, false) === null) return null
  let sum: Cell = isOfBudget ? null : 0
  for (const [account, sign] of accounts) {
    const row = document.rows.get(account)
    const own = row === undefined ? null : sumOf(row.figures, months, isByLine(document))
    if (own !== null) sum = (sum ?? 0) + sign * own
    else if (row !== undefined && !isOfBudget) return null
  }
  return sum
}

/** Null where no month has a figure; where `skipsNone` is not set, also where one of them has none. */
function sumOf(figures: MonthlyFigures | undefined, [first, last]: Months, skipsNone: boolean): Cell {
  let sum: Cell = null
  for (const figure of figures?.slice(first, last + 1) ?? []) {
    if (figure !== null) sum = (sum ?? 0) + figure
    else if (!skipsNone) return null
  }
  return sum
}
