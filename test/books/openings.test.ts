/** Openings are state, not activity; later ones must carry on, or book a result into equity (accounting.md §3). */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { type Built, buildWith, codes, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('openings')

/** Openings `o1` and `o2`, of which 100.00 of earlier results are stated as not closed; the entries between them. */
const years = (entries: string, notClosed = '100.00'): Files => ({
  'company.yaml': companyYaml(`opening: { transactions: [o1, o2], priorYearsNotClosed: ${notClosed} }`),
  'ledger.csv': ledgerCsv(entries),
})
const sheet = ({ result, statement }: Built) => {
  assert.equal(codes(result.findings), [])
  const { months, rows } = statement('BalanceSheet')
  const at = (id: string, month: string) => rows[id]?.[months.indexOf(month)] ?? '0.00'
  return (month: string) => ({
    retained: at('retained', month),
    current: at('current-year-earnings', month),
    prior: at('prior-years-not-closed', month),
  })
}

for (const [what, booked, retained, prior] of [
  [
    'the result of the last year alone is booked into equity; older ones stay not closed',
    50,
    '50.00',
    '100.00',
  ],
  ['all that is not closed is booked, the last year and older ones', 150, '150.00', '0.00'],
] as const)
  test(what, async () => {
    const at = await buildWith(
      years(`o1 2024-01-01 bank 300; o1 2024-01-01 capital -200; 1 2024-06-01 bank 50; 1 2024-06-01 sales -50;
             o2 2025-01-01 bank 350; o2 2025-01-01 capital -200; o2 2025-01-01 retained -${booked}; 2 2025-01-05 bank 7; 2 2025-01-05 sales -7`),
      sheet,
    )
    for (const month of ['2024-11', '2024-12'])
      assert.equal(at(month), { retained: '0.00', current: '50.00', prior: '100.00' })
    assert.equal(at('2025-01'), { retained, current: '7.00', prior })
  })

test('what a closing entry has moved already is not booked again', async () => {
  const files =
    years(`o1 2024-01-01 bank 200; o1 2024-01-01 capital -200; 1 2024-06-01 bank 50; 1 2024-06-01 sales -50;
           c 2024-12-31 tax 30; c 2024-12-31 retained -30;
           o2 2025-01-01 bank 250; o2 2025-01-01 capital -200; o2 2025-01-01 retained -50; 2 2025-01-05 bank 7; 2 2025-01-05 sales -7`)
  const closed = await buildWith(
    {
      ...files,
      'company.yaml': companyYaml('opening: { transactions: [o1, o2] }\nclosing: { accounts: [tax] }'),
    },
    sheet,
  )
  assert.equal(closed('2024-12'), { retained: '30.00', current: '20.00', prior: '0.00' })
  assert.equal(closed('2025-01'), { retained: '50.00', current: '7.00', prior: '0.00' })
})

test('an opening on a year’s last day stands before the other entries of that day, where the books begin with them', () =>
  buildWith(
    {
      'company.yaml': companyYaml('opening: { transactions: [o] }'),
      'ledger.csv':
        ledgerCsv(`o 2024-12-31 bank 1000; o 2024-12-31 capital -1000; f 2024-12-31 rent 5; f 2024-12-31 bank -5;
        s 2025-01-22 bank 20; s 2025-01-22 sales -20`),
    },
    (built) => {
      const at = sheet(built)
      assert.equal(at('2024-12'), { retained: '0.00', current: '-5.00', prior: '0.00' })
      assert.equal(built.statement('BalanceSheet').rows.bank!.slice(-2), ['995.00', '1015.00'])
      const { months, totals } = built.statement('CashFlow')
      assert.is(totals.BeginningCash![months.indexOf('2024-12')], '1000.00')
    },
  ))

test('an opening that says again what was carried changes nothing', async () => {
  const entries = `o1 2024-01-01 bank 300; o1 2024-01-01 capital -200; 1 2024-06-01 bank 50; 1 2024-06-01 sales -50;
    2 2025-01-05 bank 7; 2 2025-01-05 sales -7`
  const once = await buildWith(
    {
      ...years(entries),
      'company.yaml': companyYaml('opening: { transactions: [o1], priorYearsNotClosed: 100.00 }'),
    },
    ({ statement }) => statement('BalanceSheet').text,
  )
  // Dated on the first day of the year, or on the last day of the year before.
  for (const date of ['2025-01-01', '2024-12-31']) {
    const twice = await buildWith(
      years(`${entries}; o2 ${date} bank 350; o2 ${date} capital -200`),
      ({ statement }) => statement('BalanceSheet').text,
    )
    assert.fixture(twice, once)
  }
})

test('an opening at the end of the year before is the same as one on the first day', async () => {
  const of = (date: string) =>
    buildWith(
      {
        'company.yaml': companyYaml('opening: { transactions: [o1] }'),
        'ledger.csv': ledgerCsv(
          `o1 ${date} bank 200; o1 ${date} capital -150; o1 ${date} sales -80; o1 ${date} rent 30; 1 2024-06-01 bank 50; 1 2024-06-01 sales -50`,
        ),
      },
      ({ statement }) =>
        statement('BalanceSheet').text + statement('CashFlow').text + statement('ProfitAndLoss').text,
    )
  const [before, first] = [await of('2023-12-31'), await of('2024-01-01')]
  assert.fixture(before, first)
  assert.match(first, /"prior-years-not-closed".*"Values":\[50\.00,50\.00,/)
})

test('each basis has its own opening', async () => {
  await buildWith(
    {
      'company.yaml': companyYaml('opening: { transactions: [o] }'),
      'ledger.csv': `transaction_id,date,account,amount,basis
o,2025-01-01,bank,10,accrual
o,2025-01-01,debtors,5,accrual
o,2025-01-01,capital,-15,accrual
o,2025-01-01,bank,10,cash
o,2025-01-01,capital,-10,cash
1,2025-01-02,bank,1,accrual
1,2025-01-02,sales,-1,accrual
1,2025-01-02,bank,1,cash
1,2025-01-02,sales,-1,cash
`,
    },
    ({ statement }) => {
      assert.equal(statement('BalanceSheet', { basis: 'ACCRUAL' }).rows.capital, ['15.00'])
      assert.equal(statement('BalanceSheet', { basis: 'CASH' }).rows.capital, ['10.00'])
      assert.equal(statement('CashFlow', { basis: 'CASH' }).totals.BeginningCash, ['10.00'])
    },
  )
})
