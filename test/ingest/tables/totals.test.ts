/** Rows that sum up others: recognised, checked, left out and told of; never counted twice, never dropped where they differ. */

import * as assert from 'uvu/assert'
import type { Ingested } from '../../../builder/ingest/ingest.ts'
import { suite } from '../../suite.ts'
import { column, fields } from '../../support/fields.ts'
import { buildWith, checkWith, codes as codesOf, companyYaml, only } from '../../support/workspace.ts'
import { codes, ingestBudget, ingestWith } from '../folder.ts'

const totals = suite('totals')

const rowsOf = ({ budgets }: Ingested) =>
  Array.from(budgets[0]!.rows, ({ row, amount }) => `${row} ${amount}`)

totals('subtotals, a result and a grand total of a budget', async () => {
  const intake = await ingestBudget(
    [
      'account,name,2025-01,2025-02',
      'Income,,,',
      '4000,Sales,100,"1,000"',
      '4000,More,50,',
      'Total income,,150,"1,000"',
      'Costs,,,',
      '6000,Rent,40,40',
      ',Summe,40,40',
      'Net income,,110,960',
      'Grand total,,190,"1,040"',
      '6000,Late,1,1',
    ].join('\n'),
    { thousands: ',' },
  )
  assert.equal(rowsOf(intake), [
    '3 100.00',
    '3 1000.00',
    '4 50.00',
    '7 40.00',
    '7 40.00',
    '11 1.00',
    '11 1.00',
  ])
  const left = intake.findings.filter(({ code }) => code === 'total-left-out')
  assert.is(left.length, 1)
  assert.equal(
    [...left[0]!.message.matchAll(/in row (\d+)/g)].map(([, row]) => Number(row)),
    [5, 8, 9, 10],
  )
  assert.equal(
    codes(intake.findings).filter((code) => code !== 'total-left-out'),
    ['columns-not-read', 'budget-details', 'budget-details'],
  )
})

totals('a total that differs is an error with both figures, once', async () => {
  const intake = await ingestBudget('account,2025-01,2025-02\n4000,1,2\n6000,3,4\nTotalt,4,7\n')
  const found = only(intake.findings, 'total-differs')
  assert.equal([found.row, found.column, found.text], [4, '2025-02', '7'])
  assert.match(found.message, '"Totalt" is 7.00, and the rows above it add up to 6.00')
})

totals('without a label the sum of two rows is a total, that of one row maybe its account', async () => {
  const sum = await ingestBudget('account,2025-01\n4000,1\n6000,3\n,4\n')
  assert.equal(codes(sum.findings), ['total-left-out'])
  assert.equal(codes((await ingestBudget('account,2025-01\n4000,1\n,1\n')).findings), ['empty-account'])
  assert.equal(codes((await ingestBudget('account,2025-01\n4000,1\n6000,3\n,5\n')).findings), [
    'empty-account',
  ])
})

totals('an account of that name is one; where rows cannot be read totals are not blamed', async () => {
  const chart = 'id,number,name,classification,type\nTotal,,Total,Income,Sales\na,1,A,Asset,Bank\n'
  const named = await ingestWith(
    { budgets: [{ id: 'b', name: 'B', files: 'b.csv' }] },
    { 'b.csv': 'account,2025-01\nTotal,5\n', 'chart.csv': chart },
  )
  assert.equal(rowsOf(named), ['2 5.00'])
  const broken = await ingestBudget('account,2025-01\n4000,x\n6000,3\nTotal,4\n')
  assert.equal(codes(broken.findings).sort(), ['unknown-account', 'unreadable-amount'])
})

totals('one figure per row, and metrics', async () => {
  const long = await ingestBudget('account,month,amount\n4000,2025-01,1\n4000,2025-02,2\nTotal,,3\n')
  assert.equal(rowsOf(long), ['2 1.00', '3 2.00'])
  const metrics = await ingestWith(
    {
      metrics: [{ files: 'm.csv' }],
      nonFinancial: [{ id: 'heads', name: 'Heads', aggregation: 'last' }],
      departments: 'd.csv',
    },
    {
      'm.csv': 'metric,department,2025-01\nheads,a,1.5\nheads,b,2\nTotal,,3.5\n',
      'd.csv': 'id,name\na,A\nb,B\n',
    },
  )
  assert.equal(codes(metrics.findings), ['total-left-out'])
  assert.equal(column(metrics.metrics, 'value'), ['1.5', '2'])
})

const HEADER = 'transaction_id,date,account,debit,credit,memo'
const entry = (id: number, amount: string) =>
  `${id},2025-01-15,bank,${amount},,\n${id},2025-01-15,sales,,${amount},\n`
const ledger = (rows: string) => ({ 'company.yaml': companyYaml(), 'ledger.csv': `${HEADER}\n${rows}` })

totals('a ledger that ends with its sums, with a label or without', () =>
  buildWith(
    ledger(`${entry(1, '10.00')}Total,,,10.00,10.00,\n${entry(2, '5.00')},,,15.00,15.00,\n`),
    ({ result, statement }) => {
      assert.equal(codesOf(result.findings), ['total-left-out', 'total-left-out'])
      assert.equal(fields(result.findings, 'row', 'severity'), [
        [4, 'note'],
        [7, 'note'],
      ])
      assert.is(result.postings, 4)
      assert.is(statement('BalanceSheet').rows.bank?.[0], '15.00')
    },
  ),
)

totals('sums of a ledger that differ are one error; a line without date and account is no sum', async () => {
  const differing = await checkWith(
    ledger(`${entry(1, '10.00')},,,11.00,10.00,Summe\n`),
    ({ result }) => result,
  )
  assert.is(differing.outcome, 'refused')
  const found = only(differing.findings, 'total-differs')
  assert.equal(codesOf(differing.findings), ['total-differs'])
  assert.equal([found.row, found.text], [4, 'Summe'])
  assert.match(found.message, 'debits are 10.00, credits 10.00')
  const line = await checkWith(ledger(`${entry(1, '10.00')}2,,,10.00,10.00,fees\n`), ({ result }) => result)
  assert.ok(!codesOf(line.findings).some((code) => code.startsWith('total-')))
  assert.is(line.outcome, 'refused')
})
