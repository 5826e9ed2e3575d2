/** Places in a journal: in front of the first entry of a day. Entries of one day are compared with each other. */
import { cellOf } from './cells.ts'
import type { EntryForm, Layout, Role } from './layout.ts'
import { KeptPlaces } from './places.ts'
import { isSameAlone } from './plain-rows.ts'
import type { RowEvent } from './rows.ts'
import { kept, type ReadRow, type ReadRows } from './walk.ts'

/** Columns that the rows below the first one of an entry leave out. */
export const CARRIED = ['id', 'date', 'type', 'num'] as const satisfies readonly Role[]

export class JournalPlaces {
  readonly kept: KeptPlaces
  readonly #layout: Layout
  #above: RowEvent['kind'] | null = null
  /** Day and number of the line above, as written. */
  #day = ''
  #id = ''
  /** Totals stand below entries, and whether lines stand below the last one. */
  #hasTotals = false
  #isOpen = false
  /** The row above, where it numbers the entry below it. */
  #heading: { readonly row: number; readonly batch: ReadRows } | null = null
  #isOver = false

  constructor(layout: Layout, bytes: number) {
    this.kept = new KeptPlaces(bytes)
    this.#layout = layout
  }

  /** `form` is how entries are told apart, judging by the rows so far. */
  add(row: ReadRow, batch: ReadRows, form: EntryForm): void {
    const { kind } = row.event
    // The total of the whole is compared with all that is above.
    if (kind === 'grand') this.#isOver = true
    if (!this.#isOver) this.#see(row, batch, form)
    this.#above = kind
  }

  #see(read: ReadRow, batch: ReadRows, form: EntryForm): void {
    const { kind, row, cells } = read.event
    if (kind === 'section') {
      this.#heading = { row, batch }
      return
    }
    if (kind === 'total') {
      // Without totals, no place was inside what this one is the sum of.
      if (!this.#hasTotals) this.kept.leaveAll()
      this.#hasTotals = true
      this.#isOpen = false
    }
    const { at } = this.#layout
    const day = cellOf(cells, at.date)
    const isNewDay = kind === 'line' && this.#day !== '' && day !== '' && day !== this.#day
    if (isNewDay && this.#beginsEntry(read, form)) {
      const begin = this.#heading ?? { row, batch }
      this.#add(begin.row, begin.batch.startOf(begin.row), day, form)
    }
    this.#heading = null
    if (kind !== 'line') return
    this.#isOpen = true
    if (day !== '') this.#day = kept(day)
    this.#id = kept(cellOf(cells, at.id))
  }

  #add(row: number, start: number | null, day: string, form: EntryForm): void {
    if (start === null) return
    const days = [this.#day, kept(day)] as const
    this.kept.add({ start, rows: row - 1, sections: 0, open: [], balance: '', days, form })
  }

  #beginsEntry(read: ReadRow, form: EntryForm): boolean {
    if ((this.#hasTotals && this.#isOpen) || !isSameAlone(this.#layout, read)) return false
    const { at } = this.#layout
    const { cells } = read.event
    if (form === 'numbered') {
      const id = cellOf(cells, at.id)
      return at.id === undefined ? this.#heading !== null : id !== '' && id !== this.#id
    }
    if (form === 'totalled') return this.#above === 'total'
    return (
      form === 'continued' ||
      CARRIED.every((role) => at[role] === undefined || cellOf(cells, at[role]) !== '')
    )
  }
}
