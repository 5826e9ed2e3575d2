/** Budgets and metrics that hold other figures as well: actual ones, targets, other years, cumulative ones, units. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { errors, figures, ingestBudget, ingestWith, only, workbook } from '../folder.ts'

const said = suite('what figures of budgets and metrics are')

type Sheets = Readonly<Record<string, readonly (readonly (string | number)[])[]>>
const sheetsOf = async (sheets: Sheets) =>
  workbook(
    Object.fromEntries(Object.entries(sheets).map(([name, rows]) => [name, rows.map((row) => [...row])])),
  )
const budget = async (content: Sheets | string, entry: object = {}) =>
  ingestBudget(typeof content === 'string' ? content : await sheetsOf(content), entry)
const metrics = async (content: Sheets | string, settings: object = {}) => {
  const file = typeof content === 'string' ? 'm.csv' : 'm.xlsx'
  return ingestWith(
    {
      nonFinancial: [{ id: 'visits', name: 'Visits', aggregation: 'sum' }],
      metrics: [{ files: file, ...settings }],
    },
    { [file]: typeof content === 'string' ? content : await sheetsOf(content) },
  )
}
type Intake = Awaited<ReturnType<typeof budget>>
const values = (intake: Intake) => [...intake.metrics].map(({ date, value }) => `${date} ${value}`)

const MONTHS = ['Account', 'Jan 2025', 'Feb 2025']

said('a sheet of actual figures beside a budget is asked, and the sheets that count are named', async () => {
  const sheets = {
    'Budget 2025': [MONTHS, ['4000', 10, 11]],
    'Actual 2024': [
      ['Account', 'Jan 2024'],
      ['4000', 77],
    ],
  }
  const asked = await budget(sheets)
  assert.equal(errors(asked), ['meaning-of-title'])
  assert.match(only(asked.findings, 'meaning-of-title').message, 'Actual 2024')
  const named = await budget(sheets, { sheet: 'Budget 2025' })
  assert.equal(errors(named), [])
  assert.equal(figures(named), ['i1 2025-01 10.00', 'i1 2025-02 11.00'])
  for (const name of ['Utfall 2025', 'Ist 2025', 'Réalisé 2025', 'Werkelijk 2025', 'Prior year'])
    assert.equal(errors(await budget({ [name]: [MONTHS, ['4000', 10, 11]] })), ['meaning-of-title'], name)
})

said('targets are no values that were measured, in sheets, titles and columns', async () => {
  const sheet = (rows: readonly (readonly (string | number)[])[]) => [
    ['Metric', 'Jan 2025', 'Feb 2025'],
    ...rows,
  ]
  for (const name of ['Target 2025', 'Budget', 'Ziel 2025', 'Mål 2025', 'Objectif']) {
    const asked = await metrics({
      'Actual 2025': sheet([['Visits', 90, 91]]),
      [name]: [
        ['Metric', 'Mar 2025'],
        ['Visits', 9],
      ],
    })
    assert.equal(errors(asked), ['meaning-of-title'], name)
  }
  const text = 'metric,type,Jan 2025\nVisits,Actual,100\nVisits,Target,90\n'
  assert.equal(errors(await metrics(text)), ['meaning-of-column'])
  const answered = await metrics(text, { count: { type: 'Actual' }, skip: { type: 'Target' } })
  assert.equal(errors(answered), [])
  assert.equal(values(answered), ['2025-01-31 100'])
  // Where rows name a budget, its name in the title says nothing new.
  const own = await ingestWith(
    {
      budgets: [{ id: 'plan', name: 'Plan', files: 'b.csv' }],
      nonFinancial: [{ id: 'visits', name: 'Visits', aggregation: 'sum' }],
      metrics: [{ files: 'm.csv' }],
    },
    {
      'b.csv': 'account,2025-01\n4000,1\n',
      'm.csv': 'Targets 2025,,\nmetric,budget,2025-01\nvisits,plan,90\n',
    },
  )
  assert.equal(errors(own), [])
})

said('durations and units of number formats are refused as in text, or read with the scale', async () => {
  const cell = (value: number, format: string) => ({ value, type: Number, format })
  const book = async (rows: readonly (readonly unknown[])[]) => workbook({ Sheet1: rows as never })
  const hours = await ingestWith(
    {
      nonFinancial: [{ id: 'visits', name: 'Visits', aggregation: 'sum' }],
      metrics: [{ files: 'm.xlsx' }],
    },
    {
      'm.xlsx': await book([
        ['metric', '2025-01'],
        ['Visits', cell(0.0625, '[h]:mm')],
      ]),
    },
  )
  assert.match(only(hours.findings, 'unreadable-value').message, '"1:30" is not a number')
  const thousands = [
    ['account', '2025-01'],
    ['4000', cell(100, '#,##0"k"')],
  ]
  const read = async (settings: object) =>
    ingestWith(
      { budgets: [{ id: 'b', name: 'B', files: 'b.xlsx', ...settings }] },
      { 'b.xlsx': await book(thousands) },
    )
  const asked = await read({})
  assert.match(only(asked.findings, 'unreadable-amount').remedy ?? '', 'scale: 1000')
  assert.equal(figures(await read({ scale: 1000 })), ['i1 2025-01 100000.00'])
})

said('a sheet as people make it is not asked', async () => {
  const sheet = [
    ['Acme Ltd. – Budget 2025, version 2', '', '', ''],
    ['Account', 'Type', 'Jan', 'Feb'],
    ['4000', 'Income', 10, 11],
    ['6000', 'Expense', 4, 4],
  ]
  const intake = await budget({ 'Budget 2025': sheet })
  assert.equal(errors(intake), [])
  assert.is(figures(intake).length, 4)
  const measured = await metrics('Actual 2025,,\nmetric,unit,2025-01\nVisits,people,90\n')
  assert.equal(errors(measured), [])
})

said('one company in all rows is not read; several are asked; a column may be ignored', async () => {
  const of = (header: string, second: number | string) => ({
    Budget: [
      ['Account', header, 'Jan 2025', 'Feb 2025'],
      ['4000', 1000, 10, 11],
      ['6000', second, 5, 6],
    ],
  })
  for (const header of ['Buchungskreis', 'Entity', 'Company code']) {
    const read = await budget(of(header, 1000))
    assert.equal(errors(read), [], header)
    assert.match(only(read.findings, 'columns-not-read').message, header)
    assert.equal(figures(read).slice(0, 2), ['i1 2025-01 10.00', 'i1 2025-02 11.00'])
    assert.equal(errors(await budget(of(header, 2000))), ['meaning-of-column'], header)
  }
  assert.equal(errors(await budget(of('Revision', 3))), ['unreadable-header'])
  assert.equal(errors(await budget(of('Revision', 3), { ignore: 'Revision' })), [])
})

cases(said, new URL('cases/figures.yaml', import.meta.url))
