/** Budget spreadsheets in the forms that people keep them in, and one test per finding. */

import * as assert from 'uvu/assert'
import { monthsOfPeriod } from '../../../builder/ingest/tables/periods.ts'
import { parsePeriod } from '../../../builder/ingest/text/months.ts'
import { suite } from '../../suite.ts'
import { column, fields } from '../../support/fields.ts'
import { codes, day, type Files, ingestWith, only, sole, workbook } from '../folder.ts'

const budgets = suite('budgets')

const read = (files: Files, entry: object = {}, settings: object = {}) =>
  ingestWith(
    {
      classes: 'classes.csv',
      departments: 'departments.csv',
      budgets: [{ id: 'op', name: 'Operating', files: Object.keys(files)[0], ...entry }],
      ...settings,
    },
    {
      'classes.csv': 'id,name\nN,North\nS,South\nS2,South\n',
      'departments.csv': 'id,name\nD,Shop\n',
      ...files,
    },
  )
const csv = (text: string, entry: object = {}, settings: object = {}) =>
  read({ 'b.csv': text }, entry, settings)
type Intake = Awaited<ReturnType<typeof csv>>
const figures = (intake: Intake) =>
  [...intake.budgets[0]!.rows].map(({ account, class: c, department, month, amount }) =>
    [account, ...(c ? [c] : []), ...(department ? [department] : []), month, amount].join(' '),
  )
budgets('a file without a figure is told of; of a workbook, one sheet with figures is enough', async () => {
  const beside = (text: string) =>
    read({ 'b.csv': 'account,2025-01\n4000,1\n', 'c.csv': text }, { files: '{b,c}.csv' })
  const found = sole(await beside('Plan\n\naccount,2025-01\n'), 'no-figures')
  assert.equal([found.severity, found.file, found.row], ['warning', 'c.csv', 3])
  sole(await beside('account,month,amount\n4000,2025-01,\n'), 'no-figures')
  // A budget without any is refused as such, when it is published.
  assert.equal(codes((await csv('account,2025-01\n')).findings), [])
  const head = ['account', '2025-01']
  const sheets = { One: [head, ['4000', 1]], Two: [head] }
  assert.equal(codes((await read({ 'b.xlsx': await workbook(sheets) })).findings), [])
})

const SEPTEMBER = [
  '2025-09',
  '2025/09',
  '2025-9',
  '2025/9',
  '202509',
  '09/2025',
  '9/2025',
  '09-2025',
  '9.2025',
  'Sep 2025',
  'Sep-25',
  "Sep'25",
  'sept 2025',
  'September 2025',
  'SEPTEMBER-2025',
  '2025 Sep',
  '2025-09-30',
  '2025-09-01',
  ' Sep.  2025 ',
]
for (const header of SEPTEMBER)
  budgets(`"${header}" is September 2025`, async () => {
    assert.equal(figures(await csv(`account,${header}\n4000,5\n`)), ['i1 2025-09 5.00'])
  })

budgets('what is not a month', () => {
  for (const text of [
    '',
    'Sep',
    '2025-13',
    '13/2025',
    '0/2025',
    '2025-00',
    'Foo 2025',
    '12',
    '2025-02-30',
    '9/30/2025',
    'Sep 5',
    'Septimbre 2025',
  ])
    assert.is(parsePeriod(text), null, text)
  assert.equal(parsePeriod('9/30/2025', 'MM/DD/YYYY'), { kind: 'month', month: '2025-09' })
})

budgets('wide, with ids out of numbers and names, empty cells left out, zeros kept', async () => {
  const intake = await csv(
    'account,class,department,2025-01,2025-02,2025-03\n4000,,,1000.5,,0\ni1,North,D,-1,+2.50,\n1500,,,7,8,9\n',
  )
  assert.equal(codes(intake.findings), ['tagged-and-untagged'])
  assert.equal(figures(intake), [
    'i1 2025-01 1000.50',
    'i1 2025-03 0.00',
    'i1 N D 2025-01 -1.00',
    'i1 N D 2025-02 2.50',
    'a2 2025-01 7.00',
    'a2 2025-02 8.00',
    'a2 2025-03 9.00',
  ])
  const [row] = intake.budgets[0]!.rows
  assert.equal([row!.file, row!.row], ['b.csv', 2])
})

