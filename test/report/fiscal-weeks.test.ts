/** Columns of fiscal years that begin inside a month: by their days, as the statements themselves (accounting.md §4). */

import * as assert from 'uvu/assert'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { keptGroups, reportPages } from '../../builder/report/pages/site.ts'
import { renderedFile } from '../../builder/report/rendered.ts'
import type { ShownStatement } from '../../builder/report/report.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { reportOf } from '../support/asked.ts'
import { inPublished, publishedSuite } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'
import { shows } from './shows.ts'

const YEARS = 'fiscalYears: [{ start: 2024-01-01, end: 2024-12-28 }, { start: 2024-12-29, end: 2025-12-27 }]'

/** 100 in January, 3 and −3 on both sides of the year's end, 500 after it, 70 in January. The plan has 11 for each month. */
const files: Files = {
  'company.yaml': companyYaml(`${YEARS}
budgets: [{ id: plan, name: Plan, files: plan.csv }]
classes: classes.csv`),
  'chart.csv': CHART,
  'classes.csv': 'id,name\nshop,Shop\nweb,Web\n',
  'ledger.csv': ledgerCsv(`
    1 2024-01-15 bank 100.00; 1 2024-01-15 sales -100.00 shop
    2 2024-12-28 bank 3.00; 2 2024-12-28 gain -3.00
    3 2024-12-29 bank -3.00; 3 2024-12-29 gain 3.00
    4 2024-12-30 bank 500.00; 4 2024-12-30 sales -500.00 web
    5 2025-01-15 bank 70.00; 5 2025-01-15 sales -70.00 shop`),
  'plan.csv': `account,${Array.from({ length: 13 }, (_, m) => (m === 12 ? '2025-01' : `2024-${String(m + 1).padStart(2, '0')}`))}\nsales,${Array(13).fill(11)}\n`,
}

const report = publishedSuite('columns of fiscal years of weeks', files)

const built = <T>(of: Files, look: (workspace: Workspace) => Promise<T>): Promise<T> =>
  inPublished({ 'chart.csv': CHART, ...of }, async (workspace) => {
    return look(workspace)
  })

/** `title: figure` of each column, of the line with that id. */
const line = ({ columns, lines }: ShownStatement, id: string): string[] => {
  const found = lines.find((each) => each.id === id)
  return columns.map(({ title }, i) => `${title}: ${found?.cells[i] ?? ''}`)
}

report('year to date, its budget and the prior year begin with the fiscal year', async ({ snapshots }) => {
  const result = await shows(snapshots, { company: COMPANY })
  assert.equal(line(result, 'sales').slice(4), [
    'Jan 2024: 10000',
    'YTD from 29 Dec 2024: 57000',
    'YTD budget from Jan 2025: 1100',
    'YTD variance: 55900',
    'YTD %: 50818',
    'Prior YTD: 10000',
  ])
  // What cancels out within the month does not within the years.
  assert.equal(line(result, 'gain').slice(5, 6), ['YTD from 29 Dec 2024: -300'])
  assert.equal(line(result, 'NetIncome').slice(5, 6), ['YTD from 29 Dec 2024: 56700'])
  const web = await shows(snapshots, { company: COMPANY, classId: 'web' })
  assert.ok(line(web, 'sales').includes('YTD from 29 Dec 2024: 50000'))
  const cash = await shows(snapshots, { company: COMPANY, statement: 'CashFlow' })
  assert.ok(line(cash, 'BeginningCash').includes('YTD from 29 Dec 2024: 10300'))
  assert.ok(line(cash, 'NetChangeInCash').includes('YTD from 29 Dec 2024: 56700'))
  assert.ok(line(cash, 'EndingCash').includes('YTD from 29 Dec 2024: 67000'))
})

report(
  'the month in which a year ends shows that year to its last day, and then the days of the next one',
  async ({ snapshots }) => {
    const asked = { company: COMPANY, month: '2024-12' }
    const quarters = await shows(snapshots, { ...asked, view: 'quarters' })
    assert.equal(line(quarters, 'NetIncome'), [
      'Q1 2024: 10000',
      'Q2 2024: 0',
      'Q3 2024: 0',
      'Q4 2024: Oct to 28 Dec 2024: 300',
      'Year to 28 Dec 2024: 10300',
      'Q1 2025: 29 to 31 Dec 2024: 49700',
      'YTD from 29 Dec 2024: 49700',
    ])
    const months = await shows(snapshots, { ...asked, view: 'months' })
    assert.equal(line(months, 'NetIncome').slice(-2), ['Dec 2024: 50000', 'Total: 60000'])
    // The budget of the new year begins in January.
    assert.not.ok((await shows(snapshots, asked)).columns.some(({ title }) => title.startsWith('YTD budget')))
    const years = await shows(snapshots, { company: COMPANY, view: 'years' })
    assert.equal(line(years, 'NetIncome'), ['Year to 28 Dec 2024: 10300', '29 Dec 2024 to Jan 2025: 56700'])
  },
)

