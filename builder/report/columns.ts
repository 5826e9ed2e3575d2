/**
 * The columns of a statement as data: amounts of published months, and differences and percentages of such columns.
 * Every comparative is a sum of published months and parts of months, nothing else.
 */

import type { SummaryName } from '../contract/vocabulary.ts'
import type { MonthlyFigures, PublishedStatement } from '../snapshot/files/documents.ts'
import type { ReportLine } from './groups.ts'

/** Months `from` to `through`, `YYYY-MM`, both included. */
export interface MonthSpan {
  readonly from: string
  readonly through: string
  /** The day it begins on, where that is not the first one of its first month: a fiscal year begins there. */
  readonly start?: string
  /** The day it ends on, where that is not the last one of its last month: a fiscal year ends there. */
  readonly end?: string
}

export type StatementColumn =
  /** What a document states for these months. */
  | { readonly kind: 'amount'; readonly title: string; readonly document: number; readonly span: MonthSpan }
  /** What a document states for these months, in tenths of a percent of its total income. */
  | { readonly kind: 'share'; readonly title: string; readonly document: number; readonly span: MonthSpan }
  /** One column less another, by their places. */
  | { readonly kind: 'difference'; readonly title: string; readonly of: readonly [number, number] }
  /** The difference of two columns in tenths of a percent of the second one's size. */
  | { readonly kind: 'percent'; readonly title: string; readonly of: readonly [number, number] }

/** A whole number: a bigint where it is so large that a double would round it. */
export type Whole = number | bigint

/** Minor units, or tenths of a percent; null where there is no figure. */
export type LineValue = Whole | null

/** The values of one line, one for each column. A heading has none. */
export function valuesOf(
  line: ReportLine,
  columns: readonly StatementColumn[],
  documents: readonly (PublishedStatement | null)[],
): LineValue[] {
  const cells: LineValue[] = []
  for (const column of columns) {
    if (column.kind === 'amount') {
      cells.push(amountOf(line, documents[column.document] ?? null, column.span))
      continue
    }
    if (column.kind === 'share') {
      cells.push(shareOf(line, documents[column.document] ?? null, column.span))
      continue
    }
    const [a, b] = column.of.map((place) => cells[place] ?? null)
    // The difference of two percentages is in points, and a percentage of a percentage says nothing.
    const isRatio = line.of !== null && 'ratio' in line.of
    cells.push(column.kind === 'difference' ? difference(a, b) : isRatio ? null : percent(a, b))
  }
  return cells
}

const difference = (a: LineValue | undefined, b: LineValue | undefined): LineValue =>
  a == null || b == null ? null : sum(a, -b)

