/** Accounts that are in no statement: off the balance sheet, or statistical. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { suite } from '../suite.ts'
import { fecOf, lines } from '../support/fec.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  findingsText,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('accounts in no statement')

const SALES = '1 2025-01-05 bank 100; 1 2025-01-05 sales -100; 2 2025-02-05 rent 30; 2 2025-02-05 bank -30'
const files = (entries: string, kind = 'Statistical', more = ''): Files => ({
  'company.yaml': companyYaml(more),
  'chart.csv': `${CHART}heads,9000,Headcount,${kind},\n`,
  'ledger.csv': ledgerCsv(`${SALES}; ${entries}`),
})

test('statistical rows need no counterpart, and move nothing', () =>
  buildWith(files('s 2025-01-31 heads 12; s2 2025-02-28 9000 14'), (built) => {
    assert.equal(codes(built.result.findings), ['not-in-statements'])
    const { message } = only(built.result.findings, 'not-in-statements')
    assert.match(
      message,
      /^2 lines on account 9000 Headcount are in no statement .*: debits 26\.00, credits 0\.00$/,
    )
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome!.slice(0, 2), ['100.00', '-30.00'])
    assert.is(built.statement('BalanceSheet').totals.TotalAssets!.at(-1), '70.00')
    assert.not.match(built.read('chart-of-accounts.json'), /heads|Headcount/)
  }))

test('beside lines of the statements that balance they are left out; where these do not balance it is refused', async () => {
  await buildWith(
    files('3 2025-02-06 rent 5; 3 2025-02-06 bank -5; 3 2025-02-06 heads 1', 'NotInStatements'),
    (built) => {
      assert.equal(codes(built.result.findings), ['not-in-statements'])
      assert.is(built.statement('ProfitAndLoss').totals.NetIncome![1], '-35.00')
    },
  )
  await buildWith(files('3 2025-02-06 rent 5; 3 2025-02-06 heads -5', 'Off-balance sheet'), ({ result }) => {
    assert.is(result.snapshotId, null)
    assert.match(only(result.findings, 'not-in-statements-mixed').message, /^entry 3 .* add up to 5\.00/)
    assert.not.ok(codes(result.findings).includes('unbalanced-transaction'))
  })
})

test('their openings, budgets and balances are left out too', () =>
  buildWith(
    {
      ...files(
        'o 2025-01-01 bank 50; o 2025-01-01 capital -50; o 2025-01-01 heads 10',
        'NotInStatements',
        'opening: { transactions: [o] }\nbudgets: [{ id: plan, name: Plan, files: plan.csv }]\ntrialBalance: [{ files: tb.csv, date: 2025-02-28 }]',
      ),
      'plan.csv': 'account,2025-01\nsales,90\nheads,11\n',
      'tb.csv':
        'account,debit,credit\nbank,120.00,\ncapital,,50.00\nsales,,100.00\nrent,30.00,\nheads,10.00,10.00\n',
    },
    (built) => {
      assert.ok(built.result.snapshotId, findingsText(built.result.findings))
      assert.is(built.statement('CashFlow').totals.BeginningCash![0], '50.00')
      assert.equal(Object.keys(built.statement('ProfitAndLoss', { budgetId: 'plan' }).rows), ['sales'])
    },
  ))

test('the type of Odoo is proposed as a classification', () =>
  inWorkspace({}, async (workspace) => {
    const folder = join(workspace.root, 'exports')
    writeFiles(folder, {
      'acc.csv':
        'Code,Account Name,Type\n1000,Bank,Bank and Cash\n3000,Capital,Equity\n9000,Guarantees,Off-Balance Sheet\n9001,Contra,Off-Balance Sheet\n',
      'o.csv': `Date,Journal Entry,Account,Partner,Label,Debit,Credit,Balance,Status
2025-01-05,BNK1/2025/0001,1000 Bank,,Own,1000.00,0.00,1000.00,Posted
2025-01-05,BNK1/2025/0001,3000 Capital,,Own,0.00,1000.00,-1000.00,Posted
2025-01-15,MISC/2025/0001,9000 Guarantees,,G,500.00,0.00,500.00,Posted
2025-01-15,MISC/2025/0001,9001 Contra,,G,0.00,500.00,-500.00,Posted
`,
    })
    const paths = ['acc.csv', 'o.csv'].map((name) => join(folder, name))
    await addCompany(workspace, COMPANY, paths, {
      stated: { currency: 'USD', fiscalMonthEnd: 12, basis: 'accrual' },
    })
    const yaml = readFileSync(join(workspace.datasets, COMPANY, 'company.yaml'), 'utf8')
    assert.match(yaml, /"9001": \{ classification: NotInStatements \}/)
    const built = await buildIn(workspace, COMPANY)
    assert.match(
      only(built.result.findings, 'not-in-statements').message,
      /^2 lines on accounts 9000 Guarantees, 9001 Contra .* debits 500\.00, credits 500\.00$/,
    )
    assert.is(built.statement('BalanceSheet').totals.TotalAssets!.at(-1), '1000.00')
  }))

test('class 8 of a FEC; company.yaml states it as a classification', async () => {
  const fec = lines(`
    AN 1 20230101 512000 1000,00
    AN 1 20230101 101000 -1000,00
    VE 2 20230215 512000 150,00
    VE 2 20230215 706000 -150,00
    OD 3 20230216 871000 -40,00
    OD 3 20230216 864000 40,00`)
  await buildWith(
    {
      'company.yaml':
        'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: EUR\nledger: [{ files: "*FEC*" }]\naccounts: { "706000": { classification: Income }, "871000": { classification: NotInStatements } }\n',
      '123456789FEC20231231.txt': fecOf(fec),
    },
    (built) => {
      assert.match(
        only(built.result.findings, 'not-in-statements').message,
        /^2 lines on accounts .*864000.* debits 40\.00, credits 40\.00$/,
      )
      assert.is(built.statement('ProfitAndLoss').totals.NetIncome![1], '150.00')
    },
  )
})
