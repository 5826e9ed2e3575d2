/**
 * Where a report can be read on without the rows above: in front of a section that is inside no other one, of the next
 * account's balance brought forward, or of the first entry of a day. What stands above must neither be needed to read
 * the rows below nor be compared with them.
 */
import type { Cells } from '../../../text/delimited.ts'
import { cellOf } from './cells.ts'
import type { EntryForm, Layout, Role } from './layout.ts'
import type { RowEvent } from './rows.ts'
import type { Sections } from './sections.ts'
import type { Step, Steps, Stretch } from './walk.ts'

/** Columns that the rows below the first one of an entry leave out. */
export const CARRIED = ['id', 'date', 'type', 'num'] as const satisfies readonly Role[]

interface Place {
  /** In bytes. */
  readonly start: number
  readonly rows: number
  readonly sections: number
  /** Of a journal: the days above and below, as written, and how its entries were told apart there. */
  readonly days: readonly [above: string, below: string] | null
  readonly form: EntryForm
}

/** Sees the rows of a report in order, and keeps a place for each `bytes`, and the last one of all. */
export class Places {
  readonly #layout: Layout
  readonly #sections: Sections
  readonly #bytes: number
  readonly #kept: Place[] = []
  #last: Place | null = null
  #isOver = false
  #above: RowEvent['kind'] | null = null
  /** Day and number of the line above, as written. */
  #day = ''
  #id = ''
  /** Totals stand below entries, and whether lines stand below the last one. */
  #hasTotals = false
  #isOpen = false
  /** The row above, where it numbers the entry below it. */
  #heading: { readonly row: number; readonly start: number } | null = null

  constructor(layout: Layout, sections: Sections, bytes: number) {
    this.#layout = layout
    this.#sections = sections
    this.#bytes = bytes
  }

  /** `form` is how entries are told apart, judging by the rows so far. */
  step(step: Step, startOf: Steps['startOf'], form: EntryForm): void {
    const { event, closed } = step
    // Totals of the whole are compared with all that is above.
    if (WHOLE_SUMS.has(event.kind)) this.#isOver = true
    if (!this.#isOver) {
      if (this.#layout.kind === 'journal') this.#inJournal(step, startOf, form)
      else if (this.#beginsAccount(step))
        this.#found(event.row, startOf(event.row), { sections: step.section ?? 0, days: null, form })
      if (closed !== null) this.#leave(closed)
    }
    this.#above = event.kind
  }

  /** The stretches between the places; the last one goes on to the end of the report. Empty where the report cannot be divided. */
  stretches(form: EntryForm, isLaterDay: (above: string, below: string) => boolean): readonly Stretch[] {
    const places = [...this.#kept, ...(this.#last === null ? [] : [this.#last])].filter(
      (place) => place.form === form && (place.days === null || isLaterDay(...place.days)),
    )
    if (places.length === 0) return []
    const starts = [{ start: 0, rows: 0, sections: 0 }, ...places]
    return starts.map(({ start, rows, sections }, i) => ({
      range: { start, end: starts[i + 1]?.start ?? Number.POSITIVE_INFINITY },
      rows,
      sections,
      last: starts[i + 1]?.rows ?? null,
    }))
  }

  #beginsAccount(step: Step): boolean {
    const { event, section } = step
    const { marks } = this.#layout
    if (marks?.headings === 'none')
      return event.kind === 'opening' && this.#above === 'closing' && this.#isSameAlone(step)
    return event.kind === 'section' && section !== null && this.#sections.isTop(section)
  }

  #inJournal(step: Step, startOf: Steps['startOf'], form: EntryForm): void {
    const { kind, row, cells } = step.event
    if (kind === 'section') {
      const start = startOf(row)
      this.#heading = start === null ? null : { row, start }
      return
    }
    if (kind === 'total') {
      // Without totals, no place was inside what this one is the sum of.
      if (!this.#hasTotals) this.#leaveAll()
      this.#hasTotals = true
      this.#isOpen = false
    }
    const { at } = this.#layout
    const day = cellOf(cells, at.date)
    const id = cellOf(cells, at.id)
    if (kind === 'line' && this.#day !== '' && day !== '' && day !== this.#day) {
      const begin = this.#heading ?? { row, start: null }
      if (!(this.#hasTotals && this.#isOpen) && this.#beginsEntry(step, form) && this.#isSameAlone(step))
        this.#found(begin.row, begin.start ?? startOf(row), { sections: 0, days: [this.#day, day], form })
    }
    this.#heading = null
    if (kind !== 'line') return
    this.#isOpen = true
    if (day !== '') this.#day = day
    this.#id = id
  }

  #beginsEntry({ event: { cells } }: Step, form: EntryForm): boolean {
    const { at } = this.#layout
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

  /** Whether the row reads the same where none above it was read. */
  #isSameAlone({ own, event: { cells } }: Step): boolean {
    const alone = this.#layout.plainRows?.(this.#layout)(own)
    return alone === undefined || isSame(alone, cells)
  }

  #found(row: number, start: number | null, about: Omit<Place, 'start' | 'rows'>): void {
    if (start === null || this.#above === null) return
    const place = { start, rows: row - 1, ...about }
    if (start - (this.#kept.at(-1)?.start ?? 0) >= this.#bytes) {
      this.#kept.push(place)
      this.#last = null
    } else this.#last = place
  }

  #leaveAll(): void {
    this.#kept.splice(0)
    this.#last = null
  }

  /** A total may be of a section that was closed already, and includes those that followed. */
  #leave(closed: number): void {
    while ((this.#kept.at(-1)?.sections ?? 0) > closed) this.#kept.pop()
    if ((this.#last?.sections ?? 0) > closed) this.#last = null
  }
}

const WHOLE_SUMS: ReadonlySet<RowEvent['kind']> = new Set(['grand', 'wholeClosing'])

const isSame = (a: Cells, b: Cells): boolean => a.length === b.length && a.every((cell, i) => cell === b[i])