budgets('wide in a workbook, months as real dates and as text, several sheets', async () => {
  const bytes = await workbook({
    Income: [
      ['account', 'name', day('2025-01-01'), day('2025-02-28'), 'Mar-25'],
      ['4000', 'Sales', 1000.1, 0.07, null],
    ],
    Costs: [
      ['account', day('2025-01-31')],
      [6000, 12.3],
    ],
  })
  const intake = await read({ 'b.xlsx': bytes })
  assert.equal(codes(intake.findings), ['columns-not-read'])
  assert.equal(figures(intake), ['i1 2025-01 1000.10', 'i1 2025-02 0.07', 'e1 2025-01 12.30'])
  assert.equal(column(intake.budgets[0]!.rows, 'file'), ['b.xlsx#Income', 'b.xlsx#Income', 'b.xlsx#Costs'])
})

budgets('long, by month or by date, columns mapped', async () => {
  assert.equal(
    figures(await csv('account,month,amount,class\n4000,2025-01,5,N\n4000,Feb 2025,,\n6000,2025-03,1,\n')),
    ['i1 N 2025-01 5.00', 'e1 2025-03 1.00'],
  )
  const mapped = await csv('Konto;Datum;Betrag\n4000;31.01.2025;1.234,5\n', {
    columns: { account: 'Konto', date: 'Datum', amount: 'Betrag' },
    dateFormat: 'DD.MM.YYYY',
    decimal: ',',
    thousands: '.',
  })
  assert.equal(codes(mapped.findings), [])
  assert.equal(figures(mapped), ['i1 2025-01 1234.50'])
})

budgets('years and quarters are spread evenly, the residual in the last month', async () => {
  const year = figures(await csv('account,2025\n4000,100\n6000,-0.05\n'))
  assert.equal(year.slice(0, 2), ['i1 2025-01 8.33', 'i1 2025-02 8.33'])
  assert.is(year[11], 'i1 2025-12 8.37')
  assert.equal([year[12], year[23]], ['e1 2025-01 0.00', 'e1 2025-12 -0.05'])
  for (const header of ['2025-Q2', 'Q2 2025', 'Q2-2025', '2025 Q2', 'FY2025-Q2', "Q2 FY'25"])
    assert.equal(
      figures(await csv(`account,${header}\n4000,100\n`)),
      ['i1 2025-04 33.33', 'i1 2025-05 33.33', 'i1 2025-06 33.34'],
      header,
    )
})

budgets('a yearly figure of a balance sheet account is the balance at its end', async () => {
  assert.equal(figures(await csv('account,2025\n1500,1200\n')), ['a2 2025-12 1200.00'])
})

budgets('FY2025 is the fiscal year that ends in 2025, whatever its months', async () => {
  const june = figures(await csv('account,FY2025\n4000,12\n', {}, { fiscalMonthEnd: 6 }))
  assert.equal([june.length, june[0], june[11]], [12, 'i1 2024-07 1.00', 'i1 2025-06 1.00'])
  const long = figures(
    await csv('account,FY25\n4000,13\n', {}, { fiscalYears: [{ start: '2024-12-01', end: '2025-12-31' }] }),
  )
  assert.equal([long.length, long[0]], [13, 'i1 2024-12 1.00'])
  const quarter = figures(await csv('account,FY2025 Q1\n4000,3\n', {}, { fiscalMonthEnd: 6 }))
  assert.equal(quarter, ['i1 2024-07 1.00', 'i1 2024-08 1.00', 'i1 2024-09 1.00'])
})

