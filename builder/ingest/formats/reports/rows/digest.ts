/**
 * What the rows of a report say to the first reading, in short: lines that follow each other are one piece. Rows are read without those
 * above them, so that several threads can read parts of a report; in which section each stands is found where all pieces are.
 */

import { countValue } from '../../../claims/claims.ts'
import type { FirstRows } from '../../../format/first-rows.ts'
import type { Cells } from '../../../text/delimited.ts'
import { cellOf } from './cells.ts'
import { FigureForms } from './figures.ts'
import { JournalPlaces } from './journal-places.ts'
import type { EntryForm, Layout } from './layout.ts'
import { leftOutTest } from './left-out.ts'
import { keyOf } from './names.ts'
import type { Place } from './places.ts'
import { AccountAbove, accountText, kept, type ReadRow, type ReadRows } from './walk.ts'

export type Piece = EventDigest | LinesDigest

/** A row that is no line. Of a journal, totals and headings of entries are only counted. */
export interface EventDigest extends ReadRow {
  readonly kind: 'event'
  /** In bytes; null where it is not known or not asked for. */
  readonly start: number | null
}

/** Lines without any other row between them. */
export interface LinesDigest {
  readonly kind: 'lines'
  readonly start: number | null
  /** Their first row. */
  readonly first: number
  count: number
  /** As they name their accounts. */
  readonly accounts: LinesOfAccount[]
  /** What the last of them states as its balance. */
  balance: string
}

/** Lines that write their account alike; the first one of them. */
export interface LinesOfAccount {
  readonly row: number
  readonly cells: Cells
  /** Of lines that name no account: the first and the last of those that follow each other. Else null. */
  readonly unnamed: [first: number, last: number][] | null
}

export interface RowFacts {
  /** The last row that is not blank. */
  readonly last: number | null
  readonly dates: FirstRows
  readonly currencies: FirstRows
  /** Dimension id → its members. */
  readonly members: ReadonlyMap<string, FirstRows>
  /** One figure of each form. */
  readonly figures: readonly string[]
  /** A line leaves out the date. */
  readonly isContinued: boolean
  readonly journal: JournalFacts
  /** Of columns that nobody reads: position → how many lines hold each value. */
  readonly values: ReadonlyMap<number, ReadonlyMap<string, number>>
}

/** Of a journal: what its totals and headings say. */
export interface JournalFacts {
  readonly hasHeadings: boolean
  readonly totals: number
  /** Whether lines stand below the last total; null where there is neither. */
  readonly isOpen: boolean | null
  readonly places: readonly Place[]
}

export class RowDigest {
  readonly #layout: Layout
  readonly #places: JournalPlaces | null
  readonly #isDivided: boolean
  readonly #dates = new Map<string, number>()
  readonly #currencies = new Map<string, number>()
  readonly #members = new Map<string, Map<string, number>>()
  /** The same by the position of the dimension's column. */
  readonly #dimensions: readonly { readonly at: number; readonly members: Map<string, number> }[]
  readonly #figures = new FigureForms()
  readonly #figureColumns: readonly number[]
  readonly #values: ReadonlyMap<number, Map<string, number>>
  readonly #isLeftOut: (cells: Cells) => boolean
  #pieces: Piece[] = []
  #lines: LinesDigest | null = null
  /** The lines of the piece by how they write their account. */
  #byAccount = new Map<string, LinesOfAccount>()
  #above: AccountAbove<LinesOfAccount>
  #isContinued = false
  #hasHeadings = false
  #totals = 0
  #isOpen: boolean | null = null
  #last: number | null = null

