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
  const first = document.months.indexOf(span.from)
  const last = document.months.indexOf(span.through)
  if (last === -1 || (first === -1 && line.measure !== 'last')) return null
  const months: readonly [number, number] =
    line.measure === 'last' ? [last, last] : line.measure === 'first' ? [first, first] : [first, last]
  if ('total' in line.of) return sumOf(document.totals.get(line.of.total), months)
  if ('ratio' in line.of) {
    const [part, whole] = line.of.ratio.map((name) => sumOf(document.totals.get(name), months))
    return part == null || whole == null || whole <= 0 ? null : tenthsOf(BigInt(part), whole)
  }
  const { accounts, less = [] } = line.of
  return difference(accountsSum(accounts, document, months), accountsSum(less, document, months))
}

/** An account that the document has no row of is zero in the months of which it states anything. */
function accountsSum(
  accounts: readonly string[],
  document: PublishedStatement,
  months: readonly [number, number],
): Cell {
  const [anyTotal] = document.totals.values()
  if (sumOf(anyTotal, months) === null) return null
  let sum = 0
  for (const account of accounts) {
    const row = document.rows.get(account)
    if (row === undefined) continue
    const own = sumOf(row.figures, months)
    if (own === null) return null
    sum += own
  }
  return sum
}

function sumOf(figures: MonthlyFigures | undefined, [first, last]: readonly [number, number]): Cell {
  if (figures === undefined) return null
  let sum = 0
  for (const figure of figures.slice(first, last + 1)) {
    if (figure === null) return null
    sum += figure
  }
  return sum
}