budgets('a bare year beside another fiscal year, a quarter of a long year: not guessed at', async () => {
  for (const header of ['2025', '2025-Q1']) {
    const intake = await csv(`account,${header}\n4000,12\n`, {}, { fiscalMonthEnd: 6 })
    assert.is(sole(intake, 'unclear-period').column, header)
  }
  const calendar = { fiscalMonthEnd: 12, fiscalYears: [{ start: '2024-12-01', end: '2025-12-31' }] }
  assert.is(monthsOfPeriod(parsePeriod('FY2025-Q1')!, calendar), null)
  sole(await csv('account,month,amount\n4000,2025,12\n', {}, { fiscalMonthEnd: 6 }), 'unclear-period')
})

budgets('two columns for one month', async () => {
  const found = sole(await csv('account,2025-01,Jan 2025\n4000,1,2\n'), 'duplicate-month')
  assert.equal([found.row, found.column], [1, 'Jan 2025'])
  assert.match(sole(await csv('account,2025-01,FY2025\n4000,1,2\n'), 'duplicate-month').message, '2025-01')
})

budgets('a header that is not a month and has figures under it', async () => {
  const found = sole(await csv('account,Jan,2025-02\n4000,1,2\n'), 'unreadable-header')
  assert.equal([found.file, found.row, found.column, found.text], ['b.csv', 1, 'Jan', 'Jan'])
})

budgets('descriptions and totals are passed over, and said to be', async () => {
  const intake = await csv('account,Account Name,Owner,2025-01,YTD\n4000,Sales 1,Ann,2,99\n')
  assert.match(sole(intake, 'columns-not-read').message, '"Account Name", "Owner", "YTD"')
  assert.equal(figures(intake), ['i1 2025-01 2.00'])
})

budgets('no account column, no month at all', async () => {
  assert.is(only((await csv('konto,2025-01\n4000,1\n')).findings, 'missing-column').column, 'account')
  sole(await csv('account\n4000\n'), 'missing-column')
})

budgets('unreadable amounts, with the cell of the workbook', async () => {
  for (const text of ['1e3', '1,5', 'n/a', '(-5)', '1 000', '--1', '1.2.3', '5 %', '5 CR', '€5'])
    assert.equal([sole(await csv(`account,2025-01\n4000,"${text}"\n`), 'unreadable-amount').text], [text])
  const bytes = await workbook({
    Plan: [
      ['account', 'x', day('2025-01-31')],
      ['4000', 'x', 'soon'],
    ],
  })
  const found = only((await read({ 'b.xlsx': bytes })).findings, 'unreadable-amount')
  assert.equal([found.file, found.row, found.column, found.text], ['b.xlsx', 2, '2025-01-31 (C2)', 'soon'])
})

budgets('more decimals than the currency has are never rounded', async () => {
  assert.match(sole(await csv('account,2025-01\n4000,1.005\n'), 'too-many-decimals').message, 'USD')
  assert.equal(figures(await csv('account,2025-01\n4000,1.5000\n')), ['i1 2025-01 1.50'])
  sole(await csv('account,2025-01\n4000,1.5\n', {}, { currency: 'JPY' }), 'too-many-decimals')
  assert.equal(figures(await csv('account,2025-01\n4000,1.005\n', {}, { currency: 'KWD' })), [
    'i1 2025-01 1.005',
  ])
  sole(
    await read({
      'b.xlsx': await workbook({
        One: [
          ['account', '2025-01'],
          ['4000', 100 / 3],
        ],
      }),
    }),
    'too-many-decimals',
  )
})

budgets('an amount beyond 15 digits', async () => {
  sole(await csv('account,2025-01\n4000,10000000000000.00\n'), 'amount-too-large')
  sole(await csv('account,2025-01\n4000,99999999999999999999\n'), 'amount-too-large')
  assert.equal(figures(await csv('account,2025-01\n4000,-9999999999999.99\n')), [
    'i1 2025-01 -9999999999999.99',
  ])
})

