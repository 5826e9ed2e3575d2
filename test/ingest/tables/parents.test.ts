/** Budgets and metrics in which rows of parents stand beside those of their children: accounts, classes, departments. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { codes, errors, ingestWith, only, workbook } from '../folder.ts'

const parents = suite('parents beside their children')

const CHART = `id,number,name,classification,type,parent
1000,1000,Bank,Asset,Bank,
3000,3000,Capital,Equity,Capital,
4,4,Revenue,Income,Sales,
4000,4000,Sales,Income,Sales,4
4100,4100,Service,Income,Sales,4
60,60,Operating costs,Expense,Expense,
6000,6000,Rent,Expense,Expense,60
6100,6100,Wages,Expense,Expense,60
`
const DEPARTMENTS = 'id,name,parent\nhq,Company,\nA,Sales Dept,hq\nB,Ops Dept,hq\n'
const read = (files: Readonly<Record<string, string | Buffer>>, settings: object = {}) =>
  ingestWith(
    {
      departments: 'departments.csv',
      ...('m.csv' in files
        ? {
            nonFinancial: [
              { id: 'units', name: 'Units', aggregation: 'sum' },
              { id: 'rate', name: 'Rate', aggregation: 'average' },
            ],
            metrics: [{ files: 'm.csv', ...settings }],
          }
        : { budgets: [{ id: 'b', name: 'B', files: 'b.*', ...settings }] }),
    },
    { 'chart.csv': CHART, 'departments.csv': DEPARTMENTS, ...files },
  )
type Intake = Awaited<ReturnType<typeof read>>
const figures = ({ budgets }: Intake) =>
  [...budgets[0]!.rows]
    .filter(({ month }) => month === '2025-01')
    .map(({ account, department, amount }) => [account, department, amount].filter(Boolean).join(' '))
const values = ({ metrics }: Intake) =>
  [...metrics].map(({ metric, department, value }) => [metric, department, value].filter(Boolean).join(' '))

parents('a header account that is the sum of its accounts counts once, in every layout', async () => {
  for (const text of [
    'account,2025-01,2025-02\n4000,100,110\n60,70,70\n6000,30,30\n6100,40,40\n',
    'account,month,amount\n4000,2025-01,100\n6000,2025-01,30\n6100,2025-01,40\n60,2025-01,70\n',
    // The header account has no department, and its accounts have one each.
    'account,department,2025-01\n4000,,100\n60,,70\n6000,A,30\n6100,B,40\n',
  ]) {
    const intake = await read({ 'b.csv': text })
    assert.equal(errors(intake), [])
    const left = figures(intake).map((line) => line.replace(/ [AB] /, ' '))
    assert.equal(left.sort(), ['4000 100.00', '6000 30.00', '6100 40.00'], text)
    const said = only(intake.findings, 'parent-left-out')
    assert.match(said.message, '"60"')
  }
})

parents('a department that is the sum of those below counts once, as rows and as a sheet', async () => {
  const rows = 'account,department,2025-01\n4000,A,100\n4000,B,50\n4000,Company,150\nTotal,,150\n'
  const inRows = await read({ 'b.csv': rows })
  assert.equal(errors(inRows), [])
  assert.equal(figures(inRows), ['4000 A 100.00', '4000 B 50.00'])
  const sheet = (amount: number) => [
    ['account', '2025-01'],
    ['4000', amount],
  ]
  const sheets = { Company: sheet(150), 'Sales Dept': sheet(100), 'Ops Dept': sheet(50) }
  const inSheets = await read({ 'b.xlsx': await workbook(sheets) })
  assert.equal(errors(inSheets), [])
  assert.equal(figures(inSheets), ['4000 A 100.00', '4000 B 50.00'])
})

parents('groups above their lines, with a net income that takes each once', async () => {
  const sheet = [
    ['Account', 'Jan 2025', 'Feb 2025'],
    ['Revenue', 150, 150],
    ['   Sales', 100, 100],
    ['   Service', 50, 50],
    ['Operating costs', 70, 70],
    ['   Rent', 30, 30],
    ['   Wages', 40, 40],
    ['Net income', 80, 80],
  ]
  const intake = await read({ 'b.xlsx': await workbook({ 'Budget 2025': sheet }) })
  assert.equal(errors(intake), [])
  assert.equal(figures(intake), ['4000 100.00', '4100 50.00', '6000 30.00', '6100 40.00'])
})

parents('a parent that is not the sum of its children is one question, which a setting answers', async () => {
  const text = 'account,2025-01,2025-02\n4000,100,110\n60,75,70\n6000,30,30\n6100,40,40\n'
  const asked = await read({ 'b.csv': text })
  assert.equal(errors(asked), ['parent-beside-children'])
  const found = only(asked.findings, 'parent-beside-children')
  assert.is(found.row, 3)
  assert.match(found.message, /75\.00.*70\.00/)
  const own = await read({ 'b.csv': text }, { parents: 'own' })
  assert.equal(errors(own), [])
  assert.equal(figures(own), ['4000 100.00', '60 75.00', '6000 30.00', '6100 40.00'])
  // Even where it could be a sum, the answer counts.
  const alike = await read({ 'b.csv': text.replace('75', '70') }, { parents: 'own' })
  assert.equal(figures(alike), ['4000 100.00', '60 70.00', '6000 30.00', '6100 40.00'])
})

parents('a parent with far less than its children has figures of its own, and is not asked', async () => {
  const text = 'account,department,2025-01,2025-02\n6000,hq,5,5\n6000,A,10,10\n6000,B,1,1\n4000,,1,1\n'
  const intake = await read({ 'b.csv': text })
  assert.equal(codes(intake.findings), [])
  assert.equal(figures(intake), ['6000 hq 5.00', '6000 A 10.00', '6000 B 1.00', '4000 1.00'])
})

parents('figures of its own beside its children, which a total of both proves, are not asked', async () => {
  const text =
    'account,2025-01\nRevenue,10\n  Sales,100\nTotal Revenue,110\nOperating costs,30\n  Rent,30\nTotal Operating costs,60\n'
  const intake = await read({ 'b.csv': text })
  assert.equal(errors(intake), [])
  assert.equal(figures(intake), ['4 10.00', '4000 100.00', '60 30.00', '6000 30.00'])
})

parents('metrics that add up: the row of a parent department counts once, or is a question', async () => {
  const text =
    'metric,department,2025-01\nunits,A,3\nunits,B,4.5\nunits,Company,7.5\nrate,A,1\nrate,Company,9\n'
  const intake = await read({ 'm.csv': text })
  assert.equal(errors(intake), [])
  // Averages are never added up over departments, so that each row stands for itself.
  assert.equal(values(intake), ['units A 3', 'units B 4.5', 'rate A 1', 'rate hq 9'])
  const asked = await read({ 'm.csv': text.replace('7.5', '8') })
  assert.match(only(asked.findings, 'parent-beside-children').message, /8.*7\.5/)
  const own = await read({ 'm.csv': text }, { parents: 'own' })
  assert.is(values(own).length, 5)
})