/** Adds exactly. */
function sum(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b
  const whole = BigInt(a) + BigInt(b)
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

/** The difference of `a` to `b`, in tenths of a percent of the size of `b`; null where `b` is zero. */
const percent = (a: LineValue | undefined, b: LineValue | undefined): LineValue =>
  a == null || b == null ? null : tenthsOf(BigInt(a) - BigInt(b), b)

const sizeOf = (value: bigint): bigint => (value < 0n ? -value : value)

/** The share of a part in the whole in tenths of a percent, rounded half away from zero; null where the whole is zero. */
const tenthsOf = (part: bigint, whole: Whole): LineValue =>
  whole === 0 ? null : quotient(1000n * part, sizeOf(BigInt(whole)))

/** A quotient rounded half away from zero to a whole number; `whole` is positive. */
export function quotient(part: bigint, whole: bigint): Whole {
  const rounded = (2n * sizeOf(part) + whole) / (2n * whole)
  const signed = part < 0n ? -rounded : rounded
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed
}

/** Null where there is no income, and for a percentage. */
function shareOf(line: ReportLine, document: PublishedStatement | null, span: MonthSpan): LineValue {
  const whole = amountOf({ ...line, of: { total: 'TotalIncome' } }, document, span)
  const part = line.of !== null && 'ratio' in line.of ? null : amountOf(line, document, span)
  return part === null || whole === null || whole <= 0 ? null : tenthsOf(BigInt(part), whole)
}

/** Null where the document lacks one of the months or states no figure for it. */
export function amountOf(line: ReportLine, document: PublishedStatement | null, span: MonthSpan): LineValue {
  if (line.of === null || document === null) return null
  const places = placesIn(document, span, line.measure)
  if (places.length === 0) return null
  const totalOf = (name: SummaryName) => sumOf(places, ({ totals }) => totals.get(name), isByLine(document))
  if ('total' in line.of) return totalOf(line.of.total)
  if ('ratio' in line.of) {
    const [part, whole] = line.of.ratio.map(totalOf)
    return part == null || whole == null || whole <= 0 ? null : tenthsOf(BigInt(part), whole)
  }
  if ('withoutCash' in line.of) {
    const section = line.of.withoutCash
    return document.scope.budgetId === null
      ? (sumOf(places, ({ withoutCash }) => withoutCash.get(section), true) ?? 0)
      : null
  }
  const { accounts, less = [] } = line.of
  const own = [...accounts.map((id) => [id, 1] as const), ...less.map((id) => [id, -1] as const)]
  return accountsSum(own, document, places)
}

/** A budget of the result states each account and month for itself (accounting.md §8): what is missing is left out of sums. */
const isByLine = ({ scope }: PublishedStatement): boolean =>
  scope.budgetId !== null && scope.statement === 'ProfitAndLoss'

/** Whether a budget states no figure of the account for one of the months. */
export function isMissing(account: string, document: PublishedStatement, span: MonthSpan): boolean {
  if (!isByLine(document)) return false
  const places = placesIn(document, span, 'sum')
  return places.length > 0 && sumOf(places, ({ rows }) => rows.get(account)?.figures, false) === null
}

/** A month of a statement, or a part of one. */
interface Place {
  readonly of: PublishedStatement
  readonly at: number
}

/** The places that make up a span, or its first or last one; none where the document lacks a part of the span. */
function placesIn(document: PublishedStatement, span: MonthSpan, measure: ReportLine['measure']): Place[] {
  const last = document.months.indexOf(span.through)
  const first = measure === 'last' ? last : document.months.indexOf(span.from)
  if (first === -1 || last === -1) return []
  const places: Place[] = []
  for (let at = first; at <= (measure === 'first' ? first : last); at++) {
    const own = placesOfMonth(document, at, span)
    if (own.length === 0) return []
    places.push(...own)
  }
  return measure === 'first' ? places.slice(0, 1) : measure === 'last' ? places.slice(-1) : places
}

/** A month as a whole, or the parts of it that lie inside a span that begins or ends in it. */
function placesOfMonth(document: PublishedStatement, at: number, { start, end }: MonthSpan): Place[] {
  const month = document.months[at] ?? ''
  if (!start?.startsWith(month) && !end?.startsWith(month)) return [{ of: document, at }]
  const { parts } = document
  if (parts === undefined) return []
  return parts.periods.flatMap((period, at) =>
    period.month === month &&
    (start === undefined || period.startDate >= start) &&
    (end === undefined || period.endDate <= end)
      ? [{ of: parts, at }]
      : [],
  )
}

/** An account without a row is zero in the months of actual statements, and missing in those of a budget. */
function accountsSum(
  accounts: readonly (readonly [id: string, sign: 1 | -1])[],
  document: PublishedStatement,
  places: readonly Place[],
): LineValue {
  const isOfBudget = document.scope.budgetId !== null
  if (!isOfBudget && sumOf(places, ({ totals }) => [...totals.values()][0], false) === null) return null
  let whole: LineValue = isOfBudget ? null : 0
  for (const [account, sign] of accounts) {
    const figuresOf = ({ rows, months }: PublishedStatement) =>
      rows.get(account)?.figures ?? (isOfBudget ? undefined : months.map(() => 0))
    const own = sumOf(places, figuresOf, isByLine(document))
    if (own !== null) whole = sum(whole ?? 0, sign === 1 ? own : -own)
    else if (!isOfBudget) return null
  }
  return whole
}

/** Null where no place has a figure; where `skipsNone` is not set, also where one of them has none. */
function sumOf(
  places: readonly Place[],
  figuresOf: (document: PublishedStatement) => MonthlyFigures | undefined,
  skipsNone: boolean,
): LineValue {
  let whole: LineValue = null
  for (const { of, at } of places) {
    const figure = figuresOf(of)?.[at] ?? null
    if (figure !== null) whole = sum(whole ?? 0, figure)
    else if (!skipsNone) return null
  }
  return whole
}
