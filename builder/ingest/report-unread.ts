/** Lines of a report that cannot be read, and what is not held against its lines for lack of them. */
import type { Finding } from '../workspace/finding.ts'
import { notChecked, several } from '../workspace/not-checked.ts'
import { LISTED } from './faults.ts'
import type { UnreadRow } from './intake.ts'

export class UnreadLines {
  readonly rows: UnreadRow[] = []
  readonly #unchecked = new Set<string>()

  add(row: UnreadRow): void {
    if (this.rows.length <= LISTED) this.rows.push(row)
  }

  /** A total, or a balance, in words. */
  leave = (what: string): void => void this.#unchecked.add(what)

  findings = (): Finding[] =>
    this.#unchecked.size === 0 ? [] : [notChecked(several([...this.#unchecked], '', '').trim(), this.rows)]
}
