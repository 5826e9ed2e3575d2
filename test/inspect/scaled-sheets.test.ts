/** A figure from a sheet that counts in thousands is explained by what the sheet states, its scale, and what was published. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { goodCompany, inFolder, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { writeFiles } from '../support/workspace.ts'

const test = suite('explain: sheets that count in thousands')

const SETTINGS = `nonFinancial:
  - { id: tons, name: Tons sold, aggregation: last }
  - { id: share, name: Share of market, aggregation: last }
  - { id: area, name: Area, aggregation: last }
metrics: [{ files: tons.csv, scale: 1000 }, { files: mixed.csv, scale: 1000 }]
budgets:
  - { id: plan, name: Plan, files: plan.csv, scale: 1000, sign: costs-negative }
  - { id: told, name: Told, files: told.csv }
  - { id: units, name: Units, files: units.csv }
`
const SHEETS = {
  'plan.csv': 'account,2025-01,2025-02\nsales,18.5,20\nrent,-1.25,-2\n',
  'told.csv': 'Plan in millions of USD\n\naccount,2025-Q1\nsales,3\n',
  'units.csv': 'account,2025-01\nsales,18.5\n',
  'tons.csv': 'metric,2025-01\ntons,-2.5\n',
  'mixed.csv': 'metric,2025-01\nshare,12 %\narea,7\n',
}

interface Explained {
  readonly published: string
  readonly remarks?: readonly string[]
  readonly lines?: readonly { readonly unscaled?: unknown }[]
  readonly values?: readonly { readonly unscaled?: unknown }[]
}

/** `explain` as people read it, without the spaces of tables, and as programs do. */
const explaining = (
  run: (ask: (...args: string[]) => Promise<{ text: string; json: Explained }>) => Promise<void>,
): Promise<void> =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), 'keepInputs: true\n')
    const good = goodCompany('acme')
    const files = { ...good, ...SHEETS, 'company.yaml': `${good['company.yaml']}${SETTINGS}` }
    writeFiles(join(cwd, 'datasets/acme'), files)
    const built = await tieout(['build', 'acme'], { cwd })
    assert.is(built.code, 0, built.out + built.err)
    await run(async (...args) => {
      const said = async (...more: string[]) => {
        const { code, out, err } = await tieout(['explain', 'acme', ...args, ...more], { cwd })
        assert.is(code, 0, out + err)
        return out
      }
      return { text: (await said()).replace(/\s+/g, ' '), json: JSON.parse(await said('--json')) }
    })
  })

test('a budget: the figure of the row, the scale, and the published figure', () =>
  explaining(async (ask) => {
    const sales = await ask('sales', '2025-01', '--budget', 'plan', '--source')
    assert.match(sales.text, /In the sheet .* 18\.5 × 1,000 18,500\.00 .*plan\.csv:2/)
    assert.match(sales.text, 'plan.csv:2 sales,18.5,20')
    assert.match(sales.text, 'plan.csv counts in units of 1,000: each of its figures is multiplied by that.')
    assert.match(sales.text, /Published 18,500\.00 USD/)
    assert.is(sales.json.published, '18500.00')
    assert.equal(
      sales.json.lines!.map(({ unscaled }) => unscaled),
      [{ scale: 1000, figure: '18.5' }],
    )
    // The sheet writes it with a minus; its sign is turned by a setting.
    const rent = await ask('rent', '2025-01', '--budget', 'plan')
    assert.match(rent.text, /1\.25 × 1,000 1,250\.00/)
    const total = await ask('NetIncome', '2025-01', '--budget', 'plan', '--all')
    assert.match(total.text, /18\.5 × 1,000 18,500\.00 .*1\.25 × 1,000 -1,250\.00/)
  }))

test('a scale that the sheet says itself; a figure of a quarter is told by its share', () =>
  explaining(async (ask) => {
    const { text, json } = await ask('sales', '2025-02', '--budget', 'told')
    assert.match(text, /1 × 1,000,000 1,000,000\.00/)
    assert.match(text, 'told.csv counts in units of 1,000,000')
    assert.is(json.published, '1000000.00')
  }))

test('a metric: the value of the row, the scale, and the published value', () =>
  explaining(async (ask) => {
    const { text, json } = await ask('tons', '2025-01')
    assert.match(text, /In the sheet .* -2\.5 × 1,000 -2500 yes tons\.csv:2/)
    assert.is(json.published, '-2500')
    assert.equal(
      json.values!.map(({ unscaled }) => unscaled),
      [{ scale: 1000, figure: '-2.5' }],
    )
  }))

test('what was not multiplied is not called so: sheets in units of 1, and those with percentages beside other values', () =>
  explaining(async (ask) => {
    const units = await ask('sales', '2025-01', '--budget', 'units')
    const [share, area] = [await ask('share', '2025-01'), await ask('area', '2025-01')]
    assert.equal(
      [units, share, area].map(({ json }) => json.published),
      ['18.50', '0.12', '7000'],
    )
    for (const { text, json } of [units, share, area]) {
      assert.not.match(text, /In the sheet|counts in units/)
      assert.not('unscaled' in (json.lines ?? json.values)![0]!)
    }
  }))