  /** `partBytes`: how far places to divide the report at should be from each other; null where it is not to be divided. */
  constructor(layout: Layout, partBytes: number | null) {
    this.#layout = layout
    this.#above = new AccountAbove(layout)
    this.#isDivided = partBytes !== null
    this.#places =
      partBytes !== null && layout.kind === 'journal' ? new JournalPlaces(layout, partBytes) : null
    this.#figureColumns = figuresOf(layout)
    this.#values = new Map(layout.unread.map((at) => [at, new Map()]))
    this.#isLeftOut = leftOutTest(layout)
    this.#dimensions = layout.dimensions.map(({ id, at }) => {
      const members = this.#members.get(id) ?? new Map<string, number>()
      this.#members.set(id, members)
      return { at, members }
    })
  }

  /** The pieces of these rows, which follow those that were given before. */
  piecesOf(batch: ReadRows): readonly Piece[] {
    this.#pieces = []
    for (const row of batch.rows) this.#add(row, batch)
    this.#endLines()
    return this.#pieces
  }

  get facts(): RowFacts {
    return {
      last: this.#last,
      dates: this.#dates,
      currencies: this.#currencies,
      members: this.#members,
      figures: this.#figures.all,
      isContinued: this.#isContinued,
      values: this.#values,
      journal: {
        hasHeadings: this.#hasHeadings,
        totals: this.#totals,
        isOpen: this.#isOpen,
        places: this.#places?.kept.all ?? [],
      },
    }
  }

  #add(read: ReadRow, batch: ReadRows): void {
    const { event, own } = read
    const { row, cells, kind } = event
    this.#places?.add(read, batch, entryFormOf(this.#layout, this.#formFacts))
    this.#last = row
    for (const position of this.#figureColumns) {
      const text = cellOf(cells, position)
      if (text !== '') this.#figures.add(text)
    }
    if (kind === 'line') this.#line(row, cells, batch)
    else if (this.#layout.kind === 'journal' && kind === 'section') this.#hasHeadings = true
    else if (this.#layout.kind === 'journal' && kind === 'total') {
      this.#totals++
      this.#isOpen = false
    } else {
      this.#endLines()
      this.#pieces.push({ kind: 'event', event, own, start: this.#startOf(row, batch) })
    }
  }

  get #formFacts(): FormFacts {
    return { hasHeadings: this.#hasHeadings, isContinued: this.#isContinued, totals: this.#totals }
  }

  #line(row: number, cells: Cells, batch: ReadRows): void {
    const { at } = this.#layout
    const isLeftOut = this.#isLeftOut(cells)
    if (isLeftOut && this.#layout.kind === 'journal') return
    const isFirst = this.#layout.kind === 'ledger' || cellOf(cells, at.date) !== ''
    // Lines below the first one of an entry may leave out what they share.
    for (const [position, values] of isLeftOut ? [] : this.#values)
      if (isFirst || cellOf(cells, position) !== '') countValue(values, kept(cellOf(cells, position)))
    if (this.#layout.kind === 'journal') this.#isOpen = true
    const date = cellOf(cells, at.date)
    if (date === '') this.#isContinued = true
    else note(this.#dates, date, row)
    note(this.#currencies, cellOf(cells, at.currency), row)
    for (const dimension of this.#dimensions) note(dimension.members, cellOf(cells, dimension.at), row)
    this.#lines ??= {
      ...{ kind: 'lines', start: this.#startOf(row, batch), first: row, count: 0 },
      ...{ accounts: [], balance: '' },
    }
    const lines = this.#lines
    lines.count++
    lines.balance = cellOf(cells, at.balance)
    const { unnamed } = this.#above.of(cells, null, () => this.#ofSameAccount(lines, row, cells))
    const rows = unnamed?.at(-1)
    if (rows?.[1] === row - 1) rows[1] = row
    else unnamed?.push([row, row])
  }

  #ofSameAccount({ accounts }: LinesDigest, row: number, cells: Cells): LinesOfAccount {
    const { at } = this.#layout
    const key = keyOf({ path: [cellOf(cells, at.account)], code: cellOf(cells, at.code) })
    let found = this.#byAccount.get(key)
    if (found === undefined) {
      found = { row, cells, unnamed: accountText(this.#layout, cells, null) === null ? [] : null }
      this.#byAccount.set(key, found)
      accounts.push(found)
    }
    return found
  }

  #endLines(): void {
    if (this.#lines === null) return
    this.#pieces.push(this.#lines)
    this.#lines = null
    this.#byAccount = new Map()
    this.#above = new AccountAbove(this.#layout)
  }

  #startOf = (row: number, batch: ReadRows): number | null =>
    this.#isDivided && this.#layout.kind === 'ledger' ? batch.startOf(row) : null
}

/** What shows how entries are told apart. */
export type FormFacts = Pick<JournalFacts, 'hasHeadings' | 'totals'> & Pick<RowFacts, 'isContinued'>

export function entryFormOf(
  { kind, at }: Layout,
  { hasHeadings, isContinued, totals }: FormFacts,
): EntryForm {
  if (at.id !== undefined || hasHeadings) return 'numbered'
  if (kind !== 'journal') return 'none'
  return isContinued ? 'continued' : totals > 0 ? 'totalled' : 'none'
}

/** Notes where a text stands first; an empty one is nothing to note. */
function note(texts: Map<string, number>, text: string, row: number): void {
  if (text !== '' && !texts.has(text)) texts.set(kept(text), row)
}

export const figuresOf = ({ at }: Layout): readonly number[] =>
  [at.debit, at.credit, at.amount, at.balance].filter((position) => position !== undefined)
