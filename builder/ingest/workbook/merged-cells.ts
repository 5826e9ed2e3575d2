/**
 * Merged cells: the file stores their text in the first cell alone, while people see it in all of them. The text is
 * copied to the rows that the range spans, and only there, since an empty cell that is not merged may mean "none".
 */
import { present } from '../../contract/present.ts'
import type { CellRange, TextRow } from '../text/csv.ts'
import { periodUnder } from '../text/months.ts'

/** Cells in merged ranges. No sheet made by people has more; overlapping ranges could have any number. */
const MERGED_LIMIT = 2_000_000

/** Adds to each row the texts of the ranges that reach it from above, and the merged range of each of its cells. */
export function mergeRows(rows: readonly TextRow[], merges: readonly CellRange[]): TextRow[] {
  const merged = new Map<number, Map<number, CellRange>>()
  let left = MERGED_LIMIT
  for (const range of merges) {
    let i = firstFrom(rows, range.top)
    for (let row = rows[i]; row !== undefined && row.row <= range.bottom; row = rows[++i]) {
      if (--left < 0) throw new Error(`more than ${MERGED_LIMIT} cells are merged`)
      const ranges = merged.get(i) ?? new Map<number, CellRange>()
      merged.set(i, ranges.set(range.left, range))
    }
  }
  if (merged.size === 0) return [...rows]
  return rows.map((row, i) => {
    const ranges = merged.get(i)
    return ranges === undefined ? row : { ...row, cells: filled(row, ranges, rows), merged: ranges }
  })
}

function filled(row: TextRow, ranges: ReadonlyMap<number, CellRange>, rows: readonly TextRow[]): string[] {
  const cells = [...row.cells]
  for (const [column, { top }] of ranges) {
    const origin = top === row.row ? undefined : rows[firstFrom(rows, top)]
    const text = origin?.row === top ? (origin.cells[column] ?? '') : ''
    if (text === '' || (cells[column] ?? '') !== '') continue
    while (cells.length < column) cells.push('')
    cells[column] = text
  }
  return cells
}

/** Index of the first row with the number `row` or a higher one. */
function firstFrom(rows: readonly TextRow[], row: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (present(rows[middle], 'row').row < row) low = middle + 1
    else high = middle
  }
  return low
}

/** Rows above a header that may name the years of its months. */
const YEAR_ROWS = 3

/**
 * The header at index `at` as one row, and the index of its last row. Header cells may be merged over several rows,
 * and years may stand above their months.
 */
export function headerOver(
  rows: readonly TextRow[],
  at: number,
  merges: readonly CellRange[],
): { readonly header: TextRow; readonly last: number } {
  const first = present(rows[at], 'row of the header')
  const bottom = Math.max(first.row, ...[...(first.merged?.values() ?? [])].map((range) => range.bottom))
  let last = at
  let lowest = first
  for (let next = rows[at + 1]; next !== undefined && next.row <= bottom; next = rows[last + 1]) {
    lowest = next
    last++
  }
  const above = rows.slice(Math.max(0, at - YEAR_ROWS), last).reverse()
  const wide = merges.filter(({ left, right, top }) => right > left && top <= lowest.row)
  const width = Math.max(...rows.slice(at, last + 1).map(({ cells }) => cells.length))
  const cells = Array.from({ length: width }, (_, column) => {
    const text = lowest.cells[column] ?? ''
    if (text === '')
      return above.find((row) => row.row >= first.row && row.cells[column])?.cells[column] ?? ''
    for (const row of above) {
      const found = periodUnder(text, shownAt(row, column, wide))
      if (found !== null) return found
    }
    return text
  })
  return { header: { row: lowest.row, cells }, last }
}

/** The text that people see in a cell above a header, which may be merged over several columns. */
function shownAt(row: TextRow, column: number, wide: readonly CellRange[]): string {
  const range = wide.find(
    ({ top, bottom, left, right }) =>
      top <= row.row && row.row <= bottom && left <= column && column <= right,
  )
  return row.cells[range?.left ?? column] ?? ''
}
