/** The days on which the lines of a report are dated: the first and the last, and those that its title does not cover. */
import { type Finding, warning } from '../../../../workspace/finding.ts'
import type { ReadableReport } from '../rows/scan.ts'

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
