/** The content of one SIE file, as records with their line numbers: the parser's result. */
import type { Finding } from '../../../workspace/findings/finding.ts'
import type { Values } from '../../claims/claim-format.ts'
import type { FiscalYear, UnreadRow } from '../../format/intake.ts'
import type { Numbering } from '../../format/numbering.ts'
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

/** What its #VER says of a voucher. */
export interface SieVoucher {
  /** Empty where the voucher has none; some programs write `#` for that. */
  readonly series: string
  readonly number: string
  readonly date: string
  readonly text: string
  readonly line: number
}

export type NamedVoucher = Omit<SieVoucher, 'text'>

/** Vouchers of one series whose numbers are integers, in the order of the file. */
export interface NumberColumn {
  readonly numbers: Int32Array
  /** Their #VER. */
  readonly lines: Int32Array
  /** As SIE writes them, 20110107; 0 where a date cannot be read. */
  readonly dates: Int32Array
  /** Number that several have → the line of the last. */
  readonly repeated: ReadonlyMap<number, number>
}

/** A year may have a million vouchers. */
export interface VoucherNumbers {
  readonly series: ReadonlyMap<string, NumberColumn>
  /** Vouchers whose number is not written as a plain integer: without one, with other letters, with leading zeros. */
  readonly others: readonly NamedVoucher[]
  /** Lines of the vouchers that have {@link placeId} in the place of an id, since their reference may not be their own. */
  readonly byPlace: ReadonlySet<number>
  readonly numbering: Numbering
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
