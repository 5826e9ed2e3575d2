/** Rows that cannot be read and are left out: what can be judged without them, and what not. */

import { LISTED } from '../../workspace/cap-findings.ts'
import type { Finding } from '../../workspace/finding.ts'
import { notChecked, several } from '../../workspace/not-checked.ts'
import type { UnreadRow } from './intake.ts'

export class UnreadRows {
  readonly rows: UnreadRow[] = []
  readonly #unchecked = new Set<string>()

  add(row: UnreadRow): void {
    if (this.rows.length <= LISTED) this.rows.push(row)
  }

  /** A total, or a balance, in words. */
  leave = (what: string): void => void this.#unchecked.add(what)

  findings(): Finding[] {
    if (this.#unchecked.size === 0) return []
    const lines = this.rows.filter(({ of }) => of !== 'statement')
    return [notChecked(several([...this.#unchecked], '', '').trim(), lines)]
  }
}

/** Of a figure that the file states of itself, or of a row whose mistake touches no amount. */
export const besideAmounts = ({ file, row }: Finding): UnreadRow[] =>
  file === null || row === null ? [] : [{ file, row, of: 'statement', account: null }]

/** With another number of cells than the header: it may be a line of any entry. */
export const tornRow = ({ code, file, row }: Finding): UnreadRow[] =>
  code !== 'column-count' || file === null || row === null
    ? []
    : [{ file, row, of: 'either', account: null, entry: null }]

/** Mistakes after which all amounts are known: of entries whose lines were all read, and of accounts of unknown kind. */
const HARMLESS = new Set(['unbalanced-transaction', 'unclassified-account'])

/** Every error is of a row that was left out, or touches no amount: the other rows can be judged. */
export const areOthersRead = (findings: readonly Finding[], unread: readonly UnreadRow[]): boolean =>
  unread.length <= LISTED &&
  findings.every(
    ({ severity, code, file, row }) =>
      severity === 'warning' ||
      HARMLESS.has(code) ||
      unread.some((line) => line.file === file && line.row === row),
  )
