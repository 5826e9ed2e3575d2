/** What the lines of a report show: the days on which they are dated, those that do not count, and entries that stand twice. */

import { type Finding, ofLedger, warning } from '../../../../workspace/findings/finding.ts'
import type { Cells } from '../../../text/delimited.ts'
import type { Line } from '../lines.ts'
import { leftOutTest } from '../rows/left-out.ts'
import type { ReadableReport } from '../rows/scan.ts'
import type { RowFigures } from './row-figures.ts'

/** The first day and the last, and those that the title does not cover. */
export class LineDays {
  readonly #report: ReadableReport
  #span: { first: string; last: string } | null = null
  #outside: { count: number; readonly date: string; readonly row: number } | null = null

  constructor(report: ReadableReport) {
    this.#report = report
  }

  get span(): { readonly first: string; readonly last: string } | null {
    return this.#span
  }

  add(date: string, row: number): void {
    this.#widen(date)
    const { period, layout } = this.#report
    // Programs with posting periods list what belongs to a period, whatever its date.
    if (period === null || period === 'all' || layout.at.period !== undefined) return
    if (period.startDate <= date && date <= period.endDate) return
    this.#outside ??= { count: 0, date, row }
    this.#outside.count++
  }

  #widen(date: string): void {
    this.#span ??= { first: date, last: date }
    if (date < this.#span.first) this.#span.first = date
    if (date > this.#span.last) this.#span.last = date
  }

  findings(): Finding[] {
    const { period, file } = this.#report
    if (this.#outside === null || period === null || period === 'all') return []
    const { count, date, row } = this.#outside
    return [
      warning(
        'dates-outside-period',
        `the title says ${period.startDate} to ${period.endDate}; ${count === 1 ? 'a line is' : `${count} lines are`} dated outside of it, such as ${date}`,
        {
          ...{ file, row, text: date },
          remedy: 'export the report again; or state the form of its dates as "dateFormat" in company.yaml',
        },
      ),
    ]
  }
}

export class LeftLines {
  /** Accounts with such lines. */
  readonly accounts = new Set<string>()
  readonly isLeftOut: (cells: Cells) => boolean
  readonly #file: string
  readonly #money: (minor: number) => string
  #count = 0
  #first = 0
  #minor = 0

  constructor({ file, layout }: ReadableReport, { money }: RowFigures) {
    this.isLeftOut = leftOutTest(layout)
    this.#file = file
    this.#money = money
  }

  /** The figures of a line, of which one is its amount. */
  add(row: number, figures: readonly number[]): void {
    if (this.#count++ === 0) this.#first = row
    this.#minor += Math.max(...figures.map(Math.abs))
  }

  get findings(): Finding[] {
    if (this.#count === 0) return []
    const [lines, are] = this.#count === 1 ? ['line', 'is'] : ['lines', 'are']
    const amount = this.#money(this.#minor)
    return [
      warning(
        'rows-left-out',
        `${this.#count} ${lines} of ${amount} altogether ${are} left out: the program lists and does not post them, or company.yaml says so`,
        {
          file: this.#file,
          row: this.#first,
          remedy: 'nothing, if they are drafts, orders, estimates or the like; else post them in the program',
        },
      ),
    ]
  }
}

export class Repeats {
  /** Lines → name of the entries of the day, as dates come in order. */
  #ofDay = new Map<string, string>()
  #day = ''
  #open: { readonly entry: number; readonly name: string; readonly row: number; text: string } | null = null
  #found: { count: number; readonly name: string; readonly row: number } | null = null

  line({ entry, name, date, row, id, figures, cells }: Line): void {
    if (entry !== this.#open?.entry) this.end()
    this.#open ??= { entry, row, name: name ?? date, text: '' }
    if (date !== this.#day) this.#ofDay = new Map()
    this.#day = date
    this.#open.text += `${date} ${id} ${figures.net} ${cells.join('\u0001')}\n`
  }

  /** After the last line of an entry. */
  end(): void {
    if (this.#open === null) return
    const { name, row, text } = this.#open
    this.#open = null
    const before = this.#ofDay.get(text)
    if (before === undefined) {
      this.#ofDay.set(text, name)
      return
    }
    this.#found ??= { count: 0, name: before, row }
    this.#found.count++
  }

  findings(file: string): Finding[] {
    this.end()
    if (this.#found === null) return []
    const { count, name, row } = this.#found
    return [
      warning(
        'entry-repeated',
        count === 1
          ? `entry ${ofLedger(name)} stands twice with the same lines, and counts twice`
          : `${count} entries stand twice with the same lines, ${ofLedger(name)} first, and count twice`,
        {
          ...{ file, row, text: name },
          remedy:
            'if it is one entry, take the second one out, or export the journal again; if there are two, nothing need be done',
        },
      ),
    ]
  }
}
