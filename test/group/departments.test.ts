/** Departments of members that are called otherwise in the group: lines, openings and budgets stand in the group's. */
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { suite } from '../suite.ts'
import { buildAll, GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { type Files, findingsText, only, writeFiles } from '../support/workspace.ts'

const test = suite('departments of a group')

const DEPARTMENTS = 'departments: departments.csv\n'
const ALPHA: Files = {
  'company.yaml': memberYaml('alpha', DEPARTMENTS),
  'departments.csv': 'id,name\nnorth,North\n',
  'ledger.csv': `transaction_id,date,account,amount,department
1,2025-01-10,bank,100.00,north
1,2025-01-10,sales,-100.00,north
`,
}
/** Of two departments one is the group's; the bank of December is an opening of the group. */
const BETA: Files = {
  'company.yaml': memberYaml(
    'beta',
    `currency: EUR\n${DEPARTMENTS}budgets: [{ id: plan, name: Plan, files: plan.csv }]\n`,
  ),
  'departments.csv': 'id,name,parent\nsverige,Sverige,\nnorr,Norr,sverige\nstad,Stad,norr\n',
  'plan.csv': 'account,department,month,amount\nsales,norr,2025-01,30.00\n',
  'ledger.csv': `transaction_id,date,account,amount,department
1,2024-12-10,bank,50.00,norr
1,2024-12-10,capital,-50.00,norr
2,2025-01-10,bank,7.00,norr
2,2025-01-10,sales,-7.00,norr
3,2025-01-11,bank,2.00,stad
3,2025-01-11,sales,-2.00,stad
`,
}
const MEMBERS =
  'members: [{ company: alpha }, { company: beta, departments: beta-departments.csv }]\nrates: rates.csv'
const GROUPED: Files = {
  'company.yaml': groupYaml(MEMBERS),
  'rates.csv': '1 EUR = x USD\ncurrency,month,average,closing\nEUR,2024-12,,1\nEUR,2025-01,2,3\n',
  'beta-departments.csv': 'department,group_department\nnorr,north\nSverige,\n',
}

test('what a table maps stands in the department of the group, and so does what is below it', () =>
  inGroup({ alpha: ALPHA, beta: BETA, [GROUP]: GROUPED }, async (workspace) => {
    const built = await buildAll(workspace, ['alpha', 'beta', GROUP])
    const rows = (departmentId: string) => [
      built.statement('ProfitAndLoss', { departmentId }).rows.sales,
      built.statement('BalanceSheet', { departmentId }).rows.bank,
    ]
    // 100.00 of alpha; of beta 7.00 + 2.00 at 2, and (50.00 + 7.00 + 2.00) at 3.
    assert.equal(rows('north'), [['118.00'], ['277.00']])
    assert.equal(rows('stad'), [['4.00'], ['6.00']])
    assert.throws(() => rows('norr'))
    const plan = built.statement('ProfitAndLoss', { departmentId: 'north', budgetId: 'plan' })
    assert.equal(plan.rows.sales, ['60.00'])
  }))

test('a name that is no department of the member, or none of the group, refuses the build', () =>
  inGroup({ alpha: ALPHA, beta: BETA, [GROUP]: GROUPED }, async (workspace) => {
    for (const id of ['alpha', 'beta']) await build(workspace, id, { publish: true })
    const folder = `${workspace.datasets}/${GROUP}`
    for (const [row, message] of [
      ['nord,north', '"nord" is no department of beta'],
      ['norr,nowhere', '"nowhere" is no department of the group'],
    ] as const) {
      writeFiles(folder, { 'beta-departments.csv': `department,group_department\n${row}\n` })
      const { findings } = await build(workspace, GROUP, { publish: true })
      assert.is(only(findings, 'unknown-department').message, message, findingsText(findings))
    }
    writeFiles(folder, { 'beta-departments.csv': 'department,group_department\nnorr,north\nnorr,stad\n' })
    const { findings: twice } = await build(workspace, GROUP, { publish: true })
    assert.is(
      only(twice, 'duplicate-id').message,
      '"norr" stands for "north" in one row and for "stad" in another',
      findingsText(twice),
    )
    writeFiles(folder, { 'beta-departments.csv': 'department,group_department\nnorr,nowhere\n' })
    // A department of the group's own is one that no member has.
    writeFiles(folder, {
      'company.yaml': groupYaml(MEMBERS, DEPARTMENTS),
      'departments.csv': 'id,name\nnowhere,Nowhere\n',
    })
    const { outcome, findings } = await build(workspace, GROUP, { publish: true })
    assert.is(outcome, 'published', findingsText(findings))
  }))
