/** Sums that a double would round, and values of metrics with more digits than it has, are shown as they are published. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { exportPack } from '../../builder/report/export/pack.ts'
import { reportPages } from '../../builder/report/pages/site.ts'
import { openReport } from '../../builder/report/report.ts'
import { tieout } from '../cli/command.ts'
import { cellsOf, partsOf } from '../export/parts.ts'
import { suite } from '../suite.ts'
import { inPublished } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'
import { ASKED, shows } from './shows.ts'

const report = suite('exact figures')

/** 12 months of almost 10^13 each: together 11,999,999,999,998,910 cents, of which the actual 99,997 are taken off. */
const PLAN = ['99', '96', '89', '78', '63', '44', '21', '-06', '-37', '-72', '-111', '-154'].map(
  (cents) =>
    `${(999_999_999_999_900n + BigInt(cents)) / 100n}.${String((999_999_999_999_900n + BigInt(cents)) % 100n).padStart(2, '0')}`,
)
const VARIANCE = '-11999999999898913'

const FILES = {
  'company.yaml': companyYaml(`budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: s, name: S, aggregation: sum }]`),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv(`
    a 2025-01-05 bank 100.00; a 2025-01-05 sales -100.00
    b 2025-12-05 bank 899.97; b 2025-12-05 sales -899.97`),
  'plan.csv': `account,${PLAN.map((_, m) => `2025-${String(m + 1).padStart(2, '0')}`).join()}\nsales,${PLAN.join()}\n`,
  'metrics.csv': 'metric,date,value\ns,2025-12-01,100000000000\ns,2025-12-02,0.740336\n',
}

report('on pages, in the terminal and in the board pack', () =>
  inPublished(FILES, async (workspace) => {
    const root = workspace.snapshots
    const { columns, lines } = await shows(root, { company: COMPANY })
    const at = columns.findIndex(({ title }) => title === 'YTD variance')
    assert.is(String(lines.find(({ id }) => id === 'sales')?.cells[at]), VARIANCE)

    const { source, month } = (await openReport(root, { company: COMPANY, snapshotId: null, month: null }))
      .value!
    const pages = await reportPages(source, month)
    for (const page of ['profit-loss', 'index'])
      assert.match(
        pages.get(`accrual/all/${page}.html`) ?? '',
        new RegExp(`data-minor="${VARIANCE}">-119,999,999,998,989 `),
      )
    assert.match(pages.get('accrual/all/metrics.html') ?? '', '>100,000,000,000.740336<')

    const cwd = workspace.root
    const shown = await tieout(['show', COMPANY, '--cents'], { cwd })
    assert.match(shown.out, '-119,999,999,998,989.13')
    const json = await tieout(['show', COMPANY, '--json'], { cwd })
    assert.match(json.out, new RegExp(` ${VARIANCE}[,\\n]`))

    const to = join(workspace.root, 'pack.xlsx')
    await exportPack(root, { ...ASKED, company: COMPANY, cents: true, to, software: 'test' })
    const cells = [...(await partsOf(to))].flatMap(([name, xml]) =>
      name.startsWith('xl/worksheets/') ? [...cellsOf(xml).values()] : [],
    )
    for (const text of ['-119999999998989.13', '100000000000.740336'])
      assert.ok(
        cells.some((cell) => cell.includes(`>${text}<`)),
        `${text} is in the pack`,
      )
  }),
)
