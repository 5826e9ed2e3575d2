/** The figures of the overview are those of the statements behind them. */

import * as assert from 'uvu/assert'
import { renderedFile, renderedReport } from '../../builder/report/rendered.ts'
import { datasetFolder } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { pageOf, reportOf } from '../support/asked.ts'
import { inPublished } from '../support/published.ts'
import { buildIn, COMPANY, companyYaml, type Files, ledgerCsv, writeFiles } from '../support/workspace.ts'

const report = suite('figures of the overview')

/** The overview of the whole company, as its snapshot keeps it. */
async function overviewOf(files: Files): Promise<string> {
  return inPublished(files, async (workspace) => {
    return pageOf(workspace, 'accrual/all/index.html')
  })
}

/** The exact minor units of the first figure in the row of that name. */
const figureIn = (page: string, label: string): string | undefined =>
  new RegExp(`<th scope="row">${label}</th><td data-minor="([^"]*)"`).exec(page)?.[1]

report('cash is that of the cash flow: an overdraft is taken off', async () => {
  const page = await overviewOf({
    'company.yaml': companyYaml(),
    'chart.csv': `id,number,name,classification,type
bank,1000,Bank,Asset,Bank
debtors,1100,Debtors,Asset,AccountsReceivable
creditors,2000,Creditors,Liability,AccountsPayable
od,2900,Overdraft,Liability,Bank
sales,4000,Sales,Income,Sales
rent,6000,Rent,Expense,Expense
`,
    'ledger.csv': ledgerCsv(`
      1 2025-01-15 bank 100.00; 1 2025-01-15 sales -100.00
      2 2025-01-20 rent 400.00; 2 2025-01-20 od -400.00
      3 2025-01-21 debtors 70.00; 3 2025-01-21 sales -70.00
      5 2025-01-23 rent 9.00; 5 2025-01-23 creditors -9.00`),
  })
  assert.is(figureIn(page, 'Cash'), '-30000')
  assert.is(figureIn(page, 'Receivables'), '7000')
  assert.is(figureIn(page, 'Payables'), '900')
  assert.is(figureIn(page, 'Total assets'), '17000')
})

report(
  'cards show the figures of the tables, beside budget and the year before, with their course',
  async () => {
    const page = await overviewOf({
      'company.yaml': companyYaml('budgets: [{ id: plan, name: Plan, files: plan.csv }]'),
      'plan.csv':
        'account,month,amount\nsales,2026-01,80.00\nsales,2026-02,90.00\nrent,2026-01,10.00\nrent,2026-02,20.00\n',
      'chart.csv': `id,number,name,classification,type
bank,1000,Bank,Asset,Bank
debtors,1100,Debtors,Asset,AccountsReceivable
sales,4000,Sales,Income,Sales
rent,6000,Rent,Expense,Expense
`,
      'ledger.csv': ledgerCsv(`
      1 2025-02-15 bank 100.00; 1 2025-02-15 sales -100.00
      2 2026-01-20 rent 40.00; 2 2026-01-20 bank -40.00
      3 2026-02-21 debtors 70.00; 3 2026-02-21 sales -70.00
      4 2026-02-23 rent 9.00; 4 2026-02-23 bank -9.00`),
    })
    const [, list = ''] = /<ul class="cards">(.*?)<\/ul>/s.exec(page) ?? []
    const shown = [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, card]) =>
      card!
        .replace(/<svg.*?aria-label="(.*?)".*<\/svg>/s, ' $1')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    assert.equal(shown, [
      'Income 70 Budget 90 ▼ Feb 2025 100 Income: between 0.00 and 100.00',
      'Gross margin 100.0 % Budget 100.0 % Feb 2025 100.0 % Gross margin: between 100.0 and 100.0',
      'Net income 61 Budget 70 ▼ Feb 2025 100 Net income: between -40.00 and 100.00',
      'Cash 51 28 Feb 2025 100 Cash: between 0.00 and 100.00',
      'Receivables 70 28 Feb 2025 – Receivables: between 0.00 and 70.00',
    ])
    const minor = [...list.matchAll(/<span class="label">(.*?)<\/span><strong data-minor="([^"]*)"/g)]
    for (const [, label, figure] of minor) assert.is(figureIn(page, label!), figure)
    assert.is(minor.length, 4)
    // January and February, and no month alone: sales 70 instead of 80 + 90, rent 40 + 9 instead of 10 + 20.
    const [, table = ''] = /Largest variances of the year(.*?)<\/table>/s.exec(page) ?? []
    const cells = (row: string) =>
      row
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    assert.equal(
      [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) => cells(row)),
      [
        'Year to date YTD budget YTD variance YTD %',
        '4000 Sales 70 170 -100 ▼ -58.8',
        '6000 Rent 49 30 19 ▼ 63.3',
      ],
    )
  },
)

