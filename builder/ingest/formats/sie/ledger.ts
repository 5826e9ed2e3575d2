/** Which fiscal years of SIE files become entries in the books, and their rows: of vouchers, or of the months of a year before. */

import { present } from '../../../contract/present.ts'
import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { canonicalPlan } from '../../format/canonical-plan.ts'
import { basisOfEntry, type LedgerPlan } from '../../format/intake.ts'
import type { Scratch } from '../../text/scan.ts'
import { CANONICAL } from './csv.ts'
import { monthsAsPostings, type Reading } from './figures.ts'
import { givenIds } from './numbers.ts'
import type { SieFile } from './records.ts'
import { type ReadFile, rightRows } from './texts.ts'
import { type VoucherContext, voucherFindings } from './vouchers.ts'
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
  const active = years.filter(({ file, index }) => index === 0 && file.lineCount > 0)
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

/** What is to be known of a file to make its rows. */
export interface Postable {
  readonly sie: SieFile
  readonly read: ReadFile
  /** Null where its vouchers belong to no year that can be built. */
  readonly context: VoucherContext | null
}

export interface Ledger {
  readonly ledger: readonly LedgerPlan[]
  /** That the rows use. */
  readonly accounts: ReadonlySet<string>
  readonly findings: readonly Finding[]
}

/** The rows of each file that has posted years. */
export async function readLedger(
  { years, fromMonths }: PostedYears,
  files: readonly Postable[],
  setting: LedgerSetting,
  reading: Reading,
  decimals: number,
  scratch: Scratch,
): Promise<Ledger> {
  const accounts = new Set<string>()
  const vouchersOf = years.filter((year) => year !== fromMonths)
  const ids = givenIds(vouchersOf.map((year) => ({ file: year.file, year })))
  const months = fromMonths && monthsAsPostings(fromMonths, reading)
  const findings: Finding[][] = []
  const ledger: LedgerPlan[] = []
  for (const file of new Set(years.map((year) => year.file))) {
    const known = present(
      files.find(({ sie }) => sie === file),
      `file ${file.file}`,
    )
    const context = vouchersOf.some((year) => year.file === file) ? known.context : null
    const isOfMonths = months !== null && file === fromMonths?.file
    const above = isOfMonths ? months.csv : ''
    const rows = { context, ids: ids.get(file) ?? new Map<number, string>(), above }
    const { path, remarks } = await rightRows(known.read, rows, decimals, scratch)
    if (isOfMonths) {
      for (const account of months.accounts) accounts.add(account)
      findings.push(months.findings)
    }
    if (context !== null) {
      for (const account of file.uses.accounts.keys()) accounts.add(account)
      if (remarks !== null) {
        reading.dimensions.add(remarks.uses)
        findings.push(voucherFindings(file.file, context, remarks))
      }
    }
    ledger.push(canonicalPlan({ file: file.file, path, basis: basisOfEntry(setting) }, CANONICAL))
  }
  return { ledger, accounts, findings: findings.flat() }
}
