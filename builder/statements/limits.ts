/** A published figure has at most 15 digits, so that every client reads it exactly (accounting.md §1). */

import type { Frame } from '../books/frame.ts'
import { moneyText } from '../books/money.ts'
import { periodAt } from '../contract/calendar.ts'
import { FIGURE_LIMIT } from '../contract/currency.ts'
import type { Figures, Period } from '../contract/document.ts'
import { figureAt } from '../contract/figures.ts'
import type { StatementName } from '../contract/vocabulary.ts'
import { error, type Finding } from '../workspace/finding.ts'
import type { StatementBody } from './totals.ts'

/** So many are listed; one mistyped amount is in many totals. */
const LISTED = 20

/** Every figure of every statement passes here: a plain loop, and "no figure" (NaN) is beyond nothing. */
function firstBeyond(figures: Figures): number {
  for (let p = 0; p < figures.length; p++) if (Math.abs(figureAt(figures, p)) >= FIGURE_LIMIT) return p
  return -1
}

/** Holds statements against the limit before they are encoded; what exceeds it is a finding, said once. */
export class FigureLimits {
  readonly #frame: Frame
  readonly #findings = new Map<string, Finding>()

  constructor(frame: Frame) {
    this.#frame = frame
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()].slice(0, LISTED)
  }

  /** What {@link FigureLimits.absorb} takes in. */
  part(): ReadonlyMap<string, Finding> {
    return this.#findings
  }

  /** Goes on as if what another one found had been found here, now. */
  absorb(part: ReadonlyMap<string, Finding>): void {
    for (const [id, finding] of part) if (!this.#findings.has(id)) this.#findings.set(id, finding)
  }

  /** Whether every figure may be published. */
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
        () => `account ${row.accountNumber} ${row.accountName}`.replace(/ +/g, ' '),
        row.values,
      )
    // A total that exceeds with one of its parts says nothing new.
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