report('a card of the first month of a year has the month a year before once', async () => {
  const page = await overviewOf({
    'company.yaml': companyYaml(),
    'chart.csv':
      'id,number,name,classification,type\nbank,1000,Bank,Asset,Bank\nsales,4000,Sales,Income,Sales\n',
    'ledger.csv': ledgerCsv(`
      1 2025-01-15 bank 100.00; 1 2025-01-15 sales -100.00
      2 2026-01-20 bank 40.00; 2 2026-01-20 sales -40.00`),
  })
  const [, card = ''] = /<li><span class="label">Income<(.*?)<\/li>/s.exec(page) ?? []
  assert.equal(
    [...card.matchAll(/class="against">(.*?) </g)].map(([, title]) => title),
    ['Jan 2025'],
  )
})

const CHART = `id,number,name,classification,type
bank,1000,Bank,Asset,Bank
sales,4000,Sales,Income,Sales
rent,6000,Rent,Expense,Expense
`
const BEFORE =
  '1 2025-01-15 bank 100.00; 1 2025-01-15 sales -100.00; 2 2025-02-15 rent 9.00; 2 2025-02-15 bank -9.00'
const NOTED = { 'commentary/2025-01.md': 'A quiet month.\n' }

report('an opened overview says what is new since the snapshot before, and what waits', () =>
  inPublished(
    { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(BEFORE), ...NOTED },
    async (workspace) => {
      const overview = async (): Promise<string> => {
        const opened = await reportOf(workspace)
        const path = 'accrual/all/index.html'
        const page = await renderedFile(opened, path, { entries: true, hosts: true })
        for await (const file of renderedReport(opened, false))
          if (file.path === path)
            assert.not.match(file.content, 'class="news"', 'an archive tells of no other')
        return page!
      }
      const first = await overview()
      assert.not.match(first, 'New since')
      assert.match(first, '<li>No commentary on Feb 2025 is written yet.</li>')
      writeFiles(datasetFolder(workspace, COMPANY), {
        'company.yaml': companyYaml('lockDate: 2025-01-31'),
        'chart.csv': `${CHART}card,2100,Card,Liability,CreditCard\n`,
        'ledger.csv': ledgerCsv(
          `${BEFORE}; 3 2025-02-16 rent 1.00; 3 2025-02-16 card -1.00; 4 2025-03-01 rent 2.00; 4 2025-03-01 card -2.00`,
        ),
      })
      await buildIn(workspace, COMPANY)
      const page = await overview()
      const lines = [...page.matchAll(/<li>([^<]*\.)<\/li>/g)].map(([, line]) => line)
      assert.is(lines[0], 'New months: Mar 2025.')
      assert.match(lines[1]!, /^\d+ figures of months that were open changed: Feb 2025\.$/)
      assert.equal(lines.slice(2, 5), [
        'New accounts: 2100 Card.',
        'No commentary on Mar 2025 is written yet.',
        'Mar 2025 is open: the books are closed through 31 Jan 2025.',
      ])
    },
  ),
)
