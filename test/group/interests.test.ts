/** Members that the group does not hold wholly: what others have of them, by hand. */
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { suite } from '../suite.ts'
import { buildAll, GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { CHART, codes, type Files, findingsText, ledgerCsv, writeFiles } from '../support/workspace.ts'

const test = suite('interests')

const WITH_STAKE = `${CHART}stake,1800,Shares in members,Asset,OtherAsset\n`
/** It has 2,000 and pays 800 for shares. */
const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'chart.csv': WITH_STAKE,
  'ledger.csv': ledgerCsv(`
    1 2025-01-02 bank 2000.00; 1 2025-01-02 capital -2000.00
    2 2025-01-02 stake 800.00; 2 2025-01-02 bank -800.00`),
}
const INVESTMENT = `transaction_id,date,account,debit,credit,member
E1,2025-01-02,capital,800.00,,eliminations
E1,2025-01-02,stake,,800.00,eliminations
`
const BETA: Files = {
  'company.yaml': memberYaml('beta'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-02 bank 500.00; 1 2025-01-02 capital -500.00
    2 2025-01-10 debtors 100.00; 2 2025-01-10 sales -100.00
    3 2025-02-10 bank 50.00; 3 2025-02-10 sales -50.00`),
}

test('80 % of 1,000 are bought for 800, and the rate rises from 1.00 to 1.10: others have 220, the owners a difference of 80', () =>
  inGroup(
    {
      alpha: ALPHA,
      euro: {
        'company.yaml': memberYaml('euro', 'currency: EUR\n'),
        'ledger.csv': ledgerCsv(`
          1 2024-12-02 bank 400.00; 1 2024-12-02 plant 600.00; 1 2024-12-02 capital -1000.00
          2 2025-01-20 till 5.00; 2 2025-01-20 bank -5.00`),
      },
      [GROUP]: {
        'company.yaml': groupYaml(
          'members: [{ company: alpha }, { company: euro, share: 80 }]\nrates: rates.csv\neliminations: eliminations.csv',
        ),
        'chart.csv': WITH_STAKE,
        'eliminations.csv': INVESTMENT,
        'rates.csv':
          '1 EUR = x USD\ncurrency,month,average,closing\nEUR,2024-12,,1.00\nEUR,2025-01,1.05,1.10\n',
      },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['alpha', 'euro', GROUP])
      // That shares against capital move no cash.
      assert.equal(codes(built.result.findings), ['cash-flow-by-entry'])
      const { rows, totals } = built.statement('BalanceSheet', { classId: 'euro' })
      assert.equal(rows['non-controlling-interests'], ['220.00'])
      assert.equal(rows['translation-difference'], ['80.00'])
      assert.equal(rows.capital, ['800.00'])
      assert.equal(totals.TotalEquity, ['1100.00'])
      const all = built.statement('BalanceSheet')
      assert.equal([all.rows.stake, all.rows.capital], [undefined, ['2000.00']])
      assert.equal(all.totals.TotalEquity, ['2300.00'])
    },
  ))

test('results are divided, and a change of the share moves equity between owners and others', () =>
  inGroup(
    {
      beta: BETA,
      [GROUP]: {
        'company.yaml': groupYaml('members: [{ company: beta, share: { 2025-01-01: 80, 2025-02-01: 90 } }]'),
      },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['beta', GROUP])
      assert.equal(codes(built.result.findings), [], findingsText(built.result.findings))
      assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['100.00', '50.00'])
      const { rows, totals } = built.statement('BalanceSheet')
      // 20 % of 600; then 10 % of 650.
      assert.equal(rows['non-controlling-interests'], ['120.00', '65.00'])
      assert.equal(rows.capital, ['400.00', '450.00'])
      assert.equal(rows['current-year-earnings'], ['80.00', '125.00'])
      const metrics = JSON.parse(built.read('metrics/actuals/all/all.json')) as { Data: unknown[] }
      assert.equal(metrics.Data, [{ NonFinancialId: 'non-controlling-results', Values: [20, 5] }])
      // A tenth of what January earned goes from others to the owners.
      assert.equal(rows['prior-years-not-closed'], ['0.00', '10.00'])
      assert.equal(totals.TotalEquity, ['600.00', '650.00'])
      assert.equal(built.statement('CashFlow').totals.NetChangeInCash, ['500.00', '50.00'])
    },
  ))

test('in a group of groups the interests of others stay whole, and the share is one of what the owners have', () =>
  inGroup(
    {
      beta: {
        ...BETA,
        'ledger.csv': ledgerCsv(`
          1 2025-01-02 bank 900.00; 1 2025-01-02 capital -900.00
          2 2025-01-10 debtors 100.00; 2 2025-01-10 sales -100.00`),
      },
      sub: {
        'company.yaml': groupYaml('members: [{ company: beta, share: 75 }]').replaceAll(GROUP, 'sub'),
      },
      [GROUP]: { 'company.yaml': groupYaml('members: [{ company: sub, share: 80 }]') },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['beta', 'sub', GROUP])
      const { rows, totals } = built.statement('BalanceSheet')
      assert.equal(rows['non-controlling-interests'], ['400.00'])
      assert.equal(rows.capital, ['540.00'])
      assert.equal(rows['current-year-earnings'], ['60.00'])
      assert.equal(totals.TotalEquity, ['1000.00'])
      assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['100.00'])
    },
  ))

test('a share is a percentage, and changes on the first day of a month', () =>
  inGroup({ beta: BETA, [GROUP]: {} }, async (workspace) => {
    for (const share of ['0', '101', 'half', '{ 2025-01-15: 80 }', '{ 2025-01-01: 0 }']) {
      writeFiles(`${workspace.datasets}/${GROUP}`, {
        'company.yaml': groupYaml(`members: [{ company: beta, share: ${share} }]`),
      })
      const { findings } = await build(workspace, GROUP, { publish: true })
      assert.match(findingsText(findings), /group\.members\.0\.share/, share)
    }
  }))
