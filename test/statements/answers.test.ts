/** One answer, whichever way: the ad-hoc engine, a slice of the published file, or the empty statement, byte for byte. */
import { existsSync } from 'node:fs'
import * as assert from 'uvu/assert'
import type { RangeBooks } from '../../builder/books/sums/ranges.ts'
import { firstDay, lastDay } from '../../builder/contract/calendar.ts'
import type { DateRange, MetricScope, StatementScope } from '../../builder/contract/document.ts'
import { emptyStatement, sliceMetrics } from '../../builder/contract/encode.ts'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { BASES, STATEMENTS } from '../../builder/contract/vocabulary.ts'
import { metricsPath, statementPath } from '../../builder/snapshot/files/layout.ts'
import { answerMetrics, answerStatement, coverageOf } from '../../builder/statements/answer.ts'
import { publishedSuite } from '../support/published.ts'
import {
  type Built,
  companyYaml,
  type Files,
  ledgerCsv,
  readStatement,
  scopeOf,
} from '../support/workspace.ts'

const METRICS = ['units', 'staff', 'rate', 'least', 'most']
const FILES: Files = {
  'company.yaml': companyYaml(`classes: classes.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial:
${METRICS.map((id, i) => `  - { id: ${id}, name: ${id}, aggregation: ${['sum', 'last', 'average', 'min', 'max'][i]} }`).join('\n')}`),
  'classes.csv': 'id,name,parent\na,A,\na1,A one,a\nb,B,\nidle,Idle,\n',
  'ledger.csv': ledgerCsv(
    '1 2024-02-29 bank 10 a1; 1 2024-02-29 sales -10 a1; 2 2024-04-30 rent 4 b; 2 2024-04-30 bank -4; 3 2024-05-01 bank 9.99 a; 3 2024-05-01 sales -9.99',
  ),
  'plan.csv':
    'account,class,2024-02,2024-03,2024-04,2025-01\nsales,a,5,,0,7.50\nsales,b,1,,,\nbank,,100,,200,\nrent,a1,,3,,\n',
  'metrics.csv': `metric,date,value,class,budget
units,2024-02-10,10000000000.5,,
units,2024-02-28,0.000001,,
units,2024-03,5,a,
staff,2024-02-10,4,a,
staff,2024-02-20,6,b,
staff,2024-04,12,,
rate,2024-02-01,10000000000,,
rate,2024-02-02,10000000000,,
rate,2024-02-29,10000000001,,
rate,2024-03-01,0.0000,,
least,2024-02-01,999999999999999,,
most,2024-02-01,-999999999999999,,
units,2024-02-11,999999999999999,b,
units,2024-02-12,999999999999999,b,
units,2024-02,100,a,plan
units,2025-03-31,-1,,plan
`,
}

const FILTERS = [null, 'a', 'a1', 'b', 'idle', 'unassigned']

/** Every range of whole months that touches February 2024 to June 2025, and some that do not. */
const wholeMonths: DateRange[] = [
  [-2, -1],
  [-1, 0],
  [0, 0],
  [1, 1],
  [1, 3],
  [2, 2],
  [2, 14],
  [0, 30],
  [3, 12],
  [14, 20],
  [28, 30],
].map(([from, to]) => ({ startDate: firstDay(2024 * 12 + from!), endDate: lastDay(2024 * 12 + to!) }))

const test = publishedSuite<{ books: RangeBooks }>('answers', FILES)
test.before(async (at) => {
  at.books = await at.built.books()
})
test.after(({ books }) => books.db.close())

const fileOf = (built: Built, path: string): string | null =>
  existsSync(built.path(path)) ? built.read(path) : null

test('statements: whole months are the same from the file and ad hoc, also where there is no file', async ({
  built,
  books,
}) => {
  const { frame } = books
  for (const budgetId of [null, 'plan'])
    for (const classId of FILTERS)
      for (const departmentId of [null, 'unassigned'])
        for (const statement of STATEMENTS)
          for (const basis of budgetId ? BASES : frame.bases)
            for (const range of wholeMonths) {
              const scope: StatementScope = { statement, basis, budgetId, classId, departmentId }
              const file = fileOf(built, statementPath(scope))
              const basisSource = budgetId ? 'Budget' : frame.basisSources[basis]!
              const company = { id: frame.companyId, currency: frame.currency, basisSource }
              const served = file
                ? sliceStatement(Buffer.from(file), range).toString()
                : emptyStatement(company, scope, range, coverageOf(frame, budgetId))
              assert.fixture(
                await answerStatement(books, scope, range),
                served,
                JSON.stringify({ scope, range }),
              )
            }
})

