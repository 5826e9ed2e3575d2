/** Spreadsheets of non-financial metrics, wide and long, and one test per finding. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { codes, day, type Files, inFolder, ingestWith, workbook } from '../folder.ts'

const metrics = suite('metrics')

const read = (files: Files, entry: object = {}, settings: object = {}) =>
  ingestWith(
    {
      classes: 'classes.csv',
      nonFinancial: [
        { id: 'heads', name: 'Headcount', unit: 'people', aggregation: 'last' },
        { id: 'units', name: 'Units sold', aggregation: 'sum' },
      ],
      budgets: [{ id: 'op', name: 'Operating', files: 'budget.csv' }],
      metrics: [{ files: Object.keys(files)[0], ...entry }],
      ...settings,
    },
    { 'classes.csv': 'id,name\nN,North\n', 'budget.csv': 'account,2025-01\n4000,1\n', ...files },
  )
const csv = (text: string, entry: object = {}, settings: object = {}) =>
  read({ 'm.csv': text }, entry, settings)
type Intake = Awaited<ReturnType<typeof csv>>
const values = (intake: Intake) =>
  [...intake.metrics].map((row) =>
    [row.metric, row.date, row.wholeMonth ? 'month' : 'day', row.value, row.class, row.department, row.budget]
      .map((part) => part ?? '-')
      .join(' '),
  )

metrics('wide in a workbook, real dates as months', async () => {
  const bytes = await workbook({
    M: [
      ['metric', 'class', 'budget', day('2025-01-01'), 'Feb-25'],
      ['heads', 'North', null, 41.5, null],
      ['units', null, 'op', 0.1 + 0.2, 1e6],
    ],
  })
  const intake = await read({ 'm.xlsx': bytes })
  assert.equal(codes(intake.findings), [])
  assert.equal(values(intake), [
    'heads 2025-01-31 month 41.5 N - -',
    'units 2025-01-31 month 0.3 - - op',
    'units 2025-02-28 month 1000000 - - op',
  ])
})

metrics('a real date in a month column is that month, in a date column that day', async () => {
  const sheet = (column: string) =>
    workbook({
      M: [
        ['metric', column, 'value'],
        ['heads', day('2025-01-01'), 1],
      ],
    })
  assert.equal(values(await read({ 'm.xlsx': await sheet('month') })), ['heads 2025-01-31 month 1 - - -'])
  assert.equal(values(await read({ 'm.xlsx': await sheet('date') })), ['heads 2025-01-01 day 1 - - -'])
})

metrics('tieout add knows a sheet of days by dates that stand once, and numbers that are no money', () =>
  inFolder(
    {
      'days.csv':
        'Date,Weekday,Orders,Headcount\n2025-01-01,Wed,5,3\n2025-01-02,Thu,,4\nTotal,,5,\nAverage,,5,3.5\n',
      'bank.csv': 'Date,Text,Paid in,Paid out\n2025-01-01,Shop,5.00,\n2025-01-02,Rent,,4.00\n',
      'visits.csv': 'Date,Visits\n2025-01-01,5\n2025-01-01,5\n',
    },
    async (folder) => {
      const days = await recognise(join(folder, 'days.csv'))
      assert.is(days.kind, 'metrics')
      assert.equal(days.kind === 'metrics' && [...days.metrics.keys()], ['Orders', 'Headcount'])
      for (const other of ['bank.csv', 'visits.csv'])
        assert.is((await recognise(join(folder, other))).kind, 'unknown', other)
    },
  ),
)

cases(metrics, new URL('cases/metrics.yaml', import.meta.url))
