/** What the checks of ledger rows need to know. */
import type { LedgerInput } from '../ingest/format/intake.ts'
import type { Finding } from '../workspace/finding.ts'
import type { Entries } from './entries.ts'
import type { LedgerKeys } from './ledger.ts'
import type { RoundingRule } from './rounding.ts'

export interface Context {
  /** Rows that are no records: each may be a line of any entry. */
  readonly rejected: readonly Finding[]
  /** Files with lines that their importer could not read: it has judged whether the other entries balance. */
  readonly judged: readonly number[]
  /** Entries with such a line, where the importer knows them. */
  readonly lacking: readonly string[]
  /** Such lines, where nobody knows the entry. */
  readonly ofAnyEntry: readonly Pick<Finding, 'file' | 'row'>[]
  readonly decimals: number
  /** By how much an entry may fail to balance, and amounts may be rounded; null: neither. */
  readonly rounding: RoundingRule | null
  readonly currency: string
  readonly inputs: readonly LedgerInput[]
  readonly keys: LedgerKeys
  readonly entries: Entries
}
