/** Places in a journal: in front of the first entry of a day. Entries of one day are compared with each other. */
import { cellOf } from './cells.ts'
import type { EntryForm, Layout, Role } from './layout.ts'
import { KeptPlaces, type Places } from './places.ts'
import { isSameAlone } from './plain-rows.ts'
import type { RowEvent } from './rows.ts'
import { kept, type Step, type Steps } from './walk.ts'

/** Columns that the rows below the first one of an entry leave out. */
export const CARRIED = ['id', 'date', 'type', 'num'] as const satisfies readonly Role[]

export class JournalPlaces implements Places {
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
  #heading: { readonly row: number; readonly batch: Steps } | null = null
  #isOver = false

  constructor(layout: Layout, bytes: number) {
    this.kept = new KeptPlaces(bytes)
    this.#layout = layout
  }

  step(step: Step, batch: Steps, form: EntryForm): void {
    const { kind } = step.event
    // The total of the whole is compared with all that is above.
    if (kind === 'grand') this.#isOver = true
    if (!this.#isOver) this.#see(step, batch, form)
    this.#above = kind
  }

  #see(step: Step, batch: Steps, form: EntryForm): void {
    const { kind, row, cells } = step.event
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
    if (isNewDay && this.#beginsEntry(step, form)) {
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

  #beginsEntry(step: Step, form: EntryForm): boolean {
    if ((this.#hasTotals && this.#isOpen) || !isSameAlone(this.#layout, step)) return false
    const { at } = this.#layout
    const { cells } = step.event
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
