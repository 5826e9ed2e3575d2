/** The days on which the lines of a report are dated: the first and the last, and those that its title does not cover. */
import type { Finding } from '../../../workspace/finding.ts'
import { outsidePeriod } from './faults.ts'
import type { ReportScan } from './rows/scan.ts'

export class LineDays {
  readonly #scan: ReportScan
  #span: { first: string; last: string } | null = null
  #outside: { count: number; readonly date: string; readonly row: number } | null = null

  constructor(scan: ReportScan) {
    this.#scan = scan
  }

  get span(): { readonly first: string; readonly last: string } | null {
    return this.#span
  }

  add(date: string, row: number): void {
    this.#span ??= { first: date, last: date }
    if (date < this.#span.first) this.#span.first = date
    if (date > this.#span.last) this.#span.last = date
    const { period, layout } = this.#scan
    // Programs with posting periods list what belongs to a period, whatever its date.
    if (period === null || period === 'all' || layout.at.period !== undefined) return
    if (period.startDate <= date && date <= period.endDate) return
    this.#outside ??= { count: 0, date, row }
    this.#outside.count++
  }

  findings(): Finding[] {
    const { period, file } = this.#scan
    if (this.#outside === null || period === null || period === 'all') return []
    return [outsidePeriod(this.#outside, period, { file, row: this.#outside.row })]
  }
}
