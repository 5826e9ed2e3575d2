/**
 * Rows of reports whose program writes fixed words in fixed columns: which row is an opening balance, a total of an
 * account, a balance at its end. What the words are, and what each program always writes, is data.
 */
import type { Cells } from '../../../text/delimited.ts'
import { cellOf } from './cells.ts'
import type { Layout, RowMarks } from './layout.ts'
import { DATE, type RowEvent } from './rows.ts'

export function markedRow(
  { at, firstNamed }: Layout,
  marks: RowMarks,
): (row: number, cells: Cells) => RowEvent | null {
  const figures = [at.debit, at.credit, at.amount, at.balance].filter((position) => position !== undefined)
  const places = [
    ...new Set([
      ...Array.from({ length: firstNamed + 1 }, (_, i) => i),
      ...marks.at.flatMap((role) => at[role] ?? []),
    ]),
  ]
  return (row, cells) => {
    const date = cellOf(cells, at.date)
    const isDated = DATE.test(date)
    if (!isDated || (at.type !== undefined && cellOf(cells, at.type) === ''))
      for (const [pattern, mark] of marks.words) {
        const place = places.find((position) => pattern.test(cellOf(cells, position)))
        if (place === undefined) continue
        if (mark === 'nothing') return null
        if (mark !== 'total') return { kind: mark, row, cells }
        const label = cellOf(cells, place).replace(/^total[\s-]*(?:for\s+)?/i, '')
        return { kind: 'total', row, cells, label: `Total ${label}` }
      }
    if (isDated) return { kind: 'line', row, cells }
    const isFilled = figures.some((position) => cellOf(cells, position) !== '')
    const depth = places.find((position) => position <= firstNamed && cellOf(cells, position) !== '')
    if (marks.headings !== 'none' && depth !== undefined && (marks.headings === 'totals' || !isFilled))
      return {
        kind: 'section',
        row,
        cells,
        label: cellOf(cells, depth),
        depth: marks.isNested ? depth : 1,
        opening: false,
      }
    return isFilled ? { kind: 'odd', row, cells } : null
  }
}

/** Gives openings and totals that name no account the account of their lines. */
export function groupedRows(
  { at }: Layout,
  { isGrouped }: RowMarks,
): (event: RowEvent) => readonly RowEvent[] {
  const { account } = at
  if (!isGrouped || account === undefined) return (event) => [event]
  let isWholeNext = true
  let held: RowEvent | null = null
  let own: string | null = null
  let lines = 0
  let isWhole = false
  const named = (event: RowEvent): RowEvent => {
    const cells = [...event.cells]
    cells[account] = own ?? ''
    return { ...event, cells }
  }
  return (event) => {
    if (event.kind === 'opening') {
      if (isWholeNext) {
        isWholeNext = false
        return [{ ...event, kind: 'wholeOpening' }]
      }
      const before = held
      held = event
      own = null
      lines = 0
      return before === null ? [] : [{ ...before, kind: 'unnamed' }]
    }
    if (event.kind === 'line') {
      lines++
      if (held === null) return [event]
      own = event.cells[account] ?? ''
      const opening = named(held)
      held = null
      return [opening, event]
    }
    if (event.kind === 'change') {
      isWhole = lines === 0 && held === null
      return isWhole ? [{ ...event, kind: 'grand' }] : own === null ? [] : [named(event)]
    }
    if (event.kind === 'closing') {
      const before = held
      const closing: RowEvent = isWhole || own === null ? { ...event, kind: 'wholeClosing' } : named(event)
      held = null
      own = null
      lines = 0
      if (before !== null) return [{ ...before, kind: 'unnamed' }]
      return [closing]
    }
    return [event]
  }
}
