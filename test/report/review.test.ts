/** The page of `tieout check --report`: what somebody looks at before a company is published. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'parse5'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { reviewFiles } from '../../builder/report/pages/review.ts'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const review = suite('before publishing')

const month = (m: number, entries: number): string =>
  Array.from(
    { length: entries },
    (_, i) => `${m}-${i} 2025-0${m}-02 bank 10.00; ${m}-${i} 2025-0${m}-02 sales -10.00`,
  ).join('; ')

const FILES = {
  'company.yaml': companyYaml(),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv([1, 2, 3, 4].map((m) => month(m, 10)).join('; ')),
}

review('new, renamed and gone accounts, months with few postings, and the figures that differ', () =>
  inWorkspace(FILES, async (workspace) => {
    await buildIn(workspace, COMPANY)
    const folder = join(workspace.datasets, COMPANY)
    writeFileSync(
      join(folder, 'chart.csv'),
      `${CHART.replace('Sales,Income', 'Turnover,Income').replace(/^drawings.*\n/m, '')}fees,6200,Fees,Expense,\n`,
    )
    writeFileSync(
      join(folder, 'ledger.csv'),
      ledgerCsv(
        `${[1, 2, 3, 4].map((m) => month(m, 10)).join('; ')}; ${month(5, 2)}; 9 2025-04-03 fees 1.25; 9 2025-04-03 bank -1.25`,
      ),
    )
    const { review: found, ...result } = await build(workspace, COMPANY, { publish: false, review: true })
    assert.is(result.outcome, 'checked', JSON.stringify(result.findings))
    assert.equal(found!.newAccounts, [{ id: 'fees', number: '6200', name: 'Fees' }])
    assert.equal(found!.untypedAccounts, found!.newAccounts)
    assert.equal(found!.renamedAccounts, [{ id: 'sales', number: '4000', name: 'Turnover', before: 'Sales' }])
    assert.equal(found!.goneAccounts, [{ id: 'drawings', number: '3100', name: 'Drawings' }])
    assert.equal(
      found!.months.map(({ month, postings, isFew }) => [month, postings, isFew]),
      [
        ['2025-01', 20, false],
        ['2025-02', 20, false],
        ['2025-03', 20, false],
        ['2025-04', 22, false],
        ['2025-05', 4, true],
      ],
    )
    assert.equal(found!.changes!.newMonths, ['2025-05'])
    const netIncome = found!.changes!.changes.find(({ id }) => id === 'NetIncome')
    assert.equal([netIncome!.month, netIncome!.before, netIncome!.now], ['2025-04', '100.00', '98.75'])
    const page = reviewFiles({ ...result, review: found! }).get('index.html')!
    for (const text of [
      'Turnover',
      'Drawings',
      'unusually few',
      'new months: 2025-05',
      '98.75',
      'Nothing stops',
    ])
      assert.ok(page.includes(text), text)
  }),
)

review('what cannot be published says why; user text is no markup', () =>
  inWorkspace(
    { ...FILES, 'ledger.csv': ledgerCsv('1 2025-01-02 <script>x</script> 10.00; 1 2025-01-02 sales -10.00') },
    async (workspace) => {
      const result = await build(workspace, COMPANY, { publish: false, review: true })
      assert.is(result.outcome, 'refused')
      const page = reviewFiles({ ...result, review: null }).get('index.html')!
      assert.ok(parse(page))
      assert.ok(page.includes('It cannot be published yet.'))
      assert.ok(page.includes('&lt;script&gt;'))
      assert.not(page.includes('<script>'))
    },
  ),
)

review('closed months that differ need a reason; the figures are shown', () =>
  inWorkspace({ ...FILES, 'company.yaml': companyYaml('lockDate: 2025-03-31') }, async (workspace) => {
    await buildIn(workspace, COMPANY)
    writeFileSync(
      join(workspace.datasets, COMPANY, 'ledger.csv'),
      ledgerCsv([1, 2, 3, 4].map((m) => month(m, m === 2 ? 9 : 10)).join('; ')),
    )
    const { review: found, ...result } = await build(workspace, COMPANY, { publish: false, review: true })
    assert.ok(found!.changes!.changes.some(({ month }) => month === '2025-02'))
    const page = reviewFiles({ ...result, review: found! }).get('index.html')!
    assert.ok(page.includes('It needs a reason to be published'))
  }),
)

review('the command writes a page for each company and prints its address', () =>
  inWorkspace(FILES, async (workspace) => {
    const { out: stdout } = await tieout(['check', '--report', '--json'], { cwd: workspace.root })
    const { reviews } = JSON.parse(stdout) as { reviews: { company: string; address: string }[] }
    const page = fileURLToPath(reviews[0]!.address)
    assert.ok(existsSync(page))
    assert.ok(readFileSync(page, 'utf8').includes('Nothing is published yet.'))
    assert.not(existsSync(join(workspace.snapshots, COMPANY)), 'nothing was published')
  }),
)
