/** The difference between two snapshots: which figures, by how much, and because of which lines. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { type Diff, type DiffRequest, diff } from '../../builder/inspect/diff.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const test = suite('diff')

const BASE = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00`
const RENT = (amount: string) => `3 2025-03-05 rent ${amount}; 3 2025-03-05 bank -${amount}`

const YAML = companyYaml('budgets: [{ id: plan, name: Plan, files: plan.csv }]')
const planCsv = (amount: string) => `account,2025-01,2025-02\nrent,${amount},\nsales,,300.00\n`

const inCompany = <T>(run: (workspace: Workspace) => Promise<T>, ledger = BASE): Promise<T> =>
  inWorkspace(
    {
      'company.yaml': YAML,
      'chart.csv': CHART,
      'plan.csv': planCsv('5.00'),
      'ledger.csv': ledgerCsv(ledger),
    },
    run,
  )

/** Publishes these entries; what the build says. */
async function publish(workspace: Workspace, ledger: string) {
  writeFileSync(join(workspace.datasets, COMPANY, 'ledger.csv'), ledgerCsv(ledger))
  const { result } = await buildIn(workspace, COMPANY)
  assert.is(result.outcome, 'published')
  return result
}

async function differs(workspace: Workspace, request: Partial<DiffRequest> = {}): Promise<Diff> {
  const found = await diff(workspace.snapshots, {
    company: COMPANY,
    before: null,
    now: null,
    basis: null,
    classId: null,
    departmentId: null,
    ...request,
  })
  assert.is(found.findings, undefined)
  return found.value!
}

/** `statement account month: old → new (change)`. */
const texts = ({ changes }: Pick<Diff, 'changes'>): string[] =>
  changes.map(
    ({ statement, id, month, before, now, change }) =>
      `${statement} ${id} ${month}: ${before} → ${now} (${change})`,
  )
const linesOf = ({ lines }: Diff): string[] =>
  lines.map(
    ({ side, account, date, amount, file, row }) => `${side} ${account} ${date} ${amount} ${file}:${row}`,
  )

test('a corrected amount: the account, the totals, every balance after it, and the lines behind', () =>
  inCompany(async (workspace) => {
    const first = await publish(workspace, `${BASE}; ${RENT('40.00')}`)
    assert.is(first.changes, null, 'the first has nothing to be compared with')
    const second = await publish(workspace, `${BASE}; ${RENT('45.50')}`)
    const found = await differs(workspace)
    assert.is(found.before, first.snapshotId)
    assert.is(found.now, second.snapshotId)
    const seen = texts(found)
    for (const text of [
      'ProfitAndLoss rent 2025-03: 40.00 → 45.50 (5.50)',
      'ProfitAndLoss NetIncome 2025-03: -40.00 → -45.50 (-5.50)',
      'BalanceSheet bank 2025-03: 1210.00 → 1204.50 (-5.50)',
      'BalanceSheet TotalAssets 2025-03: 1210.00 → 1204.50 (-5.50)',
    ])
      assert.ok(seen.includes(text), `${text} in\n${seen.join('\n')}`)
    assert.ok(found.changes.every(({ month }) => month === '2025-03'))
    assert.equal(linesOf(found), [
      'removed bank 2025-03-05 -40.00 ledger.csv:7',
      'added bank 2025-03-05 -45.50 ledger.csv:7',
      'removed rent 2025-03-05 40.00 ledger.csv:6',
      'added rent 2025-03-05 45.50 ledger.csv:6',
    ])
    // The build told the same.
    assert.is(second.changes!.since, first.snapshotId)
    assert.equal(texts(second.changes!), seen)
  }))

