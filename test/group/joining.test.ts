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
      const flow = built.statement('CashFlow', { classId: 'beta' })
      // 300 and 50 of cash rise by a tenth in February. That 105 are income now moves no cash.
      assert.equal(flow.rows['translation-difference'], ['0.00', '35.00', '0.00', '0.00'])
      assert.equal(flow.rows['investments-in-members'], ['0.00', '0.00', '-235.00', '0.00'])
      assert.equal(flow.totals.EndingCash, ['300.00', '385.00', '0.00', '0.00'])
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

const WITH_PAIRS = `${CHART}lent,1700,Lent to members,Asset,OtherAsset
owed,2600,Owed to members,Liability,LongTermLiability
sold,4100,Sales to members,Income,Sales
bought,5100,Bought of members,CostOfSales,CostOfSales
`

test('members have something with each other while both belong to the group; what was before and comes after is nothing of a pair', () =>
  inGroup(
    {
      alpha: {
        'company.yaml': memberYaml('alpha'),
        'chart.csv': WITH_PAIRS,
        'ledger.csv': ledgerCsv(`
          1 2025-01-02 bank 2000.00; 1 2025-01-02 capital -2000.00
          2 2025-01-05 bank 400.00; 2 2025-01-05 owed -400.00
          3 2025-01-20 bought 500.00; 3 2025-01-20 bank -500.00
          4 2025-02-20 bought 300.00; 4 2025-02-20 creditors -300.00
          5 2025-02-25 bank 60.00; 5 2025-02-25 owed -60.00
          6 2025-04-20 bought 70.00; 6 2025-04-20 bank -70.00`),
      },
      beta: {
        'company.yaml': memberYaml('beta'),
        'chart.csv': WITH_PAIRS,
        'ledger.csv': ledgerCsv(`
          1 2025-01-02 bank 700.00; 1 2025-01-02 capital -700.00
          2 2025-01-05 lent 400.00; 2 2025-01-05 bank -400.00
          3 2025-01-20 bank 500.00; 3 2025-01-20 sold -500.00
          4 2025-02-20 debtors 100.00; 4 2025-02-20 sold -100.00
          5 2025-02-25 lent 60.00; 5 2025-02-25 bank -60.00
          6 2025-04-20 bank 70.00; 6 2025-04-20 sold -70.00`),
      },
      [GROUP]: {
        'company.yaml': groupYaml(
          'members: [{ company: alpha }, { company: beta, from: 2025-02-01, to: 2025-03-31 }]\nintercompany: pairs.csv',
          'disposals: { gainsAndLosses: [results-of-leaving] }\n',
        ),
        'chart.csv': WITH_PAIRS,
        'pairs.csv':
          'member,account,with_member,with_account\nalpha,owed,beta,lent\nalpha,bought,beta,sold\n',
      },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['alpha', 'beta', GROUP])
      // Goods of 200 are on the way in February: the sales of 500 before beta joined do not make up for them.
      assert.equal(
        built.result.findings
          .filter(({ code }) => code === 'intercompany-difference')
          .map(({ message }) => message),
        [
          'alpha 5100 Bought of members and beta 4100 Sales to members do not agree: in 2025-02 300.00 and -100.00, 200.00 apart',
        ],
      )
      assert.equal(built.statement('ProfitAndLoss').rows.bought, ['500.00', '200.00', '0.00', '70.00'])
      assert.is(built.statement('ProfitAndLoss').rows.sold, undefined)
      const { rows } = built.statement('BalanceSheet')
      assert.equal([rows.lent, rows.owed], [undefined, ['400.00', '0.00', '460.00', '460.00']])
      const flow = built.statement('CashFlow')
      // The loan of before is on no cash flow when beta joins and leaves, and the 60 of February move between members.
      assert.equal([flow.rows.lent, flow.rows.owed], [undefined, ['400.00', '0.00', '0.00', '0.00']])
      assert.equal(flow.rows['investments-in-members'], ['0.00', '800.00', '-740.00', '0.00'])
      assert.equal(flow.totals.EndingCash, ['1900.00', '2700.00', '1960.00', '1890.00'])
    },
  ))
