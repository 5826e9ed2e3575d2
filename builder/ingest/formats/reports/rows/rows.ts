/**
 * What each row of a report is: the beginning of an account's section, a line, a balance brought forward, a total, the
 * last line with basis and time. By its form alone; no figure and no date is read here.
 */
import type { Cells } from '../../../text/delimited.ts'
import { cellOf, onlyText } from './cells.ts'
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
  /** The total of the whole report. */
  | (Row & { readonly kind: 'grand' })
  /** Basis, day and time. */
  | (Row & { readonly kind: 'footer'; readonly label: string })
  /** The sum of an account's lines since its last opening. */
  | (Row & { readonly kind: 'change' })
  /** Opening and closing of all accounts together. */
  | (Row & { readonly kind: 'wholeOpening' | 'wholeClosing' })
  /** A balance brought forward without an account. */
  | (Row & { readonly kind: 'unnamed' })
  /** A row with figures that is none of these. */
  | (Row & { readonly kind: 'odd' })

const FOOTER = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b.*\d|\b(?:accrual|cash)\s+basis\b/i
const OPENING = ['beginning balance', 'opening balance']
const CLOSING = ['closing balance', 'ending balance']
/** Most cells have another length, and need not be put into small letters. */
const isOneOf = (labels: readonly string[], text: string): boolean =>
  labels.some((label) => label.length === text.length && label === text.toLowerCase())
/** The words of a balance brought forward or at the end, in whichever column they stand. */
export const isBalanceLabel = (text: string): boolean => isOneOf(OPENING, text) || isOneOf(CLOSING, text)
const GRAND = /^(?:grand )?totals?$/i
const TOTAL = /^total\b/i
/** Xero's row of the movement of a section, which repeats the total above it. */
const MOVEMENT = /^net movement$/i
/** A date, in whichever form; a number alone may be an account. */
export const DATE =
  /^(?:\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\d{1,2}[-/. ]?[A-Za-z]{3,9}\.?[-/., ]*\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4})$/

/** Reads the rows of one report, by the words of QuickBooks and Xero unless a program marks its rows itself. */
export class RowReader {
  readonly #layout: Layout
  readonly #read: (row: number, cells: Cells) => RowEvent | null
  /** Columns of amounts, and these with the balance. */
  readonly #amounts: readonly number[]
  readonly #figures: readonly number[]
  readonly #words: readonly number[]

  /** `own` reads the rows of a ledger whose program marks them. */
  constructor(layout: Layout, own: ((row: number, cells: Cells) => RowEvent | null) | null) {
    const { at } = layout
    const placed = (...positions: readonly (number | undefined)[]) =>
      positions.filter((position) => position !== undefined)
    this.#layout = layout
    this.#read = layout.kind === 'journal' ? this.#journalRow : (own ?? this.#ledgerRow)
    this.#amounts = placed(at.debit, at.credit, at.amount)
    this.#figures = placed(at.debit, at.credit, at.amount, at.balance)
    this.#words = placed(at.date, at.account, at.name, at.memo, at.type)
  }

  /** Null for rows above the lines, blank ones, and headers that are repeated. */
  event(row: number, cells: Cells): RowEvent | null {
    const { header, headerRow } = this.#layout
    if (row <= headerRow || cells.every((text) => text === '')) return null
    if (header.every((text, i) => text === cellOf(cells, i))) return null
    const label = onlyText(cells)
    if (label !== null && FOOTER.test(label.slice(0, 500))) return { kind: 'footer', row, cells, label }
    return this.#read(row, cells)
  }

  #ledgerRow = (row: number, cells: Cells): RowEvent | null => {
    const { at, firstNamed } = this.#layout
    const date = cellOf(cells, at.date)
    const isApart = (at.date ?? 0) > firstNamed
    const isLine = date !== '' && (isApart || (DATE.test(date) && onlyText(cells) === null))
    if (isLine && cellOf(cells, at.type) !== '') return { kind: 'line', row, cells }
    const hasFigures = this.#has(cells, this.#figures)
    // Only rows of figures state balances: a memo may hold these words too.
    if (hasFigures) {
      if (this.#says(cells, OPENING)) return { kind: 'opening', row, cells }
      if (this.#says(cells, CLOSING)) return { kind: 'closing', row, cells }
    }
    if (isLine) return { kind: 'line', row, cells }
    const { label, depth } = this.#labelOf(cells)
    if (MOVEMENT.test(label) || isBalanceLabel(label)) return null
    if (GRAND.test(label)) return { kind: 'grand', row, cells }
    if (TOTAL.test(label) && hasFigures) return { kind: 'total', row, cells, label }
    if (label !== '' && !this.#has(cells, this.#amounts))
      return { kind: 'section', row, cells, label, depth, opening: hasFigures }
    if (!hasFigures) return null
    return { kind: cells.some((text) => GRAND.test(text)) ? 'grand' : 'odd', row, cells }
  }

  #journalRow = (row: number, cells: Cells): RowEvent | null => {
    const { at } = this.#layout
    const { label, depth } = this.#labelOf(cells)
    const account = cellOf(cells, at.account) || cellOf(cells, at.code)
    const hasAmounts = this.#has(cells, this.#amounts)
    if (GRAND.test(label) && account !== label) return { kind: 'grand', row, cells }
    if (TOTAL.test(label) && account !== label && hasAmounts) return { kind: 'total', row, cells, label }
    const isTotal = TOTAL.test(account) && cellOf(cells, at.date) === ''
    if (account !== '' && !isTotal) return { kind: 'line', row, cells }
    if (hasAmounts) return { kind: 'total', row, cells, label: '' }
    if (label === '' || onlyText(cells) === null) return null
    return { kind: 'section', row, cells, label, depth, opening: false }
  }

  /** The first cell that is filled, up to the first column that has a header. */
  #labelOf(cells: Cells): { readonly label: string; readonly depth: number } {
    for (let depth = 0; depth <= this.#layout.firstNamed; depth++) {
      const label = cellOf(cells, depth)
      if (label !== '') return { label, depth }
    }
    return { label: '', depth: 0 }
  }

  #says(cells: Cells, labels: readonly string[]): boolean {
    for (let i = 0; i <= this.#layout.firstNamed; i++) if (isOneOf(labels, cellOf(cells, i))) return true
    return this.#words.some((position) => isOneOf(labels, cellOf(cells, position)))
  }

  #has = (cells: Cells, positions: readonly number[]): boolean =>
    positions.some((position) => cellOf(cells, position) !== '')
}
