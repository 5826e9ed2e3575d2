/** The lines of one report in order, each with its account, its date and its figures, exactly. */
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { Cells } from '../../text/delimited.ts'
import { serialRemedy } from '../../text/months.ts'
import { EntryNames, EntryReader } from './entries.ts'
import type { RowFigures } from './measure/row-figures.ts'
import type { Figures } from './measure/sums.ts'
import { cellOf, columnAt } from './rows/cells.ts'
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
