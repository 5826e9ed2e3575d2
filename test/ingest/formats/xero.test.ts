/** Xero: what its reports look like, what they leave unsaid, and what is refused, each through a whole build. */

import * as assert from 'uvu/assert'
import { XERO } from '../../../builder/ingest/formats/reports/programs/xero.ts'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { accountTransactions, generalLedgerDetail } from '../../peers/business/xero.ts'
import { suite } from '../../suite.ts'
import { added, proposed } from '../../support/added.ts'
import { makeBusiness } from '../../support/business.ts'
import { cases } from '../../support/case-file.ts'
import { intakeOf } from '../../support/readings.ts'
import { csvOf, type ReportRow } from '../../support/report-files.ts'
import { codes, findingsOf } from '../../support/workspace.ts'

const test = suite('Xero')

const told = (findings: readonly Finding[]): string[] =>
  codes(findings).filter((code) => code !== 'abnormal-balance')

const title = (period: string): ReportRow[] => [
  ['Account Transactions'],
  ['Acme Ltd'],
  [period],
  ['Accrual Basis'],
  [],
]
const HEAD = 'Date,Source,Contact,Description,Reference,Debit,Credit,Running Balance,Account Code'.split(',')

/** A sale of 120.00 for cash and rent of 20.00, in sections; the bank has no code. */
const APRIL: readonly ReportRow[] = [
  ...title('For the month ended 30 April 2025'),
  HEAD,
  ['Bank'],
  ['Opening Balance', '', '', '', '', '1,000.00', '0.00', '1,000.00'],
  ['07 Apr 2025', 'Receive Money', 'Ann', 'Sale', 'R1', '120.00', '0.00', '1,120.00', ''],
  ['30 Apr 2025', 'Spend Money', 'Bob', 'Rent', 'S1', '0.00', '20.00', '1,100.00', ''],
  ['Total Bank', '', '', '', '', '120.00', '20.00', '1,100.00'],
  ['Closing Balance', '', '', '', '', '1,100.00', '0.00', '1,100.00'],
  ['Capital (970)'],
  ['Opening Balance', '', '', '', '', '0.00', '1,000.00', '(1,000.00)'],
  ['Total Capital (970)', '', '', '', '', '0.00', '0.00', '(1,000.00)'],
  ['Closing Balance', '', '', '', '', '0.00', '1,000.00', '(1,000.00)'],
  ['Sales'],
  ['07 Apr 2025', 'Receive Money', 'Ann', 'Sale', 'R1', '0.00', '120.00', '(120.00)', '200'],
  ['Total Sales', '', '', '', '', '0.00', '120.00', '(120.00)'],
  ['469 - Rent'],
  ['30 Apr 2025', 'Spend Money', 'Bob', 'Rent', 'S1', '20.00', '0.00', '20.00', '469'],
  ['Total 469 - Rent', '', '', '', '', '20.00', '0.00', '20.00'],
  ['Total', '', '', '', '', '140.00', '140.00', '0.00'],
]
test('a report that was cut off anywhere is refused', async () => {
  const all = accountTransactions(makeBusiness()).files
  const lines = (all['gl.csv'] as Buffer).toString('latin1').split('\n')
  for (let i = 1; i <= 10; i++) {
    const text = `${lines.slice(0, Math.floor((lines.length * i) / 11) + (i % 3)).join('\n')}\n`
    const cut = { ...all, 'gl.csv': Buffer.from(text, 'latin1') }
    const read = codes((await intakeOf(cut)).findings)
    const found = read.includes('report-cut-off') ? read : codes(await findingsOf(cut))
    assert.ok(
      found.some((code) => ['report-cut-off', 'unbalanced-transaction'].includes(code)),
      `${i}: ${found}`,
    )
  }
})

test('add: kinds by the types in the report, else by the chart; tracking categories are asked about', async () => {
  const chart = csvOf([
    '*Code,*Name,*Type,*Tax Code,Description,Dashboard,Expense Claims,Enable Payments,Balance'.split(','),
    ['', 'Bank', 'Bank', 'No VAT', '', 'Yes', 'No', 'No', ''],
    ['970', 'Capital', 'EQUITY', 'No VAT', '', 'No', 'No', 'No', ''],
    ['200', 'Sales', 'Revenue', '20% VAT', '', 'No', 'No', 'No', ''],
    ['469', 'Rent', 'OVERHEADS', '20% VAT', '', 'No', 'No', 'No', ''],
  ])
  const answers = { fiscalMonthEnd: '3', currency: 'GBP' }
  await added(
    { 'apr.csv': csvOf(APRIL), 'chart.csv': chart },
    ({ yaml, built: { result, statement } }) => {
      assert.match(yaml, /name: Acme Ltd/)
      assert.match(yaml, /"Bank": \{ classification: Asset, type: Bank \}/)
      assert.match(yaml, /"469": \{ classification: Expense, type: Expense \} # Rent\n/)
      assert.not.match(yaml, /classification: FILL IN/)
      assert.equal(told(result.findings), [])
      assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['100.00'])
    },
    answers,
  )
  await proposed({ 'gl.xlsx': generalLedgerDetail(makeBusiness()).files['gl.xlsx']! }, ({ yaml }) => {
    for (const line of [
      '"Class": class # Class\n  "Department": department',
      '"1590": { classification: Asset, type: AccumulatedDepreciation } # Plant depreciation; accumulated depreciation by its name, please check',
      '"3000": { classification: FILL IN } # Capital; kind unknown: neither the report nor a list of accounts states it',
    ])
      assert.match(yaml, line)
  })
})

test('types in words and in codes', () => {
  for (const [type, name, expected] of [
    ['Current Asset', 'x', 'Asset OtherCurrentAsset'],
    ['CURRENT', 'x', 'Asset OtherCurrentAsset'],
    ['Non-current Asset', 'x', 'Asset OtherAsset'],
    ['NONCURRENT', 'x', 'Asset OtherAsset'],
    ['CURRLIAB', 'x', 'Liability OtherCurrentLiability'],
    ['TERMLIAB', 'x', 'Liability LongTermLiability'],
    ['Non-current Liability', 'x', 'Liability LongTermLiability'],
    ['DIRECTCOSTS', 'x', 'CostOfSales CostOfSales'],
    ['OTHERINCOME', 'x', 'OtherIncome OtherIncome'],
    ['DEPRECIATN', 'x', 'Expense Depreciation'],
    ['Overhead', 'x', 'Expense Expense'],
    ['Sales', 'x', 'Income Sales'],
    ['Tithes', 'x', null],
    ['Current Asset', 'Accounts Receivable', 'Asset AccountsReceivable'],
    ['Current Liability', 'VAT', 'Liability SalesTax'],
    ['', 'Retained Earnings', 'Equity RetainedEarnings'],
    ['', 'x', null],
  ] as const) {
    const found = XERO.accountKind({ number: '', name, type, detailType: '' })
    assert.is(found && `${found.classification} ${found.type}`, expected, `${type}, ${name}`)
  }
})

cases(test, new URL('cases/xero.yaml', import.meta.url))
