/** Accounts as people and programs write them: read where exactly one account of the chart is meant, by one rule for all tables. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { intakeOf } from '../support/readings.ts'
import { buildWith, CHART, codes, companyYaml, findingsOf, only } from '../support/workspace.ts'

const forms = suite('forms of accounts')

const HEADER = 'transaction_id,date,account,debit,credit'
const ledger = (bank: string, id = '1') =>
  `${HEADER}\n${id},2025-01-15,${bank},70.00,\n${id},2025-01-15,sales,,70.00\n`
const SHORT = `${CHART}small,0100,Petty cash,Asset,Bank\n`

const WRITTEN = [
  '1000 – Bank',
  '1000 - bank',
  '[1000] Bank',
  '[1000]',
  '1000-Bank',
  '1000/Bank',
  '1000: Bank',
  '1000_Bank',
  'Bank [1000]',
  'Bank / 1000',
  '1000.0',
  '1000.00',
  '="1000"',
  '"=""1000"""',
]
const MAP =
  'ledger: [{ files: ledger.csv, columns: { transaction_id: transaction_id, date: date, account: account, debit: debit, credit: credit, memo: account + date } }]\n'

for (const [where, more] of [
  ['a ledger', ''],
  ['a ledger with a map of its columns', MAP],
] as const)
  forms(`each form is account 1000 in ${where}`, () => {
    const all = WRITTEN.map((written, i) => ledger(written, `${i}`).slice(HEADER.length + 1))
    const files = { 'company.yaml': companyYaml(more), 'ledger.csv': `${HEADER}\n${all.join('')}` }
    return buildWith(files, ({ result, statement }) => {
      assert.equal(
        result.findings.filter(({ severity }) => severity === 'error'),
        [],
      )
      assert.equal(statement('BalanceSheet').rows.bank, [(70 * WRITTEN.length).toFixed(2)])
    })
  })

for (const written of WRITTEN)
  forms(`${written} is account 1000 in a budget and a trial balance`, async () => {
    const { budgets, trialBalances, findings } = await intakeOf({
      'company.yaml': companyYaml(
        'budgets: [{ id: b, name: B, files: budget.csv }]\ntrialBalance: [{ files: tb.csv, date: 2025-01-31 }]',
      ),
      'chart.csv': CHART,
      'ledger.csv': ledger('bank'),
      'budget.csv': `account,2025-01\n${written},50.00\n`,
      'tb.csv': `account,balance\n${written},70.00\nsales,-70.00\n`,
    })
    assert.equal(codes(findings), [])
    assert.equal(
      [...budgets[0]!.rows].map(({ account }) => account),
      ['bank'],
    )
    assert.equal(
      trialBalances[0]!.rows.map(({ account }) => account),
      ['bank', 'sales'],
    )
  })

forms('100 is account 0100, where the chart has no 100', () =>
  buildWith({ 'chart.csv': SHORT, 'ledger.csv': ledger('100') }, ({ result, statement }) => {
    assert.equal(codes(result.findings), [])
    assert.equal(statement('BalanceSheet').rows.small, ['70.00'])
  }),
)

forms('100 beside 0100 in one ledger may be an account that the chart lacks: asked by name', async () => {
  const both = ledger('100') + ledger('0100', '2').slice(HEADER.length + 1)
  const found = only(await findingsOf({ 'chart.csv': SHORT, 'ledger.csv': both }), 'unknown-account')
  assert.equal([found.row, found.text], [2, '100'])
  assert.match(found.remedy!, 'is it 0100 Petty cash?')
})

for (const [written, meant] of [
  ['1000 Savings', '1000 Bank'],
  ['[1000] Savings', '1000 Bank'],
  ['savings (1000)', '1000 Bank'],
  ['cost of GOODS', '5000 Cost of goods'],
] as const)
  forms(`${written} is not read: the finding names ${meant}`, async () => {
    const found = only(await findingsOf({ 'ledger.csv': ledger(written) }), 'unknown-account')
    assert.match(found.remedy!, `is it ${meant}?`)
  })

forms('a text that fits two accounts is none of them', async () => {
  const twice = CHART.replace('till,1010,Till', 'till,1000,Bank')
  const found = await findingsOf({ 'chart.csv': twice, 'ledger.csv': ledger('1000/Bank') })
  assert.is(only(found, 'unknown-account').text, '1000/Bank')
})

forms('ids written as formulas are one entry each, and rows keep their numbers', async () => {
  const text = `${HEADER}\n="1",2025-01-15,="1000",70.00,\n="1",2025-01-15,="4000",,70.00\n\n="2",soon,="1000",1.00,\n`
  const found = only(await findingsOf({ 'ledger.csv': text }), 'unreadable-date')
  assert.equal([found.row, found.text], [5, 'soon'])
})
