/** The style of numbers that a company asks for: separators, negative figures and the unit, on pages and in the terminal. */
import { parse } from 'parse5'
import * as assert from 'uvu/assert'
import { Numbers } from '../../builder/report/numbers.ts'
import { NUMBER_FORMATS } from '../../builder/workspace/presentation.ts'
import { suite } from '../suite.ts'
import { pageOf } from '../support/asked.ts'
import { inPublished } from '../support/published.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const numbers = suite('numbers as people read them')

const NBSP = '\u00a0'

numbers('each format writes thousands and decimals with its own signs', () => {
  const texts = NUMBER_FORMATS.map((format) =>
    new Numbers(2, { format, negative: 'minus', unit: 'exact' }).exact(-123456750),
  )
  assert.equal(texts, ['-1,234,567.50', '-1.234.567,50', `-1${NBSP}234${NBSP}567,50`, "-1'234'567.50"])
})

numbers('with brackets the others end where the last digit before a bracket does', () => {
  const style = { format: '1,234.50', negative: 'brackets', unit: 'whole' } as const
  const { shown, percent } = { shown: new Numbers(2, style), percent: new Numbers(2, style) }
  assert.equal(
    [-150, 150, 0, null].map((cell) => shown.shown(cell)),
    ['(2)', `2${NBSP}`, `–${NBSP}`, ''],
  )
  assert.equal(
    [-125, 125].map((cell) => percent.percent(cell)),
    ['(12.5)', `12.5${NBSP}`],
  )
})

numbers('whole units and thousands are rounded half away from zero, exact ones not at all', () => {
  const of = (unit: 'whole' | 'thousands' | 'exact', decimals: number) =>
    new Numbers(decimals, { format: '1,234.50', negative: 'minus', unit })
  assert.equal(
    [49, 50, -50, 149].map((cell) => of('whole', 2).shown(cell)),
    ['–', '1', '-1', '1'],
  )
  assert.equal(
    [49_999, 50_000, -150_000].map((cell) => of('thousands', 2).shown(cell)),
    ['–', '1', '-2'],
  )
  assert.is(of('exact', 2).shown(-5), '-0.05')
  assert.is(of('whole', 0).shown(1234567), '1,234,567')
  assert.is(of('whole', 3).shown(1499), '1')
  assert.is(of('whole', 2).shown(Number.MAX_SAFE_INTEGER), '90,071,992,547,410')
  assert.is(of('thousands', 2).unit('EUR'), 'thousands of EUR')
})

numbers('pages say the unit, and every figure is its exact one in the style', () =>
  inPublished(
    {
      'company.yaml': companyYaml('numbers: { format: "1.234,50", negative: brackets, unit: thousands }'),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv(
        '1 2025-01-02 rent 2345678.49; 1 2025-01-02 bank -2345678.49; 2 2025-01-03 bank 499.99; 2 2025-01-03 sales -499.99',
      ),
    },
    async (workspace) => {
      const page = await pageOf(workspace, 'accrual/all/profit-loss.html')
      assert.ok(parse(page))
      assert.match(page, /January 2025|Jan 2025, accrual, thousands of USD/)
      assert.match(page, /data-minor="-234517850">(<a[^>]*>)?\(2\.345\)</)
      assert.match(page, /data-minor="49999">(<a[^>]*>)?–/)
    },
  ),
)

numbers('a format that is none is refused, with those that there are', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml('numbers: { format: "1 234.50" }'),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv('1 2025-01-02 rent 1.00; 1 2025-01-02 bank -1.00'),
    },
    async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'refused')
      assert.match(result.findings[0]!.message, /1,234\.50; 1\.234,50; 1 234,50; 1'234\.50/)
    },
  ),
)

numbers('metrics: the newest month first, a percentage as one, in the signs of the company', () =>
  inPublished(
    {
      'company.yaml': companyYaml(`numbers: { format: '1.234,50' }
metrics: [{ files: metrics.csv }]
nonFinancial:
  - { id: churn, name: Churn, unit: percent, aggregation: last }
  - { id: share, name: Share, unit: '% of income', aggregation: last }
  - { id: heads, name: Heads, unit: people, aggregation: last }`),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv(
        '1 2025-01-05 bank 1.00; 1 2025-01-05 sales -1.00; 2 2025-02-05 bank 1.00; 2 2025-02-05 sales -1.00',
      ),
      'metrics.csv': 'metric,2025-01,2025-02\nchurn,-0.05,1.5\nshare,71.6,70\nheads,1200,\n',
    },
    async (workspace) => {
      const page = await pageOf(workspace, 'accrual/all/metrics.html')
      const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
        [...row!.replace(/<svg.*?<\/svg>/gs, '').matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
          cell!.replace(/<[^>]*>/g, ''),
        ),
      )
      assert.equal(rows, [
        ['Metric', 'Trend', 'Feb 2025', 'Jan 2025'],
        ['Churn', '', '1,50%', '-0,05%'],
        ['Share % of income', '', '70,0%', '71,6%'],
        ['Heads people', '', '', '1.200'],
      ])
    },
  ),
)
