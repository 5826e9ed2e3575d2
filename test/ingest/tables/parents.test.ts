/** Budgets and metrics in which rows of parents stand beside those of their children: accounts, classes, departments. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { errors, ingestWith, workbook } from '../folder.ts'

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

cases(parents, new URL('cases/parents.yaml', import.meta.url))
