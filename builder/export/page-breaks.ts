/** Where the pages of a printed statement end: not between a heading and what follows it, nor before the sum of what stands above. */
import type { ShownLine } from '../report/report.ts'
import { PAPER_HEIGHT, PAPER_WIDTH, ROW_HEIGHT } from './xlsx.ts'

/** Pixels at 96 to the inch: of a character of the usual letters, and beside the text of a cell. */
const CHARACTER = 7
const PADDING = 5
const PER_INCH = 96

/** Programs and printers differ a little in what fits on a page. */
const SURE = 0.98
/** A part of the statement begins on a new page where this much of the old one is filled, and so does a group. */
const FILLED = { part: 0.7, group: 0.75 }
/** What the rows of the title are higher than others, in rows. */
const HIGHER_TITLE = 2

/**
 * The rows, counted from 1, after which a page ends. `rows`: those of the lines. The row of the heads before the first of them is
 * on each page.
 */
export function pageBreaks(
  lines: readonly ShownLine[],
  rows: readonly number[],
  widths: readonly number[],
): number[] {
  const room = rowsOnPage(widths)
  const starts = lines.flatMap((line, i) =>
    mayBegin(line, lines[i - 1]) ? [{ line, row: rows[i] ?? 0 }] : [],
  )
  const breaks: number[] = []
  const end = rows.at(-1) ?? 0
  for (let first = 1, fits = room - HIGHER_TITLE; first + fits <= end; fits = room - HIGHER_TITLE) {
    const possible = starts.filter(({ row }) => row > first && row <= first + fits)
    const headAfter = (filled: number, isPart: boolean) =>
      possible.findLast(
        ({ line, row }) =>
          line.kind === 'heading' && row - first > fits * filled && (line.depth === 0 || !isPart),
      )
    const next = (headAfter(FILLED.part, true) ?? headAfter(FILLED.group, false) ?? possible.at(-1))?.row
    if (next === undefined) break
    breaks.push(next - 1)
    first = next
  }
  return breaks
}

const mayBegin = ({ kind }: ShownLine, above: ShownLine | undefined): boolean =>
  above !== undefined && above.kind !== 'heading' && (kind === 'heading' || kind === 'account')

/** On a page to the width of which the sheet is made smaller; it is never made larger. */
function rowsOnPage(widths: readonly number[]): number {
  const width = widths.reduce((sum, each) => sum + each * CHARACTER + PADDING, 0)
  const percent = Math.min(100, Math.floor((100 * PAPER_WIDTH * PER_INCH) / width))
  return Math.floor((SURE * 100 * PAPER_HEIGHT * 72) / (ROW_HEIGHT * percent))
}
