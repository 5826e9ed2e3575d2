/**
 * What each row of a report is: the beginning of an account's section, a line, a balance brought forward, a total, the
 * last line with basis and time. By its form alone; no figure and no date is read here.
 */
import type { Cells } from '../../../text/delimited.ts'
import type { Layout } from './layout.ts'

interface Row {
  readonly row: number
  readonly cells: Cells
}

export type RowEvent =
  /** `depth` is the column of the label: some programs indent by columns. A balance may stand in the same row. */
  | (Row & {
      readonly kind: 'section'
      readonly label: string
      readonly depth: number
      readonly opening: boolean
    })
  | (Row & { readonly kind: 'line' })
  | (Row & { readonly kind: 'opening' | 'closing' })
  /** An empty label: the total of a journal entry, or of all of them. */
  | (Row & { readonly kind: 'total'; readonly label: string })
  /** Of the whole report. */
  | (Row & { readonly kind: 'grand' })
  /** Basis, day and time. */
  | (Row & { readonly kind: 'footer'; readonly label: string })
  /** What the lines of an account add up to since its last opening; nothing else. */
  | (Row & { readonly kind: 'change' })
  /** Opening and closing of all accounts together. */
  | (Row & { readonly kind: 'wholeOpening' | 'wholeClosing' })
  /** A balance brought forward that stands for no account. */
  | (Row & { readonly kind: 'unnamed' })
  /** Figures that none of these explains. */
  | (Row & { readonly kind: 'odd' })

const FOOTER = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b.*\d|\b(?:accrual|cash)\s+basis\b/i
const OPENING = /^(?:beginning|opening) balance$/i
const CLOSING = /^(?:closing|ending) balance$/i
/** A balance brought forward or at the end, in whichever column it says so. */
export const isBalanceLabel = (text: string): boolean => OPENING.test(text) || CLOSING.test(text)
const GRAND = /^(?:grand )?totals?$/i
const TOTAL = /^total\b/i
/** Xero's line of what a section moved by: the total above it says the same. */
const MOVEMENT = /^net movement$/i
/** A date, in whichever form; a number alone may be an account. */
const DATE =
  /^(?:\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\d{1,2}[-/. ]?[A-Za-z]{3,9}\.?[-/., ]*\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4})$/

export function rowReader(
  layout: Layout,
  /** Of a program with marks of its own. */
  own: ((row: number, cells: Cells) => RowEvent | null) | null = null,
): (row: number, cells: Cells) => RowEvent | null {
  const { at, header, headerRow, firstNamed } = layout
  const cell = (cells: Cells, position: number | undefined): string =>
    position === undefined ? '' : (cells[position] ?? '')
  const figures = [at.debit, at.credit, at.amount, at.balance].filter((position) => position !== undefined)
  const amounts = [at.debit, at.credit, at.amount].filter((position) => position !== undefined)
  const words = [at.date, at.account, at.name, at.memo, at.type].filter((position) => position !== undefined)
  const has = (cells: Cells, positions: readonly number[]): boolean =>
    positions.some((position) => cell(cells, position) !== '')
  const isHeader = (cells: Cells): boolean => header.every((text, i) => text === cell(cells, i))

  const labelOf = (cells: Cells): { label: string; depth: number } => {
    for (let depth = 0; depth <= firstNamed; depth++)
      if (cell(cells, depth) !== '') return { label: cell(cells, depth), depth }
    return { label: '', depth: 0 }
  }
  const said = (cells: Cells, pattern: RegExp): boolean => {
    for (let i = 0; i <= firstNamed; i++) if (pattern.test(cell(cells, i))) return true
    return words.some((position) => pattern.test(cell(cells, position)))
  }
  const isSingle = (cells: Cells): boolean => {
    let filled = 0
    for (const text of cells) if (text !== '' && ++filled > 1) return false
    return true
  }

  const ledgerRow = (row: number, cells: Cells): RowEvent | null => {
    const date = cell(cells, at.date)
    // Only rows of figures speak of balances: a memo may say these words too.
    const isLine = date !== '' && (at.date! > firstNamed || (DATE.test(date) && !isSingle(cells)))
    if ((!isLine || cell(cells, at.type) === '') && has(cells, figures)) {
      if (said(cells, OPENING)) return { kind: 'opening', row, cells }
      if (said(cells, CLOSING)) return { kind: 'closing', row, cells }
    }
    if (isLine) return { kind: 'line', row, cells }
    const { label, depth } = labelOf(cells)
    if (MOVEMENT.test(label)) return null
    if (isBalanceLabel(label)) return null
    if (GRAND.test(label)) return { kind: 'grand', row, cells }
    if (TOTAL.test(label) && has(cells, figures)) return { kind: 'total', row, cells, label }
    if (label !== '' && !has(cells, amounts))
      return { kind: 'section', row, cells, label, depth, opening: has(cells, figures) }
    if (!has(cells, figures)) return null
    return { kind: cells.some((text) => GRAND.test(text)) ? 'grand' : 'odd', row, cells }
  }

  const journalRow = (row: number, cells: Cells): RowEvent | null => {
    const { label, depth } = labelOf(cells)
    const account = cell(cells, at.account) || cell(cells, at.code)
    if (GRAND.test(label) && account !== label) return { kind: 'grand', row, cells }
    if (TOTAL.test(label) && account !== label && has(cells, amounts))
      return { kind: 'total', row, cells, label }
    const named = TOTAL.test(account) && cell(cells, at.date) === ''
    if (account === '' || named)
      return has(cells, amounts)
        ? { kind: 'total', row, cells, label: '' }
        : label !== '' && isSingle(cells)
          ? { kind: 'section', row, cells, label, depth, opening: false }
          : null
    return { kind: 'line', row, cells }
  }

  const read = layout.kind === 'journal' ? journalRow : (own ?? ledgerRow)
  return (row, cells) => {
    if (row <= headerRow || cells.every((text) => text === '') || isHeader(cells)) return null
    if (isSingle(cells)) {
      const label = cells.find((text) => text !== '')!
      if (FOOTER.test(label)) return { kind: 'footer', row, cells, label }
    }
    return read(row, cells)
  }
}
