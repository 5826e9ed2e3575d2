/** Rows that cannot be read and are left out, and what can be checked without them. */

import { LISTED } from '../../workspace/findings/cap-findings.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { notChecked, several } from '../../workspace/findings/not-checked.ts'
import type { UnreadRow } from './intake.ts'

export class UnreadRows {
  readonly rows: UnreadRow[] = []
  readonly #unchecked = new Set<string>()

  add(row: UnreadRow): void {
    if (this.rows.length <= LISTED) this.rows.push(row)
  }

  /** Notes a total or a balance, in words, that could not be checked. */
  leave = (what: string): void => void this.#unchecked.add(what)

  findings(): Finding[] {
    if (this.#unchecked.size === 0) return []
    const lines = this.rows.filter(({ of }) => of !== 'statement')
    return [notChecked(several([...this.#unchecked], '', '').trim(), lines)]
  }
}

/** The row of a finding about a figure that the file states about itself, or about a mistake that affects no amount. */
export const besideAmounts = ({ file, row }: Finding): UnreadRow[] =>
  file === null || row === null ? [] : [{ file, row, of: 'statement', account: null }]

/** A row with another number of cells than the header: it may belong to any entry. */
export const tornRow = ({ code, file, row }: Finding): UnreadRow[] =>
  code !== 'column-count' || file === null || row === null
    ? []
    : [{ file, row, of: 'either', account: null, entry: null }]

/**
 * Whether every error concerns a row that was left out, or affects no amount, so that the other rows can be
 * checked.
 */
export const areOthersRead = (findings: readonly Finding[], unread: readonly UnreadRow[]): boolean =>
  unread.length <= LISTED &&
  findings.every(
    ({ severity, code, file, row }) =>
      severity !== 'error' ||
      // The amounts of an account of unknown kind are known.
      code === 'unclassified-account' ||
      unread.some((line) => line.file === file && line.row === row),
  )
