/** Which columns of a canonical ledger are read, of a text or of a sheet. */
import type { Basis } from '../../contract/vocabulary.ts'
import type { LedgerSetting } from '../../workspace/company.ts'
import type { Finding } from '../../workspace/finding.ts'
import { basisOfEntry, formOfEntry, LEDGER_COLUMNS, type LedgerColumn } from '../format/intake.ts'
import { REQUIRED } from './header.ts'
import { columnsNotRead, findColumns, type Head, missingColumn } from './table.ts'

export interface Layout {
  readonly at: { readonly [name in LedgerColumn]?: number }
  readonly basis: Basis | null
  readonly findings: readonly Finding[]
  readonly notRead: readonly Finding[]
}

/** The columns that are read. Those that would contradict company.yaml or each other are left out. */
export function layoutOf(head: Head, setting: LedgerSetting): Layout {
  const { header } = head
  const map = setting.columns
  const found = findColumns(head, LEDGER_COLUMNS, REQUIRED.ledger, map)
  const { amount, debit, credit, basis, ...at } = found.at
  const findings = [...found.findings]
  const sides = debit !== undefined && credit !== undefined
  // A net amount beside debit and credit repeats them, with a sign that differs between exports.
  const useAmount = amount !== undefined && (!sides || (map?.amount !== undefined && map.debit === undefined))
  if (!useAmount && !sides) {
    const missing =
      debit === undefined && credit === undefined ? 'amount' : debit === undefined ? 'debit' : 'credit'
    findings.push(missingColumn(head, missing, missing))
  }
  const unused = [
    ...(useAmount ? [debit, credit] : [amount]),
    ...(setting.basis === undefined ? [] : [basis]),
    ...found.others,
  ].flatMap((position) => (position === undefined ? [] : [header[position] ?? '']))
  const ownBasis = basis !== undefined && setting.basis === undefined
  return {
    at: {
      ...at,
      ...(useAmount ? { amount } : sides ? { debit, credit } : {}),
      ...(ownBasis ? { basis } : {}),
    },
    basis: ownBasis ? null : basisOfEntry(setting),
    findings,
    notRead: columnsNotRead(head, unused, LEDGER_COLUMNS),
  }
}

/** How dates and amounts are written, and the basis. */
export const formOf = (setting: LedgerSetting, { basis }: Layout) => ({ basis, ...formOfEntry(setting) })
