/** Tables that fit the terminal: long texts are shortened, then the least important columns are left out. */
import { money, truncated, visible } from './money.ts'
import { type TableColumn, tableText, widestOf } from './table.ts'
import type { Terminal } from './terminal.ts'

export interface LineColumn<Row> extends TableColumn<Row> {
  /** Columns with the highest number are left out first; those without one never. */
  readonly dispensable?: number
  /** The column may be shortened to this width, in characters, before another column is left out. */
  readonly flexible?: number
}

const GAP = 2

/**
 * The table, and the titles of the columns that were left out for lack of room. Columns that are empty in every row
 * are never shown.
 */
export function lineTable<Row>(
  rows: readonly Row[],
  columns: readonly LineColumn<Row>[],
  terminal: Pick<Terminal, 'paint' | 'width'>,
): { readonly text: string; readonly omitted: readonly string[] } {
  const shown = columns
    .map((column) => ({ ...column, of: (row: Row) => visible(column.of(row)) }))
    .filter((column) => rows.some((row) => column.of(row) !== ''))
    .map((column) => ({ ...column, widest: widestOf(column, rows) }))
  const omitted: string[] = []
  const least = ({ flexible = Number.POSITIVE_INFINITY, widest }: (typeof shown)[number]) =>
    Math.min(flexible, widest)
  const needed = () => shown.reduce((sum, column) => sum + least(column) + GAP, -GAP)
  while (needed() > terminal.width) {
    const last = shown.reduce((a, b) => ((b.dispensable ?? 0) > (a.dispensable ?? 0) ? b : a))
    if (!last.dispensable) break
    omitted.push(last.title.toLowerCase())
    shown.splice(shown.indexOf(last), 1)
  }
  let room = terminal.width - needed()
  const fitted = shown.map((column) => {
    if (column.flexible === undefined) return column
    const width = Math.min(column.widest, least(column) + Math.max(0, room))
    room -= width - least(column)
    return { ...column, of: (row: Row) => truncated(column.of(row), width) }
  })
  return { text: tableText(rows, fitted, terminal), omitted }
}

/** Lines with the label on the left and the amounts aligned in one column on the right. */
export function amountsText(
  rows: readonly (readonly [label: string, amount: string | null, remark?: string])[],
  width: number,
): string {
  const lines = rows.map(([label, amount, remark = '']) => ({ label, amount: money(amount), remark }))
  const right = Math.max(...lines.map(({ amount }) => amount.length))
  const remarks = Math.max(...lines.map(({ remark }) => remark.length))
  const room = Math.max(20, width - right - GAP - (remarks === 0 ? 0 : remarks + GAP))
  const left = Math.min(room, Math.max(...lines.map(({ label }) => label.length)))
  return lines
    .map(({ label, amount, remark }) =>
      `${truncated(label, left).padEnd(left)}  ${amount.padStart(right)}  ${remark}`.trimEnd(),
    )
    .join('\n')
}