test('metrics: whole months are the same from the file and ad hoc, in the order asked', async ({
  built,
  books,
}) => {
  const order = [...METRICS].reverse()
  for (const budgetId of [null, 'plan'])
    for (const classId of FILTERS)
      for (const departmentId of [null, 'unassigned'])
        for (const range of wholeMonths) {
          const scope: MetricScope = { budgetId, classId, departmentId }
          const coverage = coverageOf(books.frame, budgetId)
          const served = sliceMetrics(
            fileOf(built, metricsPath(scope)),
            { id: books.frame.companyId },
            scope,
            order,
            range,
            coverage,
          )
          assert.fixture(answerMetrics(books, scope, order, range), served, JSON.stringify({ scope, range }))
        }
})

test('part of a month: activity inside it, balances at its end; a budget says nothing of it', async ({
  books,
}) => {
  const ask = async (scope: StatementScope, startDate: string, endDate: string) =>
    readStatement(await answerStatement(books, scope, { startDate, endDate }))
  const profit = scopeOf('ProfitAndLoss')
  const sheet = scopeOf('BalanceSheet')
  const flow = scopeOf('CashFlow')
  assert.equal((await ask(profit, '2024-02-29', '2024-02-29')).rows.sales, ['10.00'])
  assert.equal((await ask(profit, '2024-02-01', '2024-02-28')).rows, {})
  assert.equal((await ask(sheet, '2024-02-01', '2024-02-28')).totals.TotalAssets, ['0.00'])
  assert.equal((await ask(sheet, '2024-04-15', '2024-05-01')).rows.bank, ['6.00', '15.99'])
  const cash = (await ask(flow, '2024-04-15', '2024-04-30')).totals
  assert.equal([cash.BeginningCash, cash.EndingCash], [['10.00'], ['6.00']])

  const plan = { budgetId: 'plan' }
  assert.equal((await ask(scopeOf('ProfitAndLoss', plan), '2024-02-02', '2024-03-31')).rows, {
    rent: [null, '3.00'],
  })
  assert.equal((await ask(scopeOf('BalanceSheet', plan), '2024-02-02', '2024-04-29')).rows.bank, [
    '100.00',
    null,
    null,
  ])
})

test('metrics of part of a month: its days; a value of the month only where it reaches its end', ({
  books,
}) => {
  const ask = (startDate: string, endDate: string, classId: string | null = null) => {
    const scope = { budgetId: null, classId, departmentId: null }
    const text = answerMetrics(books, scope, METRICS, { startDate, endDate })
    const { Data } = JSON.parse(text) as { Data: { NonFinancialId: string; Values: (number | null)[] }[] }
    return Object.fromEntries(Data.map((row) => [row.NonFinancialId, row.Values]))
  }
  assert.equal(ask('2024-02-11', '2024-02-28').units, [0.000001])
  assert.equal(ask('2024-02-02', '2024-02-29').rate, [10000000000.5])
  assert.equal(ask('2024-04-02', '2024-04-30').staff, [12])
  assert.equal(ask('2024-04-02', '2024-04-29').staff, [null])
  assert.equal(ask('2024-02-15', '2024-02-29').staff, [6])
  assert.equal(ask('2024-03-01', '2024-03-31', 'a').units, [5])
  assert.equal(ask('2024-03-02', '2024-03-31', 'a').units, [null])
})

test('a range that ends before it starts inside the coverage has no periods', async ({ books }) => {
  const text = await answerStatement(books, scopeOf('BalanceSheet'), {
    startDate: '1999-01-01',
    endDate: '1999-12-31',
  })
  const { months, rows, totals } = readStatement(text)
  assert.equal([months, rows], [[], {}])
  assert.equal(totals.TotalAssets, [])
})
