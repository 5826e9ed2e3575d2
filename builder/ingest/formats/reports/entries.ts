/** Which entry each line of a report belongs to: by its number, by the rows around it, or by what its lines share. */

import { nameOf, type Shared } from '../../format/entry-names.ts'
import type { Cells } from '../../text/delimited.ts'
import { cellOf } from './rows/cells.ts'
import type { EntryForm, Layout, ReportFamily } from './rows/layout.ts'
import { CARRIED } from './rows/left-out.ts'

export interface EntryLine {
  readonly cells: Cells
  /** As the file states it; null where the entry is known by grouping, or by its date and words. */
  readonly number: string | null
  /** Counts the entries of a journal without numbers. */
  readonly entry: number
}

/** Follows the rows of one report. */
export class EntryReader {
  readonly #layout: Layout
  readonly #form: EntryForm
  #carried: Cells = []
  #label = ''
  #entry = 0
  #ended = true

  constructor({ layout, entries }: { readonly layout: Layout; readonly entries: EntryForm }) {
    this.#layout = layout
    this.#form = entries
  }

  /** A row of its own that numbers the entry below it. */
  begin(label: string): void {
    this.#label = label
    this.#carried = []
  }

  /** The total of an entry. */
  end(): void {
    this.#ended = true
    this.#label = ''
  }

  line(own: Cells): EntryLine {
    const { at, kind } = this.#layout
    if (kind !== 'journal') {
      const number = plainNumber(cellOf(own, at.id))
      return { cells: own, number: number === '' ? null : number, entry: 0 }
    }
    const starts =
      this.#form === 'continued' ? cellOf(own, at.date) !== '' : this.#form === 'totalled' && this.#ended
    if (starts) this.#entry++
    this.#ended = false
    // A row that begins an entry takes nothing from the one before.
    const isNew = starts || cellOf(own, at.id) !== ''
    const cells = [...own]
    for (const role of CARRIED) {
      const position = at[role]
      if (position === undefined || cellOf(own, position) !== '') continue
      if (!isNew || role === 'date') cells[position] = cellOf(this.#carried, position)
    }
    this.#carried = cells
    const number = plainNumber(cellOf(cells, at.id) || this.#label)
    return { cells, number: number === '' ? null : number, entry: this.#entry }
  }
}

/** `364,616` is the number 364616, printed like an amount. */
const plainNumber = (text: string): string =>
  /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text

/** The groups that a line without a number may count in: those of its day that share what the program's lines of one entry share, and the day at last. */
export const sharedBy = ({ grouping }: Pick<ReportFamily, 'grouping'>): readonly (readonly Shared[])[] =>
  [...grouping, []].map((columns) => ['date', ...columns])

/** Tells entries of one date and the same words apart by their order. Dates come in order, so that few are kept. */
export class EntryNames {
  #date = ''
  #counts = new Map<string, number>()
  #entry = -1
  #name = ''

  nameOf(entry: number, date: string, words: readonly string[]): string {
    if (entry === this.#entry) return this.#name
    if (date !== this.#date) this.#counts = new Map()
    this.#date = date
    this.#entry = entry
    const name = nameOf(date, ...words)
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    this.#name = count === 1 ? name : `${name} (${count})`
    return this.#name
  }
}
