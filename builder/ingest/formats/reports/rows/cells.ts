/** The cells of a row by position: a column that a report does not have reads as empty, and takes nothing. */
import type { Cells } from '../../../text/delimited.ts'

export const cellOf = (cells: Cells, at: number | undefined): string =>
  at === undefined ? '' : (cells[at] ?? '')

export function setCell(cells: string[], at: number | undefined, text: string): void {
  if (at !== undefined) cells[at] = text
}

/** The text of a row in which one cell is filled; null where several are. */
export function onlyText(cells: Cells): string | null {
  let only: string | null = null
  for (const text of cells) {
    if (text === '') continue
    if (only !== null) return null
    only = text
  }
  return only
}

/** The header above a position, as findings name a column; null where the report has no such column. */
export const columnAt = (header: Cells, at: number | undefined): string | null =>
  at === undefined ? null : (header[at] ?? null)
