/** Which months a sheet means: settled by its headings, its title and the company's fiscal years, or asked for. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { suite } from '../../suite.ts'
import { codes, day, errors, figures, inFolder, ingestBudget, only, workbook } from '../folder.ts'

const periods = suite('periods of budgets')

const csv = (text: string | Buffer, settings: object = {}) => ingestBudget(text, {}, settings)
type Intake = Awaited<ReturnType<typeof csv>>
const months = (intake: Intake) => {
  assert.equal(errors(intake), [])
  return figures(intake).map((figure) => figure.replace('i1 ', ''))
}
/** The first and the last month, and how many there are. */
const span = (intake: Intake) => {
  const all = months(intake).map((each) => each.slice(0, 7))
  return [all[0], all.at(-1), all.length]
}
const asked = (intake: Intake) => only(intake.findings, 'unclear-period')

/** That tieout add knows it. */
const isKnown = (text: string) =>
  inFolder({ 'b.csv': text }, async (folder) => {
    const known = await recognise(join(folder, 'b.csv'))
    assert.is(known.kind, 'budget', JSON.stringify(known))
  })

const JULY_TO_JUNE = 'Jul,Aug,Sep,Oct,Nov,Dec,Jan,Feb,Mar,Apr,May,Jun'
const CALENDAR = 'Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec'
const PERIODS = 'P1,P2,P3,P4,P5,P6,P7,P8,P9,P10,P11,P12'
const TWELVE = '1,2,3,4,5,6,7,8,9,10,11,12'
const sheet = (title: string, header: string, row = TWELVE) =>
  `"${title}"${',,'.slice(0, 2)}\naccount,${header}\n4000,${row}\n`
const june = { fiscalMonthEnd: 6 }

for (const title of [
  'FY2025/26 Budget',
  'FY 2025-26',
  'Budget FY25/26',
  'Budget 2025/26',
  'Budget 2025-2026',
  'Budget FY2026',
  'July 2025 – June 2026',
  'Budget: July 2025 - June 2026',
  'Budget for the year ended 30 June 2026',
  'For the year ending June 30, 2026',
  'Year ended 30 June 2026',
])
  periods(`twelve months from July below "${title}"`, async () => {
    assert.equal(span(await csv(sheet(title, JULY_TO_JUNE), june)), ['2025-07', '2026-06', 12])
    assert.equal(span(await csv(sheet(title, PERIODS), june)), ['2025-07', '2026-06', 12])
  })

periods('a title names the months also where the company has another fiscal year', async () => {
  for (const title of ['July 2025 – June 2026', 'Year ended 30 June 2026', 'Budget 2025/26'])
    assert.equal(span(await csv(sheet(title, JULY_TO_JUNE))), ['2025-07', '2026-06', 12], title)
  assert.equal(span(await csv(sheet('January - December 2025', CALENDAR), june)), ['2025-01', '2025-12', 12])
  assert.equal(span(await csv(sheet('Budget 2025', CALENDAR), june)), ['2025-01', '2025-12', 12])
})

periods('periods by number are months of the fiscal year', async () => {
  assert.equal(span(await csv(sheet('Budget FY2025', PERIODS))), ['2025-01', '2025-12', 12])
  assert.equal(months(await csv('account,FY2025-P1,FY2025 P02\n4000,1,2\n', june)), [
    '2024-07 1.00',
    '2024-08 2.00',
  ])
  assert.equal(months(await csv('account,P1 2025,Period 2 2025\n4000,1,2\n')), [
    '2025-01 1.00',
    '2025-02 2.00',
  ])
  assert.match(asked(await csv(sheet('Budget 2025', PERIODS), june)).message, 'Budget 2025')
})

periods('months that contradict the fiscal year of the title are asked for, once', async () => {
  for (const [title, header, settings] of [
    ['Budget FY2025', CALENDAR, june],
    ['Budget 2025', JULY_TO_JUNE, {}],
    ['Budget 2025/26', CALENDAR, {}],
    ['July 2025 – June 2026', CALENDAR, {}],
  ] as const) {
    const intake = await csv(sheet(title, header), settings)
    assert.equal(codes(intake.findings), ['unclear-period'], title)
    assert.ok(asked(intake).message.includes(title))
  }
})

periods('months with a year that is not that of the title are asked for, once', async () => {
  const lastYear = 'Jan 2024,Feb 2024,Mar 2024'
  for (const [title, header] of [
    ['Budget 2025', lastYear],
    ['Budget FY2025', lastYear],
    ['Budget FY2025', '2024-01-01,2024-02-01,2024-03-01'],
  ] as const) {
    const intake = await csv(`${title}\n\nAccount,${header}\n4000,1,2,3\n`)
    assert.equal(codes(intake.findings), ['unclear-period'], title)
    assert.ok(asked(intake).message.includes(title))
  }
  for (const title of ['Budget 2024', 'FY2024/25', 'Printed on 3 March 2025', 'Budget 2023-2025'])
    assert.equal(
      span(await csv(`${title}\n\nAccount,${lastYear}\n4000,1,2,3\n`)),
      ['2024-01', '2024-03', 3],
      title,
    )
})

