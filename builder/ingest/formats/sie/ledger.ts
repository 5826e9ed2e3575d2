/** Which fiscal years of SIE files become entries in the books, and their rows: of vouchers, or of the months of a year before. */

import { Readable } from 'node:stream'
import { present } from '../../../contract/present.ts'
import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { WholeFile } from '../../format/entry-names.ts'
import { basisOfEntry, type LedgerPlan } from '../../format/intake.ts'
import type { Scratch } from '../../text/scan.ts'
import { HEADER, planOf } from './csv.ts'
import { monthsAsPostings, type Reading } from './figures.ts'
import { givenIds } from './numbers.ts'
import type { SieFile } from './records.ts'
import { voucherFindings } from './vouchers.ts'
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

export interface Ledger {
  readonly ledger: readonly LedgerPlan[]
  /** That the rows use. */
  readonly accounts: ReadonlySet<string>
  readonly findings: readonly Finding[]
}

/** The rows of each file that has posted years. `rowsOf` gives the path of those that were written of its vouchers. */
export async function readLedger(
  { years, fromMonths }: PostedYears,
  rowsOf: (file: SieFile) => string,
  setting: LedgerSetting,
  reading: Reading,
  scratch: Scratch,
): Promise<Ledger> {
  const accounts = new Set<string>()
  const findings: Finding[] = []
  const ledger: LedgerPlan[] = []
  const basis = basisOfEntry(setting)
  const ids = givenIds(years.flatMap((year) => (year === fromMonths ? [] : [{ file: year.file, year }])))
  for (const year of years) {
    const { file, uses } = year.file
    if (year === fromMonths) {
      const months = monthsAsPostings(year, reading)
      for (const account of months.accounts) accounts.add(account)
      findings.push(...months.findings)
      const path = await scratch.written(Readable.from([HEADER, months.csv]))
      ledger.push({ ...planOf({ file, path, basis }), tags: months.tags })
      continue
    }
    for (const account of uses.accounts.keys()) accounts.add(account)
    const tags = [...uses.objects.values()].map(({ tag, objects, firstLine, lines }) => {
      const members = reading.dimensions.use(objects, { file, row: firstLine }, lines)
      return [tag, members] as const
    })
    findings.push(...voucherFindings(year.file, year))
    ledger.push({
      ...planOf({ file, path: rowsOf(year.file), basis }),
      tags: new Map(tags),
      whole: wholeFile(year, present(ids.get(year.file), `ids of ${file}`)),
    })
  }
  return { ledger, accounts, findings }
}

/** Vouchers are numbered within their year, and all of their lines count in it. */
const wholeFile = ({ start, end }: SieYear, ids: ReadonlyMap<string, string>): WholeFile => ({
  ...{ years: [{ start, end }], isWithin: true, openingJournals: [] },
  ...{ entryColumn: 'transaction_id', numbers: 'each', ids },
})