budgets('a cell with a broken formula is no missing figure', async () => {
  const found = sole(await csv('account,2025-01\n4000,#REF!\n'), 'unreadable-amount')
  assert.match(found.remedy!, 'formula')
})

budgets('unknown and ambiguous accounts and members; titles between the rows are none', async () => {
  const rows =
    'account,class,department,2025-01\nIncome,,,\n9999,,,1\n4000,X,,1\n4000,South,,1\n4000,,Y,1\n,,,5\n'
  const { findings } = await csv(rows)
  assert.equal(fields(findings, 'code', 'row', 'text'), [
    ['unknown-account', 3, '9999'],
    ['unknown-class', 4, 'X'],
    ['ambiguous-class', 5, 'South'],
    ['unknown-department', 6, 'Y'],
    ['empty-account', 7, ''],
  ])
  const chart = 'id,number,name,classification\n1,4000,a,Income\n2,4000,b,Income\n'
  const twice = await ingestWith(
    { budgets: [{ id: 'b', name: 'B', files: 'b.csv' }] },
    { 'chart.csv': chart, 'b.csv': 'account,2025-01\n4000,1\n' },
  )
  only(twice.findings, 'ambiguous-account')
})

budgets('a month that cannot be read, or is not there', async () => {
  assert.equal(
    (await csv('account,month,amount\n4000,soon,1\n4000,,1\n4000,,\n')).findings.map(({ code, row }) => [
      code,
      row,
    ]),
    [
      ['unreadable-month', 2],
      ['unreadable-month', 3],
    ],
  )
})

budgets('rows that add up are said to: tagged and untagged, and details of the sheet', async () => {
  const intake = await csv(
    'account,class,name,2025-01,2025-02\n4000,,,1,1\n4000,N,,1,\n6000,,Office,1,1\n6000,,Shop,2,2\n',
  )
  assert.equal(fields(intake.findings, 'severity', 'code', 'row'), [
    ['warning', 'columns-not-read', 1],
    ['warning', 'tagged-and-untagged', 2],
    ['warning', 'budget-details', 5],
  ])
  assert.equal(figures(intake).length, 7)
})

budgets('one figure that stands twice is refused, equal or not, in one file or several', async () => {
  const doubled = sole(await csv('account,2025-01,2025-02\n4000,1,1\n4000,1,1\n'), 'repeated-budget-row')
  assert.equal([doubled.severity, doubled.row], ['error', 3])
  assert.match(doubled.message, 'is stated twice: 1.00 (row 2 of b.csv, row 3 of b.csv)')
  const other = sole(
    await csv('account,month,amount\n6000,2025-01,1\n6000,2025-01,2\n'),
    'repeated-budget-row',
  )
  assert.match(other.message, 'is stated as 1.00 and as 2.00')
  const files = { 'p/1.csv': 'account,2025-01\n4000,1\n', 'p/2.csv': 'account,2025-01,2025-02\n4000,1,3\n' }
  const found = sole(await read(files, { files: 'p/*.csv' }), 'repeated-budget-row')
  assert.is(found.file, 'p/2.csv')
  const tagged = await csv('account,class,2025-01\n4000,N,1\n4000,S,1\n')
  assert.equal(codes(tagged.findings), [])
})

budgets('ids of budgets: twice, reserved', async () => {
  const one = { name: 'B', files: 'b.csv' }
  const files = { 'b.csv': 'account,2025-01\n4000,1\n' }
  const twice = await ingestWith(
    {
      budgets: [
        { id: 'b', ...one },
        { id: 'b', ...one },
      ],
    },
    files,
  )
  const found = only(twice.findings, 'duplicate-id')
  assert.equal([found.file, found.column], ['company.yaml', 'budgets.1.id'])
  only((await ingestWith({ budgets: [{ id: 'actuals', ...one }] }, files)).findings, 'reserved-id')
})
