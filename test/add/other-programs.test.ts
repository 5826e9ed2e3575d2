/** Ledgers of other programs, from the export to the figures: what `add` proposes is right as it stands. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { AddOptions } from '../../builder/ingest/add/add.ts'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { type Added, added, proposed } from '../support/added.ts'
import { saftFile } from '../support/saft.ts'

const programs = suite('ledgers of other programs')

const CHART = `id,number,name,classification,type
1000,1000,Bank,Asset,Bank
3000,3000,Capital,Equity,Capital
4000,4000,Sales,Income,Sales
6000,6000,Rent,Expense,Expense
`

const tried = (ledger: string, look: (all: Added) => void, map?: AddOptions['map']): Promise<void> =>
  added(
    { 'chart.csv': CHART, 'gl.csv': ledger },
    look,
    {},
    {
      stated: { currency: 'USD', fiscalMonthEnd: 12, basis: 'accrual' },
      ...(map === undefined ? {} : { map }),
    },
  )

for (const decimals of ['', '.00'])
  programs(`SAP: amounts in local currency beside those of the document, written 5000${decimals}`, () =>
    tried(
      `DocumentNo,Posting Date,G/L Account,Doc. Currency,Amount in doc. curr.,Amount in local currency,Text
1,2025-01-05,1000,USD,5000${decimals},5000,a
1,2025-01-05,3000,USD,-5000${decimals},-5000,a
2,2025-01-15,1000,EUR,100,110${decimals},b
2,2025-01-15,4000,EUR,-100,-110${decimals},b
`,
      ({ result: { maps }, built: { statement } }) => {
        const amount = maps[0]!.columns.find(({ column }) => column === 'amount')
        assert.is(amount?.header, 'Amount in local currency')
        assert.equal(statement('BalanceSheet').rows['1000'], ['5110.00'])
        assert.equal(statement('ProfitAndLoss').rows['4000'], ['110.00'])
      },
    ),
  )

programs('--map finds amounts of whole numbers, where exactly one column of numbers adds up to zero', () =>
  tried(
    `Ref,When,Ledger account,Booked,Pieces
1,2025-01-05,1000,50,3
1,2025-01-05,4000,-50,3
2,2025-01-06,6000,20,3
2,2025-01-06,1000,-20,3
`,
    ({ result: { maps }, built: { statement } }) => {
      const amount = maps[0]!.columns.find(({ column }) => column === 'amount')
      assert.equal([amount?.header, amount?.why], ['Booked', 'holds amounts that add up to zero'])
      assert.equal(statement('ProfitAndLoss').rows['4000'], ['50.00'])
    },
    {},
  ),
)

for (const [taxonomy, isDoubted] of [
  ['S', false],
  ['O', true],
] as const)
  programs(`Portuguese SAF-T of taxonomy ${taxonomy}: kinds by the SNC`, () => {
    const heading = '<GeneralLedgerAccounts>'
    const text = saftFile({
      country: 'PT',
      accounts: '1201 Banco 0.00 100.00 GM\n71 Vendas 0.00 -100.00 GM',
      lines: '1 2025-01-05 1201 100.00\n1 2025-01-05 71 -100.00',
      replace: [[heading, `${heading}<TaxonomyReference>${taxonomy}</TaxonomyReference>`]],
    })
    return proposed({ 'saft.xml': text }, ({ result, yaml }) => {
      assert.equal(result.findings, [])
      const accounts = yaml.split('\n').filter((line) => /^ {2}"?(1201|71)"?:/.test(line))
      const doubts = accounts.map((line) => line.includes('please check: by the SNC'))
      assert.equal(doubts, [isDoubted, isDoubted])
    })
  })

programs('a ledger without its list of accounts says that the list answers their kinds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-programs-'))
  const section = ([account, amount]: readonly [string, string]) =>
    `${account},,,,,,,,\n,01/05/2026,Journal Entry,1,,,Split,${amount},${amount}\nTotal for ${account},,,,,,,${amount},\n`
  const sections = [
    ['1010 Checking', '70.00'],
    ['3100 Stock', '-100.00'],
    ['4010 Sales', '-10.00'],
    ['6100 Rent', '40.00'],
  ] as const
  const header =
    'Distribution account,Transaction date,Transaction type,Num,Name,Memo/Description,Split account,Amount,Balance'
  const text = `General Ledger\nAcme\n"January 1-31, 2026"\n\n${header}\n${sections.map(section).join('')}`
  writeFileSync(join(folder, 'gl.csv'), text)
  await tieout(['init', '.'], { cwd: folder })
  const { out } = await tieout(['add', 'acme', 'gl.csv'], { cwd: folder })
  assert.match(
    out.replace(/\s+/g, ' '),
    'The list of accounts, with the type of each, answers 4 of these questions',
  )
})
