/** Places in a report by account: between two accounts; and between two lines of one, where the upper one states the balance. */
import type { LinesDigest } from './digest.ts'
import type { EntryForm, Layout } from './layout.ts'
import { KeptPlaces } from './places.ts'
import { isSameAlone } from './plain-rows.ts'
import type { RowEvent } from './rows.ts'
import type { Sections } from './sections.ts'
import { kept, type Step } from './walk.ts'

/** Told of all rows in their order. */
export class LedgerPlaces {
  readonly kept: KeptPlaces
  readonly #layout: Layout
  readonly #sections: Sections
  /** Entries are told apart alike in all of a ledger. */
  readonly #form: EntryForm
  #above: RowEvent['kind'] | null = null
  /** What the row above states as the balance, if it is a line. */
  #balance = ''
  /** How many sections began. */
  #begun = 0
  #isOver = false

  constructor(layout: Layout, sections: Sections, bytes: number, form: EntryForm) {
    this.kept = new KeptPlaces(bytes)
    this.#layout = layout
    this.#sections = sections
    this.#form = form
  }

  /** A row that is no line; `start` is where it begins. */
  event(step: Step, start: number | null): void {
    const { event, closed } = step
    // Totals of the whole are compared with all that is above.
    if (WHOLE_SUMS.has(event.kind)) this.#isOver = true
    if (this.#above !== null && !this.#isOver) {
      if (this.#beginsAccount(step)) this.#add(event.row, start, [], '')
      // The total of an account that was closed already includes those that followed.
      if (closed !== null && this.#layout.marks !== null) this.kept.leaveBehind(closed)
    }
    if (event.kind === 'section') this.#begun++
    this.#above = event.kind
    this.#balance = ''
  }

  /** Lines of one section, which go on from the balance of the line above. */
  lines({ start, first, balance }: LinesDigest, section: number | null, depth: number): void {
    if (this.#balance !== '' && section !== null && !this.#isOver) {
      const open = this.#sections.chainOf(section)
      // A total further below may have put the section inside of one that was closed already.
      if (open.length === depth) this.#add(first, start, open, this.#balance)
    }
    this.#above = 'line'
    this.#balance = this.#layout.marks === null ? balance : ''
  }

  #beginsAccount(step: Step): boolean {
    const { event, section } = step
    if (this.#layout.marks?.headings === 'none')
      return event.kind === 'opening' && this.#above === 'closing' && isSameAlone(this.#layout, step)
    return event.kind === 'section' && section !== null && this.#sections.chainOf(section).length === 1
  }

  #add(row: number, start: number | null, open: readonly number[], balance: string): void {
    if (start === null) return
    const place = { start, rows: row - 1, sections: this.#begun, open, balance: kept(balance) }
    this.kept.add({ ...place, days: null, form: this.#form })
  }
}

const WHOLE_SUMS: ReadonlySet<RowEvent['kind']> = new Set(['grand', 'wholeClosing'])
