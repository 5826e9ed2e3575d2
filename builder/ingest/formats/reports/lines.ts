/** The lines of one report in order, each with its account, its date and its figures, exactly, and which entry it belongs to. */

import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { nameOf, type Shared } from '../../format/entry-names.ts'
import type { Cells } from '../../text/delimited.ts'
import { serialRemedy } from '../../text/months.ts'
import type { RowFigures } from './measure/row-figures.ts'
import type { Figures } from './measure/sums.ts'
import { cellOf, columnAt } from './rows/cells.ts'
import type { EntryForm, Layout, ReportFamily } from './rows/layout.ts'
import { CARRIED } from './rows/left-out.ts'
import { keyOf } from './rows/names.ts'
import type { ReadableReport } from './rows/scan.ts'
import { accountText, askedOnce } from './rows/walk.ts'

export interface LineContext {
  readonly currency: string
  /** Account id of an account's text. */
  readonly idOf: (key: string) => string | null
  /** The kind of the account is not known: without sides its amounts have no sign. */
  readonly isUnknown: (id: string) => boolean
}

export type Line = {
  readonly row: number
  readonly cells: Cells
  readonly id: string
  readonly date: string
  readonly number: string | null
  /** Of an entry without a number whose rows show where it begins and ends. */
  readonly name: string | null
  readonly entry: number
  readonly figures: Figures
  readonly section: number | null
}

/** A line that cannot be read, and what is known of it: the findings say what is wrong. */
export interface LostLine {
  readonly row: number
  readonly cells: Cells
  readonly section: number | null
  readonly id: string | null
  readonly date: string | null
  readonly number: string | null
  readonly name: string | null
  readonly entry: number
  readonly figures: null
  /** Its amount, where that can be read. */
  readonly net: number | null
}

export const hasSides = ({ layout: { at } }: Pick<ReadableReport, 'layout'>): boolean =>
  at.debit !== undefined && at.credit !== undefined

/** Lines of one report in order, each with its account, its date and its figures. Call for every row, in order. */
export class LineReader {
  readonly #report: ReadableReport
  readonly #context: LineContext
  readonly #amounts: RowFigures
  readonly #entries: EntryReader
  readonly #names = new EntryNames()
  readonly #tell: (found: Finding) => void

  constructor(
    report: ReadableReport,
    amounts: RowFigures,
    context: LineContext,
    tell: (found: Finding) => void,
  ) {
    this.#report = report
    this.#context = context
    this.#amounts = amounts
    this.#tell = tell
    this.#entries = new EntryReader(report)
    this.account = askedOnce(report.layout, this.#idOf)
  }

  begin = (label: string): void => this.#entries.begin(label)
  end = (): void => this.#entries.end()

  /** Null where the row names no account, which the first reading reported. */
  readonly account: (cells: Cells, section: number | null) => string | null

  #idOf = (cells: Cells, index: number | null): string | null => {
    const { layout, sections } = this.#report
    const section =
      index === null ? null : { label: sections.labelOf(index), path: () => sections.pathOf(index) }
    const text = accountText(layout, cells, section)
    return text === null ? null : this.#context.idOf(keyOf(text))
  }

  line(row: number, own: Cells, section: number | null): Line | LostLine {
    const { cells, number, entry } = this.#entries.line(own)
    const id = this.account(cells, section)
    const { at, header, kind } = this.#report.layout
    const text = cellOf(cells, at.date)
    const date = this.#amounts.day(text)
    const figures = this.#figures(row, cells)
    if (date === null)
      this.#tell(
        error('unreadable-date', `"${text}" is not a date of the form ${this.#amounts.dateFormat}`, {
          file: this.#report.file,
          row,
          column: columnAt(header, at.date) ?? 'date',
          text,
          remedy:
            serialRemedy(text) ??
            'correct the date, or state the form of all of them as "dateFormat" in company.yaml',
        }),
      )
    const isNamed = number === null && kind === 'journal' && this.#report.entries !== 'none' && date !== null
    const words = () => [at.type, at.num, at.name].map((place) => cellOf(cells, place))
    const name = isNamed ? this.#names.nameOf(entry, date, words()) : null
    // Millions of lines are made, and a spread of what both kinds share would take a fifth of the time of reading.
    if (id !== null && date !== null && figures !== null)
      return { row, cells, section, number, name, entry, id, date, figures }
    const net = figures?.net ?? null
    return { row, cells, section, number, name, entry, id, date, figures: null, net }
  }

  #figures(row: number, cells: Cells): Figures | null {
    const { at } = this.#report.layout
    const read = (position: number | undefined): number | null => {
      const amount = this.#amounts.amount(row, cells, position)
      if (typeof amount === 'number') return amount
      this.#tell(amount)
      return null
    }
    if (!hasSides(this.#report)) {
      const net = read(at.amount)
      return net === null ? null : { debit: 0, credit: 0, net }
    }
    const [debit, credit] = [read(at.debit), read(at.credit)]
    return debit === null || credit === null ? null : { debit, credit, net: debit - credit }
  }
}

export interface EntryLine {
  readonly cells: Cells
  /** As the file states it; null where the entry is known by grouping, or by its date and words. */
  readonly number: string | null
  /** Counts the entries of a journal without numbers. */
  readonly entry: number
}

/** Follows the rows of one report. */
class EntryReader {
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
class EntryNames {
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
