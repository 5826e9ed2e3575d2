/** The difference between two snapshots: which figures, by how much, and because of which lines. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Diff, type DiffRequest, diff } from '../../builder/diff.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
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

test('nothing to compare with, an unknown snapshot, another currency: said, with what there is', () =>
  inCompany(async (workspace) => {
    const { snapshotId } = await publish(workspace, BASE)
    const codeOf = async (request: Partial<DiffRequest>) => {
      const all = { company: COMPANY, before: null, now: null, basis: null, ...request }
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

test.run()