test('a new budget is named, its figures are no changes; one that is gone too', () =>
  inCompany(async (workspace) => {
    await publish(workspace, BASE)
    const folder = join(workspace.datasets, COMPANY)
    const two =
      'budgets: [{ id: plan, name: Plan, files: plan.csv }, { id: next, name: Next, files: next.csv }]'
    writeFileSync(join(folder, 'next.csv'), planCsv('7.00'))
    writeFileSync(join(folder, 'company.yaml'), companyYaml(two))
    const { changes } = await publish(workspace, BASE)
    assert.equal([changes!.newBudgets, changes!.goneBudgets, changes!.changes], [['next'], [], []])
    const found = await differs(workspace)
    const back = await differs(workspace, { before: found.now, now: found.before })
    assert.equal([back.newBudgets, back.goneBudgets, back.changes], [[], ['next'], []])
  }))

test('a new month is named, its figures are no changes; its lines are listed', () =>
  inCompany(async (workspace) => {
    await publish(workspace, BASE)
    const { changes } = await publish(workspace, `${BASE}; ${RENT('40.00')}`)
    assert.equal(changes!.newMonths, ['2025-03'])
    assert.equal(changes!.changes, [])
    const found = await differs(workspace)
    assert.equal(
      found.lines.map(({ side }) => side),
      ['added', 'added'],
    )
    const back = await differs(workspace, { before: found.now, now: found.before })
    assert.equal(back.goneMonths, ['2025-03'])
    assert.equal(
      back.lines.map(({ side }) => side),
      ['removed', 'removed'],
    )
  }))

test('a row that comes up from zero, the same line twice, a line that only moved in its file', () =>
  inCompany(async (workspace) => {
    const twice = '4 2025-02-11 till 1.00; 4 2025-02-11 bank -1.00'
    await publish(workspace, `${BASE}; ${twice}`)
    await publish(workspace, `${twice}; ${twice.replaceAll('4 2', '5 2')}; ${BASE}`)
    const found = await differs(workspace)
    assert.ok(texts(found).includes('BalanceSheet till 2025-02: 1.00 → 2.00 (1.00)'))
    assert.equal(linesOf(found), [
      'added bank 2025-02-11 -1.00 ledger.csv:5',
      'added till 2025-02-11 1.00 ledger.csv:4',
    ])
    await publish(workspace, BASE)
    assert.ok(texts(await differs(workspace)).includes('BalanceSheet till 2025-02: 2.00 → 0.00 (-2.00)'))
  }))

test('a budget that changed: no figure and zero are not the same', () =>
  inCompany(async (workspace) => {
    await publish(workspace, BASE)
    writeFileSync(join(workspace.datasets, COMPANY, 'plan.csv'), planCsv('').replace('300.00', '310.00'))
    const { changes } = await publish(workspace, BASE)
    const budget = { changes: changes!.changes.filter(({ total }) => !total) }
    assert.ok(budget.changes.every(({ budgetId }) => budgetId === 'plan'))
    const seen = texts(budget)
    assert.ok(seen.includes('ProfitAndLoss rent 2025-01: 5.00 → null (-5.00)'), seen.join('\n'))
    assert.ok(seen.includes('ProfitAndLoss sales 2025-02: 300.00 → 310.00 (10.00)'), seen.join('\n'))
  }))

const CLASSES = 'id,name,parent\nall-east,All east,\neast,East,all-east\nwest,West,\n'
const TAGGED = `2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00 east a
  1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00`

