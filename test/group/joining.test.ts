/** Members that join and leave: what they bring and take, by hand. */
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { buildAll, GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { CHART, codes, type Files, findingsText, ledgerCsv } from '../support/workspace.ts'

const test = suite('joining')

const WITH_STAKE = `${CHART}stake,1800,Shares in members,Asset,OtherAsset\n`
/** It buys 80 % of beta for 800 in February, and sells them for 1,000 in March. */
const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'chart.csv': WITH_STAKE,
  'ledger.csv': ledgerCsv(`
    1 2025-01-02 bank 2000.00; 1 2025-01-02 capital -2000.00
    2 2025-02-01 stake 800.00; 2 2025-02-01 bank -800.00
    3 2025-03-31 bank 1000.00; 3 2025-03-31 stake -800.00; 3 2025-03-31 gain -200.00
    4 2025-04-10 till 5.00; 4 2025-04-10 bank -5.00`),
}
/** When it joins it has 300 of cash and 700 of plant, capital of 900 and results of 100. */
const BETA: Files = {
  'company.yaml': memberYaml('beta'),
  'ledger.csv': ledgerCsv(`
    1 2024-05-02 bank 200.00; 1 2024-05-02 plant 700.00; 1 2024-05-02 capital -900.00
    2 2025-01-10 bank 100.00; 2 2025-01-10 sales -100.00
    3 2025-02-10 bank 50.00; 3 2025-02-10 sales -50.00
    4 2025-03-10 bank 30.00; 4 2025-03-10 sales -30.00
    5 2025-04-10 bank 9.00; 5 2025-04-10 sales -9.00`),
}
const GROUP_FILES: Files = {
  'company.yaml': groupYaml(
    'members: [{ company: alpha, accounts: alpha.csv }, { company: beta, share: 80, from: 2025-02-01, to: 2025-03-31 }]\neliminations: eliminations.csv',
    'disposals: { gainsAndLosses: [gain, results-of-leaving] }\n',
  ),
  'alpha.csv': 'account,group_account\nstake,investments-in-members\n',
  'eliminations.csv': `transaction_id,date,account,debit,credit,member
E1,2025-02-01,capital,720.00,,eliminations
E1,2025-02-01,results-before-joining,80.00,,eliminations
E1,2025-02-01,investments-in-members,,800.00,eliminations
E2,2025-03-31,capital,,720.00,eliminations
E2,2025-03-31,results-before-joining,,80.00,eliminations
E2,2025-03-31,investments-in-members,800.00,,eliminations
`,
}

test('what a member brings and takes is no cash flow but for cash, which stands against the price', () =>
  inGroup({ alpha: ALPHA, beta: BETA, [GROUP]: GROUP_FILES }, async (workspace) => {
    const built = await buildAll(workspace, ['alpha', 'beta', GROUP])
    assert.equal(codes(built.result.findings), ['cash-flow-by-entry'], findingsText(built.result.findings))
    const { rows, totals } = built.statement('BalanceSheet')
    assert.equal(rows.plant, ['0.00', '700.00', '0.00', '0.00'])
    assert.equal(rows['non-controlling-interests'], ['0.00', '210.00', '0.00', '0.00'])
    assert.equal(rows.capital, ['2000.00', '2000.00', '2000.00', '2000.00'])
    assert.is(rows['investments-in-members'], undefined)
    assert.is(rows['results-before-joining'], undefined)
    // 80 % of 50 in February; the group gets 1,000 for 864 of net assets in March, and 80 % of 30.
    assert.equal(rows['current-year-earnings'], ['0.00', '40.00', '200.00', '200.00'])
    assert.equal(totals.TotalEquity, ['2000.00', '2250.00', '2200.00', '2200.00'])
    const result = built.statement('ProfitAndLoss')
    assert.equal(result.rows.sales, ['0.00', '50.00', '30.00', '0.00'])
    assert.equal(result.rows['results-of-leaving'], ['0.00', '0.00', '-64.00', '0.00'])
    assert.equal(result.totals.NetIncome, ['0.00', '50.00', '166.00', '0.00'])
    const flow = built.statement('CashFlow')
    // 300 of cash for 800, and 380 of cash for 1,000.
    assert.equal(flow.rows['investments-in-members'], ['0.00', '-500.00', '-380.00', '0.00'])
    assert.equal(flow.rows['disposal-proceeds'], ['0.00', '0.00', '1000.00', '0.00'])
    assert.equal(flow.totals.NetCashFromOperating, ['0.00', '50.00', '30.00', '0.00'])
    assert.is(flow.rows.plant, undefined)
    assert.equal(flow.totals.EndingCash, ['2000.00', '1550.00', '2200.00', '2200.00'])
  }))

test('the translation difference of a member that leaves moves to income', () =>
  inGroup(
    {
      alpha: { ...ALPHA, 'chart.csv': WITH_STAKE },
      beta: { ...BETA, 'company.yaml': memberYaml('beta', 'currency: EUR\n') },
      [GROUP]: {
        'company.yaml': groupYaml(
          'members: [{ company: alpha }, { company: beta, to: 2025-03-31 }]\nrates: rates.csv',
        ),
        'chart.csv': WITH_STAKE,
        'rates.csv': `1 EUR = x USD
currency,month,average,closing
EUR,2024-12,,1.00
EUR,2025-01,1.00,1.00
EUR,2025-02,1.00,1.10
EUR,2025-03,1.10,1.10
`,
      },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['alpha', 'beta', GROUP])
      const { rows, totals } = built.statement('BalanceSheet', { classId: 'beta' })
      // 1,050 rise by a tenth, but the 50 of February are at 1.00.
      assert.equal(rows['translation-difference'], ['0.00', '105.00', '0.00', '0.00'])
      assert.equal(totals.TotalAssets, ['1000.00', '1155.00', '0.00', '0.00'])
      const result = built.statement('ProfitAndLoss', { classId: 'beta' })
      // Net assets of 1,188 go, of which capital was 900 and 105 are income now: 183 were results of before.
      assert.equal(result.rows['results-of-leaving'], ['0.00', '0.00', '-183.00', '0.00'])
    },
  ))

test('a member joins on the first day of a month, and does not say with which month the group begins', () =>
  inGroup(
    {
      alpha: ALPHA,
      beta: {
        ...BETA,
        'ledger.csv': ledgerCsv(
          '1 2025-02-10 bank 50.00; 1 2025-02-10 capital -50.00; 2 2025-04-10 bank 1.00; 2 2025-04-10 sales -1.00',
        ),
      },
      [GROUP]: {
        'company.yaml': groupYaml('members: [{ company: alpha }, { company: beta, from: 2025-02-01 }]'),
        'chart.csv': WITH_STAKE,
      },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['alpha', 'beta', GROUP])
      assert.equal(built.result.coverage, { startDate: '2025-01-01', endDate: '2025-04-30' })
      // A member that is founded brings nothing.
      assert.equal(built.statement('CashFlow', { classId: 'beta' }).rows.capital, [
        '0.00',
        '50.00',
        '0.00',
        '0.00',
      ])
    },
  ))
