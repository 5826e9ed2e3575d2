/** The sums of some lines of a report. */
import type { Figures } from '../lines.ts'

export class Sum {
  debit = 0
  credit = 0
  net = 0
  lines = 0
  /** The account of its lines; null where they are of several. */
  account: string | null = null
  /** A line of it cannot be read. */
  lacks = false

  add(id: string, { debit, credit, net }: Figures): void {
    this.account = this.lines === 0 || this.account === id ? id : null
    this.lines++
    this.debit += debit
    this.credit += credit
    this.net += net
  }

  lose(): void {
    this.lines++
    this.lacks = true
  }

  join({ debit, credit, net, lacks }: Sum): void {
    this.debit += debit
    this.credit += credit
    this.net += net
    this.lacks ||= lacks
  }
}