test('under a class and a department: figures and lines of both sides, also where only one knows the member', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml('classes: classes.csv\ndepartments: departments.csv'),
      'chart.csv': CHART,
      'classes.csv': CLASSES,
      'departments.csv': 'id,name\na,A\nb,B\n',
    },
    async (workspace) => {
      await publish(workspace, TAGGED)
      await publish(workspace, TAGGED.replace('east a', 'west b'))
      const under = async (classId: string | null, departmentId: string | null) =>
        differs(workspace, { classId, departmentId })
      const east = await under('all-east', null)
      assert.ok(
        texts(east).includes('ProfitAndLoss sales 2025-02: 250.00 → 0.00 (-250.00)'),
        texts(east).join('\n'),
      )
      assert.equal(linesOf(east), ['removed sales 2025-02-10 -250.00 ledger.csv:3'])
      assert.equal([east.classId, east.departmentId], ['all-east', null])
      assert.ok(
        texts(await under('west', 'b')).includes('ProfitAndLoss sales 2025-02: 0.00 → 250.00 (250.00)'),
      )
      assert.equal(linesOf(await under('west', 'a')), [])
      assert.equal((await under('unassigned', null)).changes, [])
      const whole = await under(null, null)
      assert.equal(whole.changes, [], 'the company as a whole is as it was')
      assert.is(whole.lines.length, 2)
      const request = { company: COMPANY, before: null, now: null, basis: null, departmentId: null }
      const { findings } = await diff(workspace.snapshots, { ...request, classId: 'nort' })
      assert.is(findings?.at(0)?.code, 'unknown-class')
      // East goes with its parent: what it stated is a difference, too.
      writeFileSync(join(workspace.datasets, COMPANY, 'classes.csv'), 'id,name,parent\nwest,West,\n')
      await publish(workspace, TAGGED.replace('east a', 'west a'))
      const first = (await differs(workspace)).before
      const gone = await differs(workspace, { before: whole.before, classId: 'east' })
      assert.ok(texts(gone).includes('ProfitAndLoss sales 2025-02: 250.00 → 0.00 (-250.00)'))
      assert.equal(linesOf(gone), ['removed sales 2025-02-10 -250.00 ledger.csv:3'])
      assert.is.not(first, whole.before)
    },
  ))

test('what was restated on the way from one to the other, with its reason', () =>
  inCompany(async (workspace) => {
    const locked = { 'company.yaml': `${YAML}lockDate: 2025-01-31\n` }
    writeFileSync(join(workspace.datasets, COMPANY, 'company.yaml'), locked['company.yaml'])
    const restate = async (amount: string, reason: string) => {
      writeFileSync(
        join(workspace.datasets, COMPANY, 'ledger.csv'),
        ledgerCsv(BASE.replaceAll('1000.00', amount)),
      )
      const result = await build(workspace, COMPANY, { publish: true, restate: reason })
      assert.is(result.outcome, 'published')
      return result.snapshotId!
    }
    const first = (await publish(workspace, BASE)).snapshotId
    const ids = [await restate('1001.00', 'one'), await restate('1002.00', 'two')]
    const last = (await publish(workspace, `${BASE.replaceAll('1000.00', '1002.00')}; ${RENT('1.00')}`))
      .snapshotId
    const told = async (before: string | null, now: string | null) =>
      (await differs(workspace, { before, now })).restatements.map(
        ({ snapshotId, Reason }) => `${snapshotId} ${Reason}`,
      )
    assert.equal(await told(first, last), [`${ids[0]} one`, `${ids[1]} two`])
    assert.equal(await told(last, first), [`${ids[0]} one`, `${ids[1]} two`])
    assert.equal(await told(ids[0]!, last), [`${ids[1]} two`])
    assert.equal(await told(null, null), [], 'the last one restates nothing')
  }))

test('nothing to compare with, an unknown snapshot, another currency: said, with what there is', () =>
  inCompany(async (workspace) => {
    const { snapshotId } = await publish(workspace, BASE)
    const codeOf = async (request: Partial<DiffRequest>) => {
      const all = {
        company: COMPANY,
        before: null,
        now: null,
        basis: null,
        classId: null,
        departmentId: null,
        ...request,
      }
      const { findings = [] } = await diff(workspace.snapshots, all)
      return findings[0]?.code
    }
    assert.is(await codeOf({}), 'no-previous')
    assert.is(await codeOf({ before: '2025-01-r9-abcdef' }), 'unknown-snapshot')
    assert.is(await codeOf({ company: 'nobody' }), 'unknown-company')
    writeFileSync(join(workspace.datasets, COMPANY, 'company.yaml'), YAML.replace('USD', 'EUR'))
    assert.is((await publish(workspace, BASE)).changes, null)
    assert.is(await codeOf({ before: snapshotId }), 'other-currency')
  }))
