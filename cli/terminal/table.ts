/** Formats rows as a table or, where the terminal is too narrow, as a block of lines for each row. */
import type { Terminal } from './terminal.ts'

export interface TableColumn<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  readonly right?: boolean
  readonly colour?: (row: Row) => (text: string) => string
}

const GAP = '  '

export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  { paint, width }: Pick<Terminal, 'paint' | 'width'>,
): string {
  const fitted = columns.map((column) => ({ ...column, widest: widestOf(column, rows) }))
  const padded = (text: string, { right, widest }: (typeof fitted)[number]) =>
    right ? text.padStart(widest) : text.padEnd(widest)
  const coloured = (text: string, shown: string, { colour }: TableColumn<Row>, row: Row) =>
    colour ? shown.replace(text, () => colour(row)(text)) : shown
  const line = (cells: readonly string[]) => cells.join(GAP).trimEnd()

  if (fitted.reduce((sum, { widest }) => sum + widest, GAP.length * (columns.length - 1)) <= width)
    return [
      paint.dim(line(fitted.map((column) => padded(column.title, column)))),
      ...rows.map((row) =>
        line(
          fitted.map((column) => {
            const text = column.of(row)
            return coloured(text, padded(text, column), column, row)
          }),
        ),
      ),
    ].join('\n')

  const titles = Math.max(...columns.map((column) => column.title.length))
  return rows
    .map((row) =>
      columns
        .map((column) => {
          const text = column.of(row)
          return `${paint.dim(column.title.padEnd(titles))}${GAP}${coloured(text, text, column, row)}`
        })
        .join('\n'),
    )
    .join('\n\n')
}

/** The length of the longest text of a column, title included. */
export const widestOf = <Row>({ title, of }: TableColumn<Row>, rows: readonly Row[]): number =>
  rows.reduce((widest, row) => Math.max(widest, of(row).length), title.length)
