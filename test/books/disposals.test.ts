/** Disposals shown gross on the cash flow: proceeds in Investing, the gain or loss added back, nothing else moved. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { type Built, buildWith, companyYaml, ledgerCsv, type Read } from '../support/workspace.ts'

const test = suite('disposals')
const CHART = `id,number,name,classification,type
bank,1000,Bank,Asset,Bank
equipment,1500,Equipment,Asset,FixedAsset
dep,1590,Accumulated depreciation,Asset,AccumulatedDepreciation
capital,3000,Capital,Equity,Capital
dividends,3100,Dividends,Equity,Drawings
sales,4000,Sales,Income,Sales
depreciation,6100,Depreciation,Expense,Depreciation
loss,8000,Loss on sale,OtherExpense,OtherExpense
`
/** Net income 67,000 after depreciation 28,000 and a loss of 5,000 on an asset of 35,000 with 16,000 depreciated. */
const TEXTBOOK = ledgerCsv(`
  open 2025-01-01 bank 100000.00; open 2025-01-01 equipment 35000.00; open 2025-01-01 dep -16000.00; open 2025-01-01 capital -119000.00
  s 2025-01-10 bank 100000.00; s 2025-01-10 sales -100000.00
  d 2025-01-31 depreciation 28000.00; d 2025-01-31 dep -28000.00
  sale 2025-02-10 bank 14000.00 EAST; sale 2025-02-10 dep 16000.00 EAST; sale 2025-02-10 loss 5000.00 WEST; sale 2025-02-10 equipment -35000.00 EAST
  buy 2025-02-12 equipment 70000.00; buy 2025-02-12 bank -70000.00
  build 2025-02-14 equipment 53000.00; build 2025-02-14 bank -53000.00
  div 2025-02-20 dividends 14000.00; div 2025-02-20 bank -14000.00`)
const built = (more: string, look: (built: Built) => void): Promise<void> =>
  buildWith(
    {
      'company.yaml': companyYaml(`classes: classes.csv\nopening: { transactions: [open] }\n${more}`),
      'chart.csv': CHART,
      'classes.csv': 'id,name\nEAST,East\nWEST,West\n',
      'ledger.csv': TEXTBOOK,
    },
    look,
  )
const GROSS = 'disposals: { gainsAndLosses: [loss] }'
const row = (statement: Read, id: string): string => statement.rows[id]?.join(' ') ?? '-'

test('the textbook: operating 100,000, investing −109,000, financing −14,000', () =>
  built(GROSS, (gross) => {
    const flow = gross.statement('CashFlow')
    assert.is(row(flow, 'dep'), '28000.00 0.00')
    assert.is(row(flow, 'loss'), '0.00 5000.00')
    assert.is(row(flow, 'equipment'), '0.00 -109000.00')
    assert.is(row(flow, 'net-income'), '72000.00 -5000.00')
    assert.equal(flow.totals.NetCashFromOperating, ['100000.00', '0.00'])
    assert.equal(flow.totals.NetCashFromInvesting, ['0.00', '-109000.00'])
    assert.equal(flow.totals.NetCashFromFinancing, ['0.00', '-14000.00'])
    assert.ok(gross.result.tieOuts.every((tieOut) => tieOut.LargestDifference === '0.00'))
    const chart = JSON.parse(gross.read('chart-of-accounts.json')) as {
      Data: { Id: string; Statements: string[] }[]
    }
    assert.equal(chart.Data.find((entry) => entry.Id === 'loss')?.Statements, ['ProfitAndLoss', 'CashFlow'])
  }))

test('nothing but the rows of the cash flow changes: same P&L, balance sheet, totals of cash', async () => {
  const texts: string[][] = []
  for (const more of ['', GROSS])
    await built(more, (company) => {
      const flow = company.statement('CashFlow')
      texts.push([
        company.statement('ProfitAndLoss').text,
        company.statement('BalanceSheet').text,
        company.statement('BalanceSheet', { classId: 'EAST' }).text,
        JSON.stringify([flow.totals.NetChangeInCash, flow.totals.BeginningCash, flow.totals.EndingCash]),
        String(company.result.postings),
      ])
    })
  assert.equal(texts[0], texts[1])
})

test('an account that is not an income or expense account is a finding with its line', () =>
  built('disposals: { gainsAndLosses: [loss, equipment] }', (company) => {
    assert.is(company.result.outcome, 'refused')
    const [found] = company.result.findings
    assert.is(found?.code, 'unknown-account')
    assert.is(found?.column, 'disposals.gainsAndLosses.1')
  }))

test('of two assets that leave at the same cost, the one that is posted first takes the gain or loss', () =>
  buildWith(
    {
      'company.yaml': companyYaml(GROSS),
      'chart.csv': `${CHART}van,1600,Van,Asset,FixedAsset\n`,
      'ledger.csv': ledgerCsv(`
        buy 2025-01-10 equipment 500.00; buy 2025-01-10 van 500.00; buy 2025-01-10 capital -1000.00
        sale 2025-02-10 van -500.00; sale 2025-02-10 equipment -500.00; sale 2025-02-10 bank 900.00; sale 2025-02-10 loss 100.00`),
    },
    (both) => {
      const flow = both.statement('CashFlow')
      assert.equal([row(flow, 'van'), row(flow, 'equipment')], ['-500.00 400.00', '-500.00 500.00'])
    },
  ))

test.run()