report('the year end of a balance sheet is the last day of the fiscal year', async ({ snapshots }) => {
  const position = await shows(snapshots, { company: COMPANY, statement: 'BalanceSheet' })
  assert.equal(line(position, 'bank'), [
    '31 Jan 2025: 67000',
    '31 Dec 2024: 60000',
    '28 Dec 2024: 10300',
    '31 Jan 2024: 10000',
    'Change since 28 Dec 2024: 56700',
  ])
  assert.ok(line(position, 'current-year-earnings').includes('28 Dec 2024: 10300'))
  assert.ok(line(position, 'prior-years-not-closed').includes('28 Dec 2024: 0'))
  assert.ok(line(position, 'TotalLiabilitiesAndEquity').includes('28 Dec 2024: 10300'))
})

report(
  'pages are made again from documents alone, and the lines of an account begin a new year on its first day',
  async (workspace) => {
    const options = { figures: true, known: null }
    const { verified, companies } = await verifyCompanies(workspace.snapshots, [COMPANY], options)
    assert.ok(verified, JSON.stringify(companies))
    const opened = await reportOf(workspace)
    const { source, month } = opened
    // Where the books cannot be read, the pages of statements are the same.
    const pages = await reportPages(
      { ...source, books: '/nowhere' } as typeof source,
      month,
      keptGroups(source.frame),
    )
    assert.match(pages.get('accrual/all/index.html') ?? '', 'YTD from 29 Dec 2024')
    const page = await renderedFile(opened, 'accrual/all/accounts/sales/2024-01.html', {
      entries: true,
      hosts: false,
    })
    const rows = [...(page ?? '').matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replace(/<[^>]*>/g, ' ')
        .replace(/ +/g, ' ')
        .trim(),
    )
    const at = rows.findIndex((row) => row.startsWith('Fiscal year from 2024-12-29'))
    assert.match(rows[at + 1] ?? '', /2024-12-30 4 .*500\.00 500\.00/)
    assert.match(rows[at + 2] ?? '', /Dec 2024 500\.00 500\.00/)
    const next = await renderedFile(opened, 'accrual/all/accounts/sales/2025-01.html', {
      entries: true,
      hosts: false,
    })
    assert.match(next ?? '', /Opening<\/th><td><\/td><td data-minor="50000"/)
    assert.match(next ?? '', /id="2025-01">.*data-minor="7000".*data-minor="57000"/)
  },
)

report('a span of thirteen months is named by both ends, one of twelve by its end', () =>
  built(
    {
      'company.yaml': companyYaml(
        'fiscalMonthEnd: 6\nfiscalYears: [{ start: 2020-06-01, end: 2021-06-30 }, { start: 2021-07-01, end: 2022-06-30 }]',
      ),
      'ledger.csv': ledgerCsv(`
        1 2020-06-15 bank 1.00; 1 2020-06-15 sales -1.00
        2 2021-06-15 bank 2.00; 2 2021-06-15 sales -2.00
        3 2022-08-15 bank 4.00; 3 2022-08-15 sales -4.00
        4 2023-07-15 bank 8.00; 4 2023-07-15 sales -8.00`),
    },
    async ({ snapshots }) => {
      const years = await shows(snapshots, { company: COMPANY, view: 'years' })
      assert.equal(line(years, 'sales'), [
        'Jun 2020 to Jun 2021: 300',
        'Year to Jun 2022: 0',
        'Year to Jun 2023: 400',
        'Jul 2023: 800',
      ])
    },
  ),
)

report('companies whose fiscal years begin with a month have no such document', () =>
  built(
    {
      'company.yaml': companyYaml(),
      'ledger.csv': ledgerCsv('1 2025-01-15 bank 1.00; 1 2025-01-15 sales -1.00'),
    },
    async (workspace) => {
      const { snapshot } = await reportOf(workspace)
      assert.equal(
        [...snapshot.files.keys()].filter((path) => path.startsWith('divided-months/')),
        [],
      )
    },
  ),
)
