/**
 * The shipped companies, and real SIE and FEC files where they are at hand, changed in every simple way: what moves a figure is
 * refused or told of. They are large, so a few mutations of each; `MUTATIONS=300` for more.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { COMPANY } from '../../support/workspace.ts'
import { addedCompany } from './added.ts'
import { type Parts, partsIn, unpacked } from './corpus.ts'
import { cellOf, type FileRule, hold, isMissingEntry } from './held.ts'
import { FIGURES, fec, sie } from './mutation-rules.ts'

const test = suite('mutations of samples')

const DATASETS = fileURLToPath(new URL('../../../datasets/', import.meta.url))
const REAL = fileURLToPath(new URL('../../../../shared/samples/', import.meta.url))
const real = existsSync(REAL) ? test : test.skip
if (!existsSync(REAL))
  process.stdout.write('the real SIE and FEC files are not at hand: their tests are skipped\n')

/** Encodings are tried on the corpus. */
const holdFew = async (parts: Parts, path: string, rule: FileRule): Promise<void> =>
  void (await hold(parts, path, { ...rule, encoding: null }, 2))

/** A shipped company, called as the tests call theirs. */
function shipped(company: string): Parts {
  const parts = partsIn(join(DATASETS, company))
  const settings = parts['company.yaml']!.toString().replace(/^id: .*/m, `id: ${COMPANY}`)
  return { ...parts, 'company.yaml': Buffer.from(settings) }
}

const LEDGERS: readonly (readonly [string, string, FileRule])[] = [
  ['nordvik', 'ledger/nordvik-2024-2025.se', sie()],
  [
    'lakeside',
    'journal.csv',
    {
      entryOf: cellOf(0, ';'),
      amount: /(?<=;)-?\d{1,3}(?: \d{3})*,\d\d(?=;)/g,
      isUnstated: isMissingEntry,
    },
  ],
]
for (const [company, path, rule] of alike(LEDGERS))
  test(`${company}, ${path}`, () => holdFew(shipped(company), path, rule))

/** harbor's first year on both bases: what is beside it and after it takes long to read, and says nothing of it. */
function firstYear(): Parts {
  const parts = shipped('harbor')
  const settings = parts['company.yaml']!.toString()
    .replace(/^(budgets|metrics|nonFinancial|lockDate):.*\n( .*\n)*/gm, '')
    .replace(/references: \[CLOSE-2023, .*\]/, 'references: [CLOSE-2023]')
  const kept = Object.entries(parts).filter(([path]) => !/^(budgets|metrics)\/|-202[4-6]\.csv$/.test(path))
  return { ...Object.fromEntries(kept), 'company.yaml': Buffer.from(settings) }
}
for (const path of alike(['ledger/accrual-2023.csv', 'ledger/cash-2023.csv']))
  test(`harbor, ${path}`, () =>
    holdFew(firstYear(), path, { entryOf: cellOf(0), isUnstated: isMissingEntry }))

/** harbor's budgets and metrics, over a ledger of one entry: the whole one takes long to read. */
const SHEETS = [
  'budgets/operating-2026.xlsx/xl/worksheets/sheet1.xml',
  'budgets/forecast-2026-09.xlsx/xl/worksheets/sheet1.xml',
  'budgets/forecast-2026-09.xlsx/xl/worksheets/sheet2.xml',
  'metrics/daily.xlsx/xl/worksheets/sheet1.xml',
  'metrics/monthly.xlsx/xl/worksheets/sheet1.xml',
  'metrics/monthly.xlsx/xl/worksheets/sheet2.xml',
  'metrics/targets-2026.xlsx/xl/worksheets/sheet1.xml',
]
const ENTRY =
  'transaction_id,date,account,debit,credit,reference\n1,2026-01-05,1011,9.00,,\n1,2026-01-05,4110,,9.00,\n'

async function planned(): Promise<Parts> {
  const parts = await unpacked(shipped('harbor'))
  const settings = parts['company.yaml']!.toString()
    .replace(/^ledger:\n( .*\n)+/m, 'ledger: [{ files: ledger.csv }]\n')
    .replace(/^(opening|closing|cashBasis):.*\n( .*\n)*/gm, '')
  const kept = Object.entries(parts).filter(([path]) => !path.startsWith('ledger/'))
  return {
    ...Object.fromEntries(kept),
    'company.yaml': Buffer.from(`${settings}\nopening: none\n`),
    'ledger.csv': Buffer.from(ENTRY),
  }
}
for (const path of alike(SHEETS)) test(`harbor, ${path}`, async () => holdFew(await planned(), path, FIGURES))

const SIE = [
  'transaktioner_ovnbolag.se',
  'typ4.se',
  'BL0001_typ4.SE',
  'Test4.SE',
  'MAMUT_SIE4_EXPORT.SE',
  'SIE4_Exempelfil_med_underdim.SE',
]
const FEC: Readonly<Record<string, FileRule>> = {
  '000000000FEC20231231.txt': fec(),
  '111111111FEC20221231.TXT': fec('|'),
  '123456789FEC20500930.txt': fec(),
}
const FILES = [
  ...SIE.map((name) => ['sie', name, sie()] as const),
  ...Object.entries(FEC).map(([name, rule]) => ['fec', name, rule] as const),
]
for (const [format, name, rule] of alike(FILES))
  real(`${format}, ${name}`, async () => {
    const company = await addedCompany({ [name]: readFileSync(join(REAL, format, name)) })
    const path = Object.keys(company).find((each) => each.startsWith('ledger/'))!
    await holdFew(company, path, rule)
  })
