/** Budgets and metrics that hold other figures as well: actual ones, targets, other years, cumulative ones, units. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
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

said('rows of actual and budgeted figures are not added up: the column is asked, named or not', async () => {
  for (const header of ['', 'Type', 'Scenario', 'Version']) {
    const text = `account,${header},2025-01\n4000,Actual,100\n4000,Budget,120\n`
    const asked = await budget(text)
    assert.equal(errors(asked), ['meaning-of-column'], header)
    const found = only(asked.findings, 'meaning-of-column')
    const name = header === '' ? 'B' : header
    assert.match(found.remedy ?? '', `count: { ${name}: [Budget] }`)
    assert.match(found.remedy ?? '', `skip: { ${name}: [Actual] }`)
    const answered = await budget(text, { count: { [name]: 'Budget' }, skip: { [name]: 'Actual' } })
    assert.equal(errors(answered), [])
    assert.equal(figures(answered), ['i1 2025-01 120.00'])
  }
  for (const [one, other] of [
    ['Base', 'High'],
    ['Utfall', 'Budget'],
    ['Ist', 'Plan'],
    ['Réalisé', 'Budget'],
  ])
    assert.equal(
      errors(await budget(`account,Scenario,2025-01\n4000,${one},1\n4000,${other},2\n`)),
      ['meaning-of-column'],
      one,
    )
})

said('units and prices beside revenue are a question', async () => {
  const text = 'account,Line,2025-01\n4000,Units,40\n4000,Price,2\n4000,Revenue,100\n'
  const asked = await budget(text)
  assert.equal(errors(asked), ['meaning-of-column'])
  const answered = await budget(text, { count: { Line: 'Revenue' }, skip: { Line: ['Units', 'Price'] } })
  assert.equal(figures(answered), ['i1 2025-01 100.00'])
})

said('the total of another year beside months is neither spread nor a sum of them', async () => {
  for (const header of ['2024', 'FY2024', 'Prior year', 'Föregående år', 'Vorjahr']) {
    const intake = await budget(`Budget 2025,,,,\nAccount,${header},Jan,Feb,Total\n4000,924,10,11,21\n`)
    assert.equal(errors(intake), [], header)
    assert.equal(figures(intake), ['i1 2025-01 10.00', 'i1 2025-02 11.00'], header)
    assert.match(only(intake.findings, 'columns-not-read').message, header)
  }
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

said('cumulative figures and units of rows are questions', async () => {
  for (const title of [
    'Budget 2025 (cumulative)',
    'Budget 2025 YTD',
    'Budget 2025 kumuliert',
    'Budget 2025 ackumulerat',
  ]) {
    const text = `${title},,\nAccount,Jan,Feb\n4000,100,210\n`
    assert.equal(errors(await budget(text)), ['meaning-of-title'], title)
    assert.equal(errors(await budget(text, { ignore: title })), [], title)
  }
  const mixed = 'Account,Unit,2025-01\n4000,kUSD,100\n6000,USD,40\n'
  assert.equal(errors(await budget(mixed)), ['meaning-of-column'])
  assert.equal(errors(await budget(mixed, { scale: 1000 })), ['meaning-of-column'], 'not all are thousands')
  const one = 'Account,Unit,2025-01\n4000,kUSD,100\n6000,kUSD,40\n'
  const asked = only((await budget(one)).findings, 'meaning-of-column')
  assert.match(asked.remedy!, '"scale: 1000"')
  assert.not.match(asked.remedy!, 'count:')
  const scaled = await budget(one, { scale: 1000 })
  assert.equal(errors(scaled), [])
  assert.equal(figures(scaled), ['i1 2025-01 100000.00', 'e1 2025-01 40000.00'])
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

said('"figures: cumulative": what each month adds to the one before in its fiscal year', async () => {
  const text =
    'Budget 2025 (cumulative),,,,\nAccount,Nov 2024,Dec 2024,Jan 2025,Feb 2025\n4000,1000.10,1100.30,100,210.05\n6000,50,40,5,12\n1500,7,8,9,10\n'
  const question = only((await budget(text)).findings, 'meaning-of-title')
  assert.match(
    question.remedy!,
    '"figures: cumulative", which takes from each figure that of the month before',
  )
  const read = await budget(text.replace(/,Nov 2024|,1000.10|,50(?=,)|,7(?=,)/g, ''), {
    figures: 'cumulative',
  })
  assert.equal(
    errors(read),
    ['cumulative-gap', 'cumulative-gap'],
    'December alone does not say what December is',
  )
  const whole = await budget(text, { figures: 'cumulative' })
  assert.equal(
    whole.findings
      .filter(({ code }) => code === 'cumulative-gap')
      .map(({ row, text: figure }) => [row, figure]),
    [
      [3, '1000.10'],
      [4, '50.00'],
    ],
  )
  const year = 'Account,Jan 2025,Feb 2025,Mar 2025\n4000,100,210.05,330\n6000,5,12,11.5\n1500,9,10,10\n'
  const months = await budget(year, { figures: 'cumulative' })
  assert.equal(errors(months), [])
  assert.equal(figures(months), [
    ...['i1 2025-01 100.00', 'i1 2025-02 110.05', 'i1 2025-03 119.95'],
    ...['e1 2025-01 5.00', 'e1 2025-02 7.00', 'e1 2025-03 -0.50'],
    // The balance of a balance sheet account is cumulative by nature.
    ...['a2 2025-01 9.00', 'a2 2025-02 10.00', 'a2 2025-03 10.00'],
  ])
  const next = await ingestWith(
    { fiscalMonthEnd: 1, budgets: [{ id: 'b', name: 'B', files: 'b.csv', figures: 'cumulative' }] },
    { 'b.csv': 'account,2025-02,2025-03\n4000,20,50\n' },
  )
  assert.equal(figures(next), ['i1 2025-02 20.00', 'i1 2025-03 30.00'])
  const quarters = await budget('account,2025-Q1,2025-Q2\n4000,30,70\n', { figures: 'cumulative' })
  assert.equal(errors(quarters), ['cumulative-gap', 'cumulative-gap'], 'a quarter is not divided')
})

said('cumulative metrics are read so too, also where a column says it', async () => {
  const text = 'metric,Period type,2025-01,2025-02,2025-03\nVisits,YTD,0.1,0.3,0.35\n'
  assert.match(only((await metrics(text)).findings, 'meaning-of-column').remedy!, '"figures: cumulative"')
  const read = await metrics(text, { figures: 'cumulative' })
  assert.equal(errors(read), [])
  assert.equal(values(read), ['2025-01-31 0.1', '2025-02-28 0.2', '2025-03-31 0.05'])
  const mixed = 'metric,Period type,2025-01\nVisits,YTD,3\nVisits,Month,4\n'
  assert.ok(errors(await metrics(mixed, { figures: 'cumulative' })).includes('meaning-of-column'))
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
