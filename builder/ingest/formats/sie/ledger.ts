/** Which fiscal years of SIE files become entries in the books, and their rows: of vouchers, or of the months of a year before. */

import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import type { LedgerRow, LedgerRows } from '../../format/intake.ts'
import { monthsAsPostings, type Reading } from './figures.ts'
import { readVouchers, voucherIds } from './vouchers.ts'
import type { SieYear } from './years.ts'

export interface PostedYears {
  /** In order. */
  readonly years: readonly SieYear[]
  /** The first of them, where it is posted from its monthly movements (`priorYear: psaldo`). */
  readonly fromMonths: SieYear | null
  /** The year before the first, where a file states it. */
  readonly before: SieYear | null
  readonly findings: readonly Finding[]
}

/** The years that have vouchers; on request also the year before them, of which a file states only months. */
export function postedYears(years: readonly SieYear[], { priorYear }: LedgerSetting): PostedYears {
  const active = years.filter(
    ({ file, index }) => index === 0 && file.vouchers.some(({ lineCount }) => lineCount > 0),
  )
  const [first] = active
  if (first === undefined) return { years: active, fromMonths: null, before: null, findings: [] }
  const at = years.indexOf(first)
  const prior = years[at - 1] ?? null
  if (priorYear !== 'psaldo') return { years: active, fromMonths: null, before: prior, findings: [] }
  if (prior !== null)
    return { years: [prior, ...active], fromMonths: prior, before: years[at - 2] ?? null, findings: [] }
  const missing = error('prior-year', `no file states the year before ${first.start}`, {
    file: first.file.file,
    column: '#RAR',
    remedy: 'remove "priorYear: psaldo" from company.yaml',
  })
  return { years: active, fromMonths: null, before: null, findings: [missing] }
}

/** The rows of each file that has posted years, and the accounts that they use. */
export function readLedger(
  { years, fromMonths }: PostedYears,
  setting: LedgerSetting,
  reading: Reading,
  sink: ((file: string) => (row: LedgerRow) => void) | undefined,
): {
  readonly ledger: readonly LedgerRows[]
  readonly accounts: ReadonlySet<string>
  readonly findings: readonly Finding[]
} {
  const findings: Finding[][] = []
  const accounts = new Set<string>()
  const ids = voucherIds(
    years.filter((year) => year !== fromMonths).map((year) => ({ file: year.file, year })),
  )
  const ledger = [...new Set(years.map(({ file }) => file))].map((file): LedgerRows => {
    const rows: LedgerRow[] = []
    const take = sink?.(file.file) ?? ((row: LedgerRow) => void rows.push(row))
    const emit = (row: LedgerRow) => {
      if (row.account !== null) accounts.add(row.account)
      take(row)
    }
    for (const year of years.filter((each) => each.file === file)) {
      if (year === fromMonths) {
        const months = monthsAsPostings(year, reading)
        months.rows.forEach(emit)
        findings.push(months.findings)
      } else findings.push(readVouchers(file, year, { ids, ...reading }, emit))
    }
    return {
      kind: 'rows',
      file: file.file,
      basis: setting.basis === 'cash' ? 'CASH' : 'ACCRUAL',
      dateFormat: 'YYYY-MM-DD',
      decimal: '.',
      thousands: '',
      rows,
    }
  })
  return { ledger, accounts, findings: findings.flat() }
}
