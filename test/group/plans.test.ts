/** Budgets and metrics of members that have the same id are those of the group. */
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { suite } from '../suite.ts'
import { buildAll, GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { CHART, codes, type Files, findingsText, ledgerCsv, only, writeFiles } from '../support/workspace.ts'

const test = suite('plans')

const PLANNED = `budgets: [{ id: plan, name: Plan 2025, files: plan.csv }]
nonFinancial: [{ id: units, name: Units sold, aggregation: sum }, { id: staff, name: Staff, aggregation: last }]
metrics: [{ files: units.csv }]
`
const member = (id: string, more: string, entries: string, plan: string, units: string): Files => ({
  'company.yaml': memberYaml(id, `${PLANNED}${more}`),
  'ledger.csv': ledgerCsv(entries),
  'plan.csv': `account,month,amount\n${plan}\n`,
  'units.csv': `metric,month,value\n${units}\n`,
})
const ALPHA = member(
  'alpha',
  '',
  '1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00; 2 2025-02-10 bank 7.00; 2 2025-02-10 sales -7.00',
  'sales,2025-01,100.00\nrent,2025-01,40.00\nsales,2025-03,50.00',
  'units,2025-01,5\nunits,2025-02,7\nstaff,2025-01,3',
)
const EURO = member(
  'euro',
  'currency: EUR\n',
  '1 2025-01-10 bank 10.00; 1 2025-01-10 sales -10.00; 2 2025-02-10 till 1.00; 2 2025-02-10 bank -1.00',
  'sales,2025-01,10.00\ntax,2025-03,20.00',
  'units,2025-01,2\nunits,2025-02,0.5',
)
const RATES = `1 EUR = x USD
currency,month,average,closing,budget
EUR,2024-12,,1.00,
EUR,2025-01,1.05,1.10,
EUR,2025-02,1.05,1.10,
EUR,2025-03,,,1.20
`
const GROUP_FILES: Files = {
  'company.yaml': groupYaml('members: [{ company: alpha }, { company: euro }]\nrates: rates.csv'),
  'rates.csv': RATES,
}

test('budgets are added up, at rates of their own, and metrics that are sums', () =>
  inGroup({ alpha: ALPHA, euro: EURO, [GROUP]: GROUP_FILES }, async (workspace) => {
    const built = await buildAll(workspace, ['alpha', 'euro', GROUP])
    assert.is(
      only(built.result.findings, 'group-budget-average').message,
      'the budgets of euro are at the average of 2025-01: they have no rate of their own',
    )
    const { rows, months } = built.statement('ProfitAndLoss', { budgetId: 'plan' })
    assert.equal(months, ['2025-01', '2025-02', '2025-03'])
    assert.equal(rows, {
      sales: ['110.50', null, '50.00'],
      rent: ['40.00', null, null],
      tax: [null, null, '24.00'],
    })
    assert.equal(
      built.statement('ProfitAndLoss', { budgetId: 'plan', classId: 'euro' }).rows.sales?.[0],
      '10.50',
    )
    const { Data } = JSON.parse(built.read('metrics/actuals/all/all.json')) as { Data: unknown[] }
    assert.equal(Data, [{ NonFinancialId: 'units', Values: [7, 7.5] }])
  }))

test('a group may have its own; what some members lack, and a unit that differs, are said', () =>
  inGroup(
    {
      alpha: ALPHA,
      euro: { ...EURO, 'company.yaml': memberYaml('euro', 'currency: EUR\n') },
      [GROUP]: { ...GROUP_FILES, 'chart.csv': CHART },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['alpha', 'euro', GROUP])
      assert.is(
        only(built.result.findings, 'group-budget-lacking').message,
        'the budget plan is not one of all members: euro has none',
      )
      writeFiles(`${workspace.datasets}/${GROUP}`, {
        'company.yaml': `${GROUP_FILES['company.yaml']}${PLANNED}`,
        'plan.csv': 'account,month,amount\nsales,2025-01,1.00\n',
        'units.csv': 'metric,month,value\nunits,2025-01,1\nstaff,2025-01,9\n',
      })
      const own = await buildAll(workspace, [GROUP])
      assert.equal(codes(own.result.findings), [], findingsText(own.result.findings))
      assert.equal(own.statement('ProfitAndLoss', { budgetId: 'plan' }).rows, { sales: ['1.00'] })
      const units = PLANNED.replace('name: Units sold', 'name: Units sold, unit: boxes')
      writeFiles(`${workspace.datasets}/${GROUP}`, GROUP_FILES)
      writeFiles(`${workspace.datasets}/euro`, {
        'company.yaml': memberYaml('euro', `currency: EUR\n${units}`),
      })
      await build(workspace, 'euro', { publish: true })
      const refused = await build(workspace, GROUP, { publish: true })
      assert.is(
        only(refused.findings, 'group-metric-unit').message,
        'euro counts units in boxes, others in no unit',
      )
    },
  ))

test('what a member has planned for months in which it does not belong to the group is no plan of the group', () => {
  const planned = (id: string): Files =>
    member(
      id,
      '',
      '1 2025-01-10 bank 7.00; 1 2025-01-10 capital -7.00; 2 2025-02-10 bank 7.00; 2 2025-02-10 sales -7.00',
      'sales,2025-01,100.00\nsales,2025-03,50.00',
      'units,2025-01,5',
    )
  const units = 'metric,month,value,budget\nunits,2025-01,5,plan\nunits,2025-03,9,plan\n'
  return inGroup(
    {
      alpha: { ...planned('alpha'), 'units.csv': units },
      beta: { ...planned('beta'), 'units.csv': units },
      [GROUP]: {
        'company.yaml': groupYaml('members: [{ company: alpha }, { company: beta, to: 2025-01-31 }]'),
      },
    },
    async (workspace) => {
      const built = await buildAll(workspace, ['alpha', 'beta', GROUP])
      assert.equal(built.statement('ProfitAndLoss', { budgetId: 'plan' }).rows.sales, [
        '200.00',
        null,
        '50.00',
      ])
      const { Data } = JSON.parse(built.read('metrics/plan/all/all.json')) as { Data: unknown[] }
      assert.equal(Data, [{ NonFinancialId: 'units', Values: [10, null, 9] }])
    },
  )
})