periods('a fiscal year that ends in January is called after either year: a setting says', async () => {
  const january = { fiscalMonthEnd: 1 }
  const sheets = [
    sheet('Budget FY2026', 'Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec,Jan'),
    'account,FY2026\n4000,12\n',
    'account,month,amount\n4000,FY2026,12\n',
  ]
  for (const text of sheets) {
    assert.match(asked(await csv(text, january)).remedy!, 'fiscalYearName')
    assert.equal(span(await csv(text, { ...january, fiscalYearName: 'end' })), ['2025-02', '2026-01', 12])
    assert.equal(span(await csv(text, { ...january, fiscalYearName: 'start' })), ['2026-02', '2027-01', 12])
  }
  const both = await csv('account,FY2025/26\n4000,12\n', january)
  assert.equal(span(both), ['2025-02', '2026-01', 12])
  assert.equal(span(await csv('account,FY2025\n4000,12\n', { ...june, fiscalYearName: 'start' })), [
    '2025-07',
    '2026-06',
    12,
  ])
})

periods('days above the figures are months in the only form in which each is another month', async () => {
  for (const header of [
    '31/01/2025,28/02/2025,31/03/2025',
    '01/01/2025,01/02/2025,01/03/2025',
    '01/31/2025,02/28/2025,03/31/2025',
  ])
    assert.equal(
      months(await csv(`Account,${header}\n4000,1,2,3\n`)),
      ['2025-01 1.00', '2025-02 2.00', '2025-03 3.00'],
      header,
    )
  await isKnown('Account,31/01/2025,28/02/2025\n4000,100,110\n')
})

periods('halves, named quarters and months in other languages', async () => {
  assert.equal(
    months(await csv('account,H1 2025,H2 2025,Total\n4000,600,660,1260\n')).filter((each) =>
      /-0[17]/.test(each),
    ),
    ['2025-01 100.00', '2025-07 110.00'],
  )
  assert.equal(months(await csv('account,"Jan - Mar, 2025","Apr - Jun, 2025",Total\n4000,3,6,9\n')), [
    ...['2025-01 1.00', '2025-02 1.00', '2025-03 1.00'],
    ...['2025-04 2.00', '2025-05 2.00', '2025-06 2.00'],
  ])
  for (const header of [
    'janv. 2025,févr. 2025',
    'Januar 2025,Februar 2025',
    'enero 2025,febrero 2025',
    'jan-25,feb-25',
  ])
    assert.equal(months(await csv(`account,${header}\n4000,1,2\n`)), ['2025-01 1.00', '2025-02 2.00'], header)
})

const typed = async (name: string, days: readonly string[]) =>
  csv(
    await workbook({
      [name]: [
        ['account', ...days.map(day)],
        ['4000', ...days.map((_, i) => i + 1)],
      ],
    }),
  )
const twentyFifth = (year: number) =>
  Array.from({ length: 12 }, (_, i) => `${year}-${String(i + 1).padStart(2, '0')}-25`)

periods('days that a spreadsheet made of Jan-25 are of the year of the sheet, or asked for', async () => {
  assert.equal(span(await typed('Budget 2025', twentyFifth(2026))), ['2025-01', '2025-12', 12])
  assert.equal(span(await typed('Budget 2026', twentyFifth(2026))), ['2026-01', '2026-12', 12])
  assert.equal(span(await typed('Plan', twentyFifth(2025))), ['2025-01', '2025-12', 12])
  const found = asked(await typed('Plan', twentyFifth(2026)))
  assert.match(found.message, 'Jan-25')
  const wrapped = [
    '2026-07-25',
    '2026-08-25',
    '2026-09-25',
    '2026-10-25',
    '2026-11-25',
    '2026-12-25',
    '2026-01-26',
  ]
  assert.equal(span(await typed('Plan', wrapped)), ['2025-07', '2026-01', 7])
  const ends = ['2025-01-31', '2025-02-28', '2025-03-31']
  assert.equal(span(await typed('Plan', ends)), ['2025-01', '2025-03', 3])
})

periods('a long budget is read by the usual names of its columns', async () => {
  assert.equal(months(await csv('Account,Period,Budget amount\n4000,01/2025,100\n4000,02/2025,110\n')), [
    '2025-01 100.00',
    '2025-02 110.00',
  ])
  await isKnown('Account,Period,Budget amount\n4000,01/2025,100\n')
})
