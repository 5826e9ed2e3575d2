/** Owns the context of the checks of ledger rows: inputs, settings, and what is known of unreadable rows. */
import { present } from '../../contract/present.ts'
import type { Differing, LedgerInput, UnreadRow } from '../../ingest/format/intake.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'
import type { RoundingRule } from '../post/rounding.ts'
import type { Entries } from './entries.ts'
import type { LedgerKeys } from './key-sql.ts'

export interface Context {
  readonly rules: AccountingRules
  /** Findings about rows that are not CSV records. Each row may be a line of any entry. */
  readonly rejected: readonly Finding[]
  /** Ids of the entries that lack such a line, where the importer knows it. */
  readonly lacking: readonly string[]
  /** Unreadable lines of some entry whose id begins so. */
  readonly ofSomeEntry: readonly (Pick<Finding, 'file' | 'row'> & { readonly begins: string })[]
  /** Unreadable lines whose entry is unknown. */
  readonly ofAnyEntry: readonly Pick<UnreadRow, 'file' | 'row' | 'amount'>[]
  readonly decimals: number
  /** How far an entry may be out of balance and amounts may be rounded; null where neither is allowed. */
  readonly rounding: RoundingRule | null
  readonly currency: string
  readonly inputs: readonly LedgerInput[]
  /** Figures of the sources that contradict their own rows: they show where an entry lacks a line. */
  readonly differing: readonly Differing[]
  readonly keys: LedgerKeys
  /** The account that a text which names none probably means, by number and name; null where none is likely. */
  readonly likelyAccount: (text: string) => string | null
  readonly entries: Entries
}

/** The ledger input with a number that a row of `line` holds. */
export const inputAt = (inputs: readonly LedgerInput[], file: number): LedgerInput =>
  present(inputs[file], `ledger input with the number ${file}`)

/** The column of a file that numbers entries, for findings about them. */
export const entryColumnOf = (input: LedgerInput | undefined): string =>
  (input?.kind === 'csv' ? input.whole?.entryColumn : undefined) ?? 'transaction_id'
