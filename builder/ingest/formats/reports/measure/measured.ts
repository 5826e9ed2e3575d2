/** What the second pass over a report finds, and what it needs to know. */
import type { Finding } from '../../../../workspace/findings/finding.ts'
import type { UnreadRow } from '../../../format/intake.ts'
import type { LineContext } from '../lines.ts'
import type { ReportScan } from '../rows/scan.ts'
import type { Difference, FollowedBalances } from './differences.ts'
import type { Stated } from './sums.ts'

export interface AccountMeasure {
  first: string
  last: string
  opening: Stated | null
  ending: Stated | null
  /** The sum of its own lines, where a total states it. */
  total: Stated | null
  /** Entries of its lines, or the days that these begin with, where its kind is unknown and their amounts have no sign. */
  readonly unsigned: Set<string>
}

export class AccountMeasures extends Map<string, AccountMeasure> {
  of(id: string): AccountMeasure {
    const nothing = {
      first: '',
      last: '',
      opening: null,
      ending: null,
      total: null,
      unsigned: new Set<string>(),
    }
    const account = this.get(id) ?? nothing
    this.set(id, account)
    return account
  }
}

export interface MeasuredReport extends ReportScan {
  /** The CSV of its lines for the books. */
  readonly path: string
  /** Lines have a debit and a credit side; else one amount, whose sign may be that of the account's own side. */
  readonly hasSides: boolean
  readonly measures: ReadonlyMap<string, AccountMeasure>
  /** A total of the whole report states what its lines add up to: an entry that stands twice is two entries. */
  readonly isTotalled: boolean
  readonly span: { readonly first: string; readonly last: string } | null
  readonly balances: FollowedBalances
  /** Openings that the report leaves out, which matters where it opens the books. */
  readonly missingOpenings: Finding | null
  /** Lines that were left out; each has its findings. */
  readonly unread: readonly UnreadRow[]
  /** Sections, or accounts, of an unknown kind. */
  readonly unsure: ReadonlySet<number | string>
  /** Differences of totals, and of other figures that a program states; those of balances follow once signs are known. */
  readonly differences: readonly Difference[]
}

export interface MeasureContext extends LineContext {
  /** Liabilities, equity and income. */
  readonly isCredit: (id: string) => boolean
  /** P&L accounts, equity accounts, and the first days of fiscal years: for balances brought forward inside a report. */
  readonly isResult: (id: string) => boolean
  readonly isEquity: (id: string) => boolean
  readonly startsYear: (date: string) => boolean
  /** Day → the sums of amounts without sides, for accounts of the debit side and of the credit side. */
  readonly days: Map<string, [debit: number, credit: number]>
  /** Days that lack a line; null where it may be any. */
  readonly doubtful: Set<string | null>
}
