/** The content of one SIE file, as records with their line numbers: the parser's result. */
import type { Finding } from '../../../workspace/findings/finding.ts'
import type { Values } from '../../claims/claim-format.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import type { VoucherNumbers } from './numbers.ts'
import type { SieObject, VoucherUses } from './uses.ts'

export interface SieAccount {
  readonly id: string
  readonly name: string
  readonly line: number
}

export interface SieDimension {
  readonly id: string
  readonly name: string
  /** Of an #UNDERDIM: the dimension above it. */
  readonly parent: string | null
}

export const BALANCE_LABELS = ['IB', 'UB', 'OIB', 'OUB', 'RES', 'PSALDO', 'PBUDGET'] as const
export type BalanceLabel = (typeof BALANCE_LABELS)[number]

/** A figure that the file states: an opening, a closing, a result, a month's movement or budget. */
export interface SieBalance {
  readonly label: BalanceLabel
  /** #RAR index: 0 is the year of the file, -1 the one before. */
  readonly year: number
  /** `YYYY-MM` of #PSALDO and #PBUDGET. */
  readonly month: string | null
  readonly account: string
  readonly objects: readonly SieObject[]
  /** As written; debit positive. */
  readonly amount: string
  readonly minor: number
  readonly line: number
}

export interface SieHead {
  /** #SIETYP as written; null where the file has none. */
  readonly type: string | null
  readonly name: string | null
  readonly organisation: string | null
  /** #VALUTA; without it the amounts are in SEK. */
  readonly currency: string
  readonly currencyLine: number | null
  /** #OMFATTN: the last day that the balances speak of; null where the file does not say. */
  readonly coveredTo: string | null
}

export interface SieFile extends SieHead {
  readonly file: string
  readonly years: ReadonlyMap<number, FiscalYear>
  readonly accounts: ReadonlyMap<string, SieAccount>
  /** #KTYP: T asset, S liability or equity, K cost, I income. */
  readonly accountKinds: ReadonlyMap<string, string>
  readonly dimensions: ReadonlyMap<string, SieDimension>
  readonly objects: readonly (SieObject & { readonly name: string; readonly line: number })[]
  readonly balances: readonly SieBalance[]
  /** How many lines of vouchers could be read. */
  readonly lineCount: number
  /** A line of a voucher could not be read, or its date. */
  readonly hasDamage: boolean
  readonly numbers: VoucherNumbers
  readonly uses: VoucherUses
  /** Lines that were added to or struck from vouchers later: they are reported, and never count. */
  readonly history: { readonly added: number; readonly struck: number; readonly firstLine: number | null }
  /** Of labels that are not read. */
  readonly others: Values
  /** Lines that are left out; each is among the findings. */
  readonly unread: readonly UnreadRow[]
  readonly findings: readonly Finding[]
}
