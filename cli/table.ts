/** Rows as a table, or, where the terminal is too narrow for it, as one block of lines per row. */
import type { Terminal } from './terminal.ts'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  readonly right?: boolean
  readonly colour?: (row: Row) => (text: string) => string
}

const GAP = '  '

export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { paint, width }: Pick<Terminal, 'paint' | 'width'>,
): string {
  const cells = rows.map((row) => columns.map((column) => column.of(row)))
  const widths = columns.map((column, i) =>
    Math.max(column.title.length, ...cells.map((row) => row[i]!.length)),
  )
  const coloured = (text: string, padded: string, column: Column<Row>, row: Row) =>
    column.colour ? padded.replace(text, () => column.colour!(row)(text)) : padded
  const padded = (text: string, i: number) =>
    columns[i]!.right ? text.padStart(widths[i]!) : text.padEnd(widths[i]!)

  if (widths.reduce((sum, each) => sum + each, GAP.length * (columns.length - 1)) <= width)
    return [
      paint.dim(
        columns
          .map((column, i) => padded(column.title, i))
          .join(GAP)
          .trimEnd(),
      ),
      ...rows.map((row, r) =>
        columns
          .map((column, i) => coloured(cells[r]![i]!, padded(cells[r]![i]!, i), column, row))
          .join(GAP)
          .trimEnd(),
      ),
    ].join('\n')

  const titles = Math.max(...columns.map((column) => column.title.length))
  return rows
    .map((row, r) =>
      columns
        .map((column, i) => {
          const text = cells[r]![i]!
          return `${paint.dim(column.title.padEnd(titles))}${GAP}${coloured(text, text, column, row)}`
        })
        .join('\n'),
    )
    .join('\n\n')
}
