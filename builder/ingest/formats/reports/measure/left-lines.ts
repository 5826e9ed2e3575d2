/** Lines of a report that do not count: how many, and of what amounts. */
import { currencyDecimals, displayMinor } from '../../../../contract/currency.ts'
import { type Finding, warning } from '../../../../workspace/finding.ts'

import type { Cells } from '../../../text/delimited.ts'
import { leftOutTest } from '../rows/left-out.ts'
import type { ReadableReport } from '../rows/scan.ts'

export class LeftLines {
  /** Accounts with such lines. */
  readonly accounts = new Set<string>()
  readonly isLeftOut: (cells: Cells) => boolean
  readonly #file: string
  readonly #currency: string
  #count = 0
  #first = 0
  #minor = 0

  constructor({ file, layout }: Pick<ReadableReport, 'file' | 'layout'>, currency: string) {
    this.isLeftOut = leftOutTest(layout)
    this.#file = file
    this.#currency = currency
  }

  /** The figures of a line, of which one is its amount. */
  add(row: number, figures: readonly number[]): void {
    if (this.#count++ === 0) this.#first = row
    this.#minor += Math.max(...figures.map(Math.abs))
  }

  get findings(): Finding[] {
    if (this.#count === 0) return []
    const [lines, are] = this.#count === 1 ? ['line', 'is'] : ['lines', 'are']
    const amount = displayMinor(this.#minor, currencyDecimals(this.#currency))
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
