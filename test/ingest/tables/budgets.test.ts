/** Budget spreadsheets in the forms that people keep them in, and one test per finding. */

import * as assert from 'uvu/assert'
import { parsePeriod } from '../../../builder/ingest/text/months.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { column } from '../../support/fields.ts'
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

cases(budgets, new URL('cases/budgets.yaml', import.meta.url))
