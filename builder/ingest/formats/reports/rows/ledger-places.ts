/** Places in a report by account: between two accounts; and between two lines of one, where the upper one states the balance. */
import { cellOf } from './cells.ts'
import type { EntryForm, Layout } from './layout.ts'
import { KeptPlaces, type Places } from './places.ts'
import { isSameAlone } from './plain-rows.ts'
import type { RowEvent } from './rows.ts'
import type { Sections } from './sections.ts'
import { kept, type Step, type Steps } from './walk.ts'

export class LedgerPlaces implements Places {
  readonly kept: KeptPlaces
  readonly #layout: Layout
  readonly #sections: Sections
  #above: RowEvent | null = null
  /** How many sections began. */
  #begun = 0
  #isOver = false

  constructor(layout: Layout, sections: Sections, bytes: number) {
    this.kept = new KeptPlaces(bytes)
    this.#layout = layout
    this.#sections = sections
  }

  step(step: Step, batch: Steps, form: EntryForm): void {
    const { event, closed } = step
    const { marks } = this.#layout
    // Totals of the whole are compared with all that is above.
    if (WHOLE_SUMS.has(event.kind)) this.#isOver = true
    if (this.#above !== null && !this.#isOver) {
      if (this.#beginsAccount(step)) this.#add(step, batch, form, [], '')
      else if (this.#goesOn(step) && this.kept.isFar(batch.leastStartOf(event.row)))
        this.#addWithin(step, batch, form, this.#balanceOf(this.#above))
      // The total of an account that was closed already includes those that followed.
      if (closed !== null && marks !== null) this.kept.leaveBehind(closed)
    }
    if (event.kind === 'section') this.#begun++
    this.#above = event
  }

  #beginsAccount(step: Step): boolean {
    const { event, section } = step
    if (this.#layout.marks?.headings === 'none')
      return event.kind === 'opening' && this.#above?.kind === 'closing' && isSameAlone(this.#layout, step)
    return event.kind === 'section' && section !== null && this.#sections.chainOf(section).length === 1
  }

  /** The line goes on from the balance of the line above. */
  #goesOn({ event, section }: Step): boolean {
    const above = this.#above
    if (this.#layout.marks !== null || event.kind !== 'line' || section === null) return false
    return above?.kind === 'line' && this.#balanceOf(above) !== ''
  }

  #balanceOf = ({ cells }: RowEvent): string => cellOf(cells, this.#layout.at.balance)

  #addWithin(step: Step, batch: Steps, form: EntryForm, balance: string): void {
    const open = step.section === null ? [] : this.#sections.chainOf(step.section)
    // A total further below may have put the section inside of one that was closed already.
    if (open.length === step.depth) this.#add(step, batch, form, open, balance)
  }

  #add(
    { event: { row } }: Step,
    batch: Steps,
    form: EntryForm,
    open: readonly number[],
    balance: string,
  ): void {
    const start = batch.startOf(row)
    if (start === null) return
    const place = { start, rows: row - 1, sections: this.#begun, open, balance: kept(balance) }
    this.kept.add({ ...place, days: null, form })
  }
}

const WHOLE_SUMS: ReadonlySet<RowEvent['kind']> = new Set(['grand', 'wholeClosing'])
