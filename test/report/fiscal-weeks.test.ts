/** Columns of fiscal years that begin inside a month: by their days, as the statements themselves (accounting.md §4). */

import * as assert from 'uvu/assert'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { keptGroups, reportPages } from '../../builder/report/pages/site.ts'
import { renderedFile } from '../../builder/report/rendered.ts'
import { reportOf } from '../support/asked.ts'
import { inPublished, publishedSuite } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

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

report('companies whose fiscal years begin with a month have no such document', () =>
  inPublished(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
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
