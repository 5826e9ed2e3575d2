/** Which columns of a canonical ledger are read, of a text or of a sheet. */
import type { Basis } from '../../contract/vocabulary.ts'
import type { LedgerSetting } from '../../workspace/company.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import {
  amountClaims,
  areBase,
  countValue,
  meaningOf,
  meaningOfHeader,
  type UnreadColumn,
} from '../claims/claims.ts'
import { formOfEntry } from '../format/canonical-plan.ts'
import { basisOfEntry } from '../format/intake.ts'
import type { LedgerColumn } from '../format/ledger-columns.ts'
import { firstRecords, textAt } from '../text/csv.ts'
import { COLUMNS, type Located, REQUIRED } from './header.ts'
import { findColumns, type Head, missingColumn } from './table.ts'

export interface Layout {
  readonly at: { readonly [name in LedgerColumn]?: number }
  readonly basis: Basis | null
  readonly findings: readonly Finding[]
  /** Positions of the columns that are not. */
  readonly unread: readonly number[]
  /** Positions of the amounts that are read. */
  readonly amounts: readonly number[]
}

/** The columns that are read. Those that would contradict company.yaml or each other are left out. */
export function layoutOf(head: Head, setting: LedgerSetting): Layout {
  const map = setting.columns
  const found = findColumns(head, COLUMNS.ledger, REQUIRED.ledger, map)
  const { amount, debit, credit, basis, currency, ...at } = found.at
  const findings = [...found.findings]
  const sides = debit !== undefined && credit !== undefined
  // A net amount beside debit and credit repeats them, with a sign that differs between exports.
  const useAmount = amount !== undefined && (!sides || (map?.amount !== undefined && map.debit === undefined))
  if (!useAmount && !sides) {
    const missing =
      debit === undefined && credit === undefined ? 'amount' : debit === undefined ? 'debit' : 'credit'
    findings.push(missingColumn(head, missing, missing))
  }
  // The currency beside amounts in that of the company is the document's.
  const amounts = (useAmount ? [amount] : [debit, credit]).filter((position) => position !== undefined)
  const isDocuments = map?.currency === undefined && areBase(amounts.map((at) => textAt(head.header, at)))
  const unread = [
    ...(isDocuments ? [currency] : []),
    ...(useAmount ? [debit, credit] : [amount]),
    ...(setting.basis === undefined ? [] : [basis]),
    ...found.others,
  ].filter((position) => position !== undefined)
  const ownBasis = basis !== undefined && setting.basis === undefined
  return {
    at: {
      ...at,
      ...(isDocuments || currency === undefined ? {} : { currency }),
      ...(useAmount ? { amount } : sides ? { debit, credit } : {}),
      ...(ownBasis ? { basis } : {}),
    },
    basis: ownBasis ? null : basisOfEntry(setting),
    findings,
    unread,
    amounts,
  }
}

/** How dates and amounts are written, and the basis. */
export const formOf = (setting: LedgerSetting, { basis }: Layout) => ({ basis, ...formOfEntry(setting) })

/** A column that is harmless as far as its header says. */
export const unreadIn = (file: string, headerRow: number, header: string): UnreadColumn => ({
  ...{ file, headerRow, header, values: new Map() },
})

/** So many rows show whether a column whose header says nothing holds marks; the books look at all rows of a file that may have more. */
const LOOKED_AT = 1000
export const hasMore = (bytes: number): boolean => bytes > LOOKED_AT * '1,1.1.25,1,1\n'.length

/**
 * Whether columns that nobody reads may say what rows mean. Then their values are counted by the reader of maps, which sees each row;
 * the rows of all other files are seen by the books alone.
 */
export function isDoubtful(
  head: string,
  { delimiter, title }: Located,
  header: readonly string[],
  { amounts, unread }: Layout,
  currency: string,
): boolean {
  if (unread.length === 0) return false
  const names = unread.map((column) => textAt(header, column))
  if (
    amountClaims(
      names,
      amounts.map((column) => textAt(header, column)),
      currency,
    ).compared.length > 0
  )
    return true
  if (names.some((name) => meaningOfHeader(name) !== null)) return true
  const rows = firstRecords(head, delimiter, title + LOOKED_AT).slice(title + 1)
  return unread.some((column) => {
    const values = new Map<string, number>()
    for (const { cells } of rows) countValue(values, textAt(cells, column))
    return meaningOf({ ...unreadIn('', 1, textAt(header, column)), values }, { currency }) !== null
  })
}
