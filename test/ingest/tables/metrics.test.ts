/** Spreadsheets of non-financial metrics, wide and long, and one test per finding. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { suite } from '../../suite.ts'
import { fields } from '../../support/fields.ts'
import { codes, day, type Files, inFolder, ingestWith, only, sole, workbook } from '../folder.ts'

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
metrics('definitions say how days become a month', async () => {
  const { metricDefinitions } = await csv('metric,2025-01\n')
  assert.equal(metricDefinitions, [
    { id: 'heads', name: 'Headcount', unit: 'people', aggregation: 'Last' },
    { id: 'units', name: 'Units sold', unit: '', aggregation: 'Sum' },
  ])
})

metrics('a file without a value is told of', async () => {
  for (const text of ['metric,2025-01\n', 'metric,date,value\n', 'date,heads\n2025-01-31,\n'])
    assert.is(sole(await csv(text), 'no-figures').severity, 'warning')
})

metrics('long: days and months, by id or name, with tags and budgets, empty left out', async () => {
  const intake = await csv(
    'metric,date,value,class,department,budget\nheads,2025-01-31,42,,,\nUnits sold,2024-02,0007.50,N,,op\nunits,Mar 2025,-0,,,\nunits,2025-04,,,,\n',
  )
  assert.equal(codes(intake.findings), [])
  assert.equal(values(intake), [
    'heads 2025-01-31 day 42 - - -',
    'units 2024-02-29 month 7.5 N - op',
    'units 2025-03-31 month 0 - - -',
  ])
  assert.equal([intake.metrics.at(0)!.file, intake.metrics.at(0)!.row], ['m.csv', 2])
})

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

metrics('stated forms of dates and numbers', async () => {
  const intake = await csv('metric;date;value\nheads;31.12.2025;1.234,5\n', {
    dateFormat: 'DD.MM.YYYY',
    decimal: ',',
    thousands: '.',
  })
  assert.equal(values(intake), ['heads 2025-12-31 day 1234.5 - - -'])
})

metrics('values are exact: six decimals, fifteen digits, plain', async () => {
  assert.equal(
    values(await csv('metric,2025-01\nheads,0.123456\nunits,123456789012345\n')).map(
      (row) => row.split(' ')[3],
    ),
    ['0.123456', '123456789012345'],
  )
  assert.equal(
    values(await csv('metric,2025-01\nheads,-0.10\nunits,000123456789012345\n')).map(
      (row) => row.split(' ')[3],
    ),
    ['-0.1', '123456789012345'],
  )
  for (const text of ['0.1234567', '1234567890123456', '1234567890.123456'])
    assert.is(sole(await csv(`metric,2025-01\nheads,${text}\n`), 'too-many-digits').text, text)
  for (const text of ['1e3', '1.2.3%', '5 people', '$5', '"1,5"', '.', '#N/A', 'NaN'])
    sole(await csv(`metric,2025-01\nheads,${text}\n`), 'unreadable-value')
})

metrics('months above values have the year of the title; days made of Jan-25 are asked', async () => {
  const dates = (intake: Intake) => [...intake.metrics].map(({ date }) => date)
  const bare = await csv('Headcount 2025\n\nmetric,Jan,Feb\nheads,1,2\n')
  assert.equal(dates(bare), ['2025-01-31', '2025-02-28'])
  const typed = 'metric,2026-01-25,2026-02-25,2026-03-25\nheads,1,2,3\n'
  assert.equal(dates(await csv(`KPI 2025\n\n${typed}`)), ['2025-01-31', '2025-02-28', '2025-03-31'])
  assert.match(sole(await csv(typed), 'unclear-period').message, 'Jan-25')
  assert.equal(dates(await csv(typed, { dateFormat: 'YYYY-MM-DD' })), [
    '2026-01-31',
    '2026-02-28',
    '2026-03-31',
  ])
})

metrics('a percentage is the number before its sign where the unit says percent, else a share', async () => {
  const nonFinancial = [
    { id: 'use', name: 'Utilisation', unit: '%', aggregation: 'last' },
    { id: 'share', name: 'Share', aggregation: 'last' },
  ]
  for (const text of [
    'metric,2025-01,2025-02\nuse,71.6%,5.5\nshare,71.6%,0.5\n',
    'date,use,share\n2025-01,71.6%,71.6 %\n2025-02,5.5,0.5\n',
  ]) {
    const intake = await csv(text, {}, { nonFinancial })
    assert.equal(codes(intake.findings), [])
    assert.equal(
      values(intake)
        .map((row) =>
          row
            .split(' ')
            .filter((_, i) => i === 0 || i === 3)
            .join(' '),
        )
        .sort(),
      ['share 0.5', 'share 0.716', 'use 5.5', 'use 71.6'],
    )
  }
  // What lost the format of its column may be either.
  for (const text of [
    'metric,2025-01,2025-02,2025-03\nuse,71.6%,0.65,0\n',
    'date,share\n2025-01,65\n2025-02,71.6%\n',
  ]) {
    const found = sole(await csv(text, {}, { nonFinancial }), 'percent-beside-numbers')
    assert.match(found.message, /is (0\.)?65 here, and 71\.6% in row/)
  }
})

metrics('a unit says percent in the languages that are read, and an index is none', async () => {
  const valueWith = async (unit: string) => {
    const nonFinancial = [{ id: 'use', name: 'Utilisation', unit, aggregation: 'last' }]
    return values(await csv('metric,2025-01\nuse,71.6%\n', {}, { nonFinancial }))[0]!.split(' ')[3]
  }
  for (const unit of [
    '%',
    '% of capacity',
    'percent',
    'Per cent',
    'Prozent',
    'procent',
    'pct.',
    'pour cent',
    'por ciento',
  ])
    assert.is(await valueWith(unit), '71.6', unit)
  for (const unit of ['', 'share', 'percentile']) assert.is(await valueWith(unit), '0.716', unit)
})

metrics('unknown metric, member and budget, unreadable date', async () => {
  const { findings } = await csv(
    'metric,date,value,class,department,budget\nclients,2025-01,1,,,\nheads,2025-01,1,X,,\nheads,2025-02,1,,Y,\nheads,2025-03,1,,,plan\nheads,soon,1,,,\nheads,,1,,,\n',
  )
  assert.equal(
    findings.map(({ code, row, text }) => [code, row, text]).sort((a, b) => Number(a[1]) - Number(b[1])),
    [
      ['unknown-metric', 2, 'clients'],
      ['unknown-class', 3, 'X'],
      ['unknown-department', 4, 'Y'],
      ['unknown-budget', 5, 'plan'],
      ['unreadable-date', 6, 'soon'],
      ['unreadable-date', 7, ''],
    ],
  )
})

metrics('a name that two metrics have', async () => {
  const nonFinancial = ['a', 'b'].map((id) => ({ id, name: 'Visits', aggregation: 'sum' }))
  sole(await csv('metric,2025-01\nVisits,1\n', {}, { nonFinancial }), 'ambiguous-metric')
  const twice = ['a', 'a'].map((id) => ({ id, name: 'Visits', aggregation: 'sum' }))
  assert.is(
    only((await csv('metric,2025-01\n', {}, { nonFinancial: twice })).findings, 'duplicate-id').column,
    'nonFinancial.1.id',
  )
})

metrics('weeks are asked about once, and counted by their day where the company says so', async () => {
  const text = 'metric,week ending,value\nheads,2025-01-26,2\nheads,2025-02-02,4\n'
  const found = only((await csv(text)).findings, 'metric-needs-months')
  assert.match(found.remedy!, 'columns: { date: "week ending" }')
  const read = await csv(text, { columns: { date: 'week ending' } })
  assert.equal(codes(read.findings), [])
  assert.equal(
    [...read.metrics].map(({ date, value }) => `${date} ${value}`),
    ['2025-01-26 2', '2025-02-02 4'],
  )
})

metrics('a year or a quarter has no rule for metrics; a header must be a month, once', async () => {
  assert.is(
    only((await csv('metric,2025-01,FY2025\nheads,1,2\n')).findings, 'metric-needs-months').column,
    'FY2025',
  )
  sole(await csv('metric,2025-01,Jan\nheads,1,2\n'), 'unreadable-header')
  sole(await csv('metric,2025-01,Jan 2025\nheads,1,2\n'), 'duplicate-month')
  assert.is(only((await csv('what,2025-01\nheads,1\n')).findings, 'missing-column').column, 'metric')
})

metrics('one value per metric, tags, budget and day; over all files', async () => {
  const found = sole(
    await csv('metric,date,value,class\nheads,2025-01-31,1,\nheads,2025-01-31,2,N\nheads,2025-01-31,1,\n'),
    'repeated-value',
  )
  assert.equal([found.row, found.severity], [4, 'error'])
  const two = await read(
    { 'm1.csv': 'metric,2025-01\nheads,1\n', 'm2.csv': 'metric,2025-01\nheads,1\n' },
    { files: 'm?.csv' },
  )
  assert.match(sole(two, 'repeated-value').message, 'm1.csv')
})

metrics('a month is told as a whole or by its days', async () => {
  sole(await csv('metric,date,value\nheads,2025-01,1\nheads,2025-01-15,2\n'), 'month-and-days')
  assert.equal(
    codes(
      (await csv('metric,date,value\nheads,2025-01-14,1\nheads,2025-01-15,2\nunits,2025-01,1\n')).findings,
    ),
    [],
  )
})

metrics('a row for each day and a column for each metric, with a total below', async () => {
  const settings = {
    metrics: [{ files: 'd.csv' }],
    nonFinancial: [
      { id: 'orders', name: 'Orders', aggregation: 'sum' },
      { id: 'heads', name: 'Headcount', aggregation: 'last' },
    ],
  }
  const text =
    'Shop,,,\nDate,Weekday,Orders,Headcount\n2025-01-01,Wed,5,3\n2025-01-02,Thu,,4\n2025-01-03,Fri,7.5,\nTotal,,12.5,4\n'
  const read = (csv: string) => ingestWith(settings, { 'd.csv': csv })
  const intake = await read(text)
  assert.equal(codes(intake.findings), ['columns-not-read', 'total-left-out'])
  assert.equal(fields(intake.metrics, 'metric', 'date', 'value', 'wholeMonth'), [
    ['orders', '2025-01-01', '5', false],
    ['orders', '2025-01-03', '7.5', false],
    ['heads', '2025-01-01', '3', false],
    ['heads', '2025-01-02', '4', false],
  ])
  const wrong = only((await read(text.replace('12.5', '12'))).findings, 'total-differs')
  assert.equal([wrong.row, wrong.column], [6, 'Orders'])
  assert.is(only((await read(text.replace('Orders', 'Oders'))).findings, 'unknown-metric').column, 'Oders')
  assert.equal(
    codes((await read(text.replace('2025-01-02', 'soon'))).findings).includes('unreadable-date'),
    true,
  )
  assert.is(only((await read(text.replace('2025-01-03', '2025-01-01'))).findings, 'repeated-value').row, 5)
})

metrics('quarters and totals beside the months are held against what adds up', async () => {
  const head = 'metric,2025-01,2025-02,2025-03,Q1,Total\n'
  const sound = await csv(`${head}units,1,2,3,6,6\nheads,5,5,4,4,4\n`)
  assert.equal(codes(sound.findings), ['total-left-out'])
  assert.is(sound.metrics.length, 6)
  const wrong = only((await csv(`${head}units,1,2,3,7,6\nheads,5,5,4,4,4\n`)).findings, 'total-differs')
  assert.equal([wrong.row, wrong.column, wrong.text], [2, 'Q1', '7'])
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
