/** Adds up amounts by account, period and kind, for cells that are in memory already. */
import { figureAt } from '../../contract/figures.ts'
import { KINDS } from '../post/postings.ts'
import { codeCount, type Frame } from '../reference/frame.ts'
import { BEFORE_YEAR, type Cells } from './monthly-sums.ts'

/** Stands in place of a period for amounts that do not belong to the answer. */
export const LEFT_OUT = BEFORE_YEAR - 1

export class Sums {
  readonly #accounts: number
  readonly #periods: number
  /** Sums by kind, then by period from {@link BEFORE_YEAR} on, then by account. Arrays are made for kinds that occur only. */
  readonly #sums: (Float64Array | undefined)[] = KINDS.map(() => undefined)

  /** `periods` is the number of periods in the range, without the two before it. */
  constructor(frame: Frame, periods: number) {
    this.#accounts = codeCount(frame)
    this.#periods = periods - BEFORE_YEAR
  }

  /** Adds an amount in minor units; one in the period {@link LEFT_OUT} is ignored. */
  add(account: number, period: number, kind: number, amount: number): void {
    if (period === LEFT_OUT) return
    const sums = this.#sums[kind] ?? this.#begin(kind)
    const at = (period - BEFORE_YEAR) * this.#accounts + account
    sums[at] = figureAt(sums, at) + amount
  }

  /** The sums that are not zero; a sum of zero changes no statement. */
  cells(): Cells {
    let count = 0
    for (const sums of this.#sums) if (sums) for (let i = 0; i < sums.length; i++) if (sums[i] !== 0) count++
    const cells = {
      account: new Int32Array(count),
      period: new Int16Array(count),
      kind: new Int8Array(count),
      amount: new Float64Array(count),
    }
    let at = 0
    for (const [kind, sums] of this.#sums.entries())
      for (let i = 0; sums && i < sums.length; i++) {
        const amount = figureAt(sums, i)
        if (amount === 0) continue
        const period = Math.floor(i / this.#accounts)
        cells.account[at] = i - period * this.#accounts
        cells.period[at] = period + BEFORE_YEAR
        cells.kind[at] = kind
        cells.amount[at++] = amount
      }
    return cells
  }

  #begin(kind: number): Float64Array {
    const sums = new Float64Array(this.#accounts * this.#periods)
    this.#sums[kind] = sums
    return sums
  }
}
