/** Closing entries that nobody marked: of a year's last day, in any format (accounting.md §4). */

import * as assert from 'uvu/assert'
import { withoutNotes } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import { fecOf, lines } from '../support/fec.ts'
import { type Built, buildWith, codes, companyYaml, ledgerCsv, only } from '../support/workspace.ts'

const test = suite('closing entries without a mark')

const of = ({ statement }: Built, name: 'ProfitAndLoss' | 'BalanceSheet' | 'CashFlow', row: string) => {
  const { rows, totals } = statement(name)
  return (rows[row] ?? totals[row] ?? []).filter((figure) => figure !== '0.00')
}
const sum = (figures: readonly (string | null)[]) =>
  figures.reduce((total, figure) => total + Number(figure), 0)

test('a FEC that holds its closing entry keeps its profit and loss', () =>
  buildWith(
    {
      'company.yaml':
        'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: EUR\nledger: [{ files: "*FEC*" }]\n',
      '123456789FEC20231231.txt': fecOf(
        lines(`
  AN 1 20230101 512000 1000,00
  AN 1 20230101 101000 -1000,00
  VE 2 20230215 512000 1500,50
  VE 2 20230215 706000 -1500,50
  AC 3 20230310 613000 500,25
  AC 3 20230310 512000 -500,25
  AC 4 20231210 613000 100,00
  AC 4 20231210 512000 -100,00
  CL 5 20231231 706000 1500,50
  CL 5 20231231 613000 -600,25
  CL 5 20231231 120000 -900,25`),
      ),
    },
    (built) => {
      const found = only(built.result.findings, 'closing-entries-found')
      assert.match(found.message, /5 \(2023-12-31\)/)
      assert.is(found.row, 10)
      assert.is(sum(of(built, 'ProfitAndLoss', 'NetIncome')), 900.25)
      assert.is(of(built, 'BalanceSheet', '120000').at(-1), '900.25')
      assert.is(built.statement('BalanceSheet').rows['current-year-earnings']!.at(-1), '0.00')
      assert.is(sum(of(built, 'CashFlow', 'NetChangeInCash')), 900.25)
    },
  ))

/** Two years of activity; what the last day of the first brings is given. */
const YEARS = `1 2024-02-01 bank 500; 1 2024-02-01 sales -500; 2 2024-05-01 rent 200; 2 2024-05-01 bank -200;
  3 2024-12-31 depreciation 50; 3 2024-12-31 creditors -50`
const NEXT = '9 2025-01-15 bank 70; 9 2025-01-15 sales -70'
const ledger = (closing: string, more = '') => ({
  'company.yaml': companyYaml(more),
  'ledger.csv': ledgerCsv(`${YEARS}; ${closing}; ${NEXT}`),
})
const net = (built: Built) => built.statement('ProfitAndLoss').totals.NetIncome!.slice(0, 12)
const OPEN = (built: Built) => assert.is(sum(net(built)), 250)

test('one entry for income and one for expenses; an entry of activity on the same day stays', () =>
  buildWith(
    ledger(`c1 2024-12-31 sales 500; c1 2024-12-31 retained -500;
      c2 2024-12-31 rent -200; c2 2024-12-31 depreciation -50; c2 2024-12-31 retained 250`),
    (built) => {
      OPEN(built)
      assert.equal(codes(built.result.findings), ['closing-entries-found'])
      assert.match(
        only(built.result.findings, 'closing-entries-found').message,
        /year entries c1 \(2024-12-31\), c2 \(2024-12-31\) bring/,
      )
      assert.is(built.statement('ProfitAndLoss').rows.depreciation![11], '50.00')
    },
  ))

test('in the 13th period', () => {
  const [header, ...rows] = ledgerCsv(`${YEARS}; c 2025-01-20 sales 500; c 2025-01-20 rent -200;
    c 2025-01-20 depreciation -50; c 2025-01-20 retained -250; ${NEXT}`).split('\n')
  const csv = [
    `${header},period`,
    ...rows.map((row) => (row === '' ? '' : `${row},${row.startsWith('c,') ? '2024-13' : ''}`)),
  ].join('\n')
  return buildWith({ 'ledger.csv': csv }, (built) => {
    OPEN(built)
    assert.is(only(built.result.findings, 'closing-entries-found').text, 'c')
  })
})

test('an entry that is marked needs no word', () =>
  buildWith(
    ledger(
      'c 2024-12-31 sales 500; c 2024-12-31 rent -200; c 2024-12-31 depreciation -50; c 2024-12-31 retained -250',
      'closing: { transactions: [c] }',
    ),
    (built) => {
      OPEN(built)
      assert.equal(codes(built.result.findings), [])
    },
  ))

const UNCLEAR =
  'c 2024-12-31 sales 500; c 2024-12-31 rent -200; c 2024-12-31 depreciation -50; c 2024-12-31 creditors -80; c 2024-12-31 retained -170'
test('an entry that moves something else too is asked about, and counts as the answer says', async () => {
  await buildWith(ledger(UNCLEAR), (built) => {
    const asked = only(built.result.findings, 'closing-or-activity')
    assert.match(
      asked.message,
      /2 of 2 income and expense accounts to zero, .*: does entry c \(2024-12-31\) close the year/,
    )
    assert.is(sum(net(built)), 0)
  })
})

test('income and expenses that stay are no closing: a correction against equity, a regrouping of costs', async () => {
  for (const entry of [
    'c 2024-12-31 rent -200; c 2024-12-31 retained 200',
    'c 2024-12-31 rent -200; c 2024-12-31 cogs 200',
    'c 2024-12-30 sales 500; c 2024-12-30 rent -200; c 2024-12-30 depreciation -50; c 2024-12-30 retained -250',
  ])
    await buildWith(ledger(entry), (built) =>
      assert.equal(codes(withoutNotes(built.result.findings)), [], entry),
    )
})
