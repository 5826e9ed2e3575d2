/**
 * Checks that published figures have at most 15 digits, so that every client reads them exactly
 * (accounting.md §1).
 */

import { moneyText } from '../books/read/money.ts'
import { accountLabel, type Frame } from '../books/reference/frame.ts'
import { periodAt } from '../contract/calendar.ts'
import { FIGURE_LIMIT } from '../contract/currency.ts'
import type { Figures, Period } from '../contract/document.ts'
import { figureAt, NONE } from '../contract/figures.ts'
import type { StatementName } from '../contract/vocabulary.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'
import type { StatementBody } from './totals.ts'

/** How many findings are listed: one mistyped amount affects many totals. */
const LISTED = 20

/**
 * Index of the first figure beyond the limit, or −1. A plain loop, since every figure passes here; NaN (no
 * figure) is within the limit.
 */
function firstBeyond(figures: Figures): number {
  for (let p = 0; p < figures.length; p++) if (Math.abs(figures[p] ?? NONE) >= FIGURE_LIMIT) return p
  return -1
}

/**
 * Checks statements against the limit before they are encoded, and reports each account or total that exceeds
 * it once.
 */
export class FigureLimits {
  readonly #frame: Frame
  readonly #findings = new Map<string, Finding>()

  constructor(frame: Frame) {
    this.#frame = frame
  }

  /** The findings to report, at most {@link LISTED}. */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()].slice(0, LISTED)
  }

  /** The findings so far, as plain data, for {@link FigureLimits.absorb}. */
  data(): ReadonlyMap<string, Finding> {
    return this.#findings
  }

  /** Takes over the findings of another instance. */
  absorb(data: ReadonlyMap<string, Finding>): void {
    for (const [id, finding] of data) if (!this.#findings.has(id)) this.#findings.set(id, finding)
  }

  /** Returns whether all figures of a statement may be published. */
  allow(statement: StatementName, periods: readonly Period[], body: StatementBody): boolean {
    let all = true
    const check = (key: string, what: () => string, figures: Figures): void => {
      const p = firstBeyond(figures)
      if (p === -1) return
      all = false
      const id = `${statement} ${key}`
      if (!this.#findings.has(id))
        this.#findings.set(
          id,
          this.#finding(statement, key, what(), figureAt(figures, p), periodAt(periods, p)),
        )
    }
    for (const row of body.rows)
      check(
        row.accountId,
        () =>
          `account ${accountLabel({ id: row.accountId, number: row.accountNumber, name: row.accountName })}`,
        row.values,
      )
    // A total that exceeds the limit because of one of its rows is not reported again.
    for (const row of body.summary) if (all) check(row.name, () => row.name, row.values)
    return all
  }

  #finding(statement: StatementName, key: string, what: string, value: number, { month }: Period): Finding {
    const amount = moneyText(this.#frame, value)
    return error(
      'figure-too-large',
      `${statement}: ${what} is ${amount} in ${month}: a figure may have at most 15 digits, decimals included`,
      { text: key, remedy: 'is an amount mistyped? larger books cannot be published exactly' },
    )
  }
}
