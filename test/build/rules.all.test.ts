/** Rules of accounting have versions: closed months keep theirs until somebody adopts newer ones (accounting.md §13). */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { AccountingRules } from '../../builder/books/post/accounting-rules.ts'
import { build } from '../../builder/build/build.ts'
import { make } from '../../builder/build/pipeline.ts'
import type { BuildOptions, BuildResult } from '../../builder/build/result.ts'
import { SourceWatch } from '../../builder/build/source-watch.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { lockDateOf } from '../../builder/snapshot/closing/lock-date.ts'
import { openCurrent, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { datasetFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import {
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  inWorkspace,
  ledgerCsv,
  only,
  readStatement,
} from '../support/workspace.ts'

const test = suite('rules with versions')

/** In a workspace that keeps its sources, so that snapshots can be built again. */
const inKeeping = (files: Files, run: (workspace: Workspace) => Promise<void>): Promise<void> =>
  inWorkspace(files, (workspace) => run({ ...workspace, keepInputs: true }))

const publish = (workspace: Workspace, options: Partial<BuildOptions> = {}): Promise<BuildResult> =>
  build(workspace, COMPANY, { publish: true, ...options })

/** Publishes as a program that knew only the rules of before. */
async function publishBy(rules: AccountingRules, workspace: Workspace): Promise<void> {
  const company = readCompany(workspace, COMPANY).value!
  const order = {
    workspace,
    company,
    options: { publish: true },
    startedAt: Date.now(),
    currentSnapshot: null,
    members: workspace.snapshots,
  }
  const watch = new SourceWatch(datasetFolder(workspace, COMPANY))
  const lockDate = await lockDateOf(
    workspace.snapshots,
    company,
    await readHistory(workspace.snapshots, COMPANY),
  )
  assert.is((await make({ ...order, watch, lockDate }, rules)).outcome, 'published')
}

async function currentOf({ snapshots }: Workspace): Promise<Snapshot> {
  const current = await openCurrent(snapshots, COMPANY)
  assert.ok(current)
  return current!
}

async function operatingIn(workspace: Workspace): Promise<number> {
  const { folder } = await currentOf(workspace)
  const path = 'statements/cash-flow/accrual/actuals/all/all.json'
  const { Summary } = JSON.parse(readFileSync(join(folder, path), 'utf8')) as {
    Summary: { Values: number[] }[]
  }
  return Summary[0]!.Values[1]!
}

async function assertSound({ snapshots }: Workspace): Promise<void> {
  const result = await verifyCompanies(snapshots, [COMPANY], { figures: true, sources: true, known: null })
  assert.is(result.outcome, 'verified', JSON.stringify(result.companies))
}

const files = (ledger: string) => ({
  'company.yaml': companyYaml('lockDate: 2025-02-28'),
  'chart.csv': CHART,
  'ledger.csv':
    ledgerCsv(`0 2025-01-01 bank 5000; 0 2025-01-01 capital -5000; 1 2025-01-02 plant 1000; 1 2025-01-02 bank -1000; 2 2025-01-31 depreciation 600; 2 2025-01-31 plantdep -600
    ${ledger}`),
})
const SOLD =
  '3 2025-02-10 bank 700; 3 2025-02-10 plantdep 600; 3 2025-02-10 plant -1000; 3 2025-02-10 gain -300'
const MARCH = '4,2025-03-01,bank,5,,\n4,2025-03-01,sales,-5,,\n'

test('closed months that newer rules would state differently keep theirs, in every build, until they are adopted', () =>
  inKeeping(files(SOLD), async (workspace) => {
    await publishBy(2, workspace)
    assert.is((await currentOf(workspace)).manifest.Format, 2)
    const nightly = await publish(workspace)
    assert.is(nightly.outcome, 'unchanged')
    const asked = only(nightly.findings, 'rules-not-adopted')
    assert.match(asked.message, /in 2025-02\. With them the cash flow follows the entries/)

    const ledger = join(datasetFolder(workspace, COMPANY), 'ledger.csv')
    appendFileSync(ledger, MARCH)
    const next = await publish(workspace)
    assert.is(next.outcome, 'published')
    assert.is(next.restatement, null)
    only(next.findings, 'rules-not-adopted')
    assert.is((await currentOf(workspace)).manifest.Format, 2)
    assert.is(await operatingIn(workspace), -300)

    const sound = readFileSync(ledger, 'utf8')
    writeFileSync(ledger, sound.replaceAll('700', '710').replaceAll('-300', '-310'))
    assert.is(only((await publish(workspace)).findings, 'closed-month-restated').severity, 'error')
    const mixed = await publish(workspace, { adopt: 'agreed with the auditor' })
    assert.is(mixed.outcome, 'refused')
    only(mixed.findings, 'rules-and-sources')

    writeFileSync(ledger, sound)
    const adopted = await publish(workspace, { adopt: 'agreed with the auditor' })
    assert.is(adopted.outcome, 'published')
    const { manifest } = await currentOf(workspace)
    assert.is(manifest.Format, 4)
    assert.is(manifest.Restatement?.Reason, 'agreed with the auditor')
    assert.is(await operatingIn(workspace), 0)
    const after = await publish(workspace)
    assert.is(after.outcome, 'unchanged')
    assert.ok(after.findings.every(({ code }) => code !== 'rules-not-adopted'))
    await assertSound(workspace)
  }))

const DEPOSIT = `transaction_id,date,account,amount,settles
0,2025-01-01,bank,5000,
0,2025-01-01,capital,-5000,
pay,2025-02-10,bank,100,
pay,2025-02-10,debtors,-100,inv
inv,2025-03-02,debtors,100,
inv,2025-03-02,sales,-100,
`
test('a cash basis of format 3 stays as it was published in closed months, and is adopted like other rules', () =>
  inKeeping({ ...files(''), 'ledger.csv': DEPOSIT }, async (workspace) => {
    const unapplied = async () => {
      const { folder } = await currentOf(workspace)
      const text = readFileSync(join(folder, 'statements/profit-loss/cash/actuals/all/all.json'), 'utf8')
      return readStatement(text).rows['unapplied-receipts']?.join(' ') ?? '-'
    }
    await publishBy(3, workspace)
    const nightly = await publish(workspace)
    assert.is(nightly.outcome, 'unchanged')
    assert.match(
      only(nightly.findings, 'rules-not-adopted').message,
      /in 2025-02\. With them money on the derived cash basis is unapplied/,
    )
    const ledger = join(datasetFolder(workspace, COMPANY), 'ledger.csv')
    appendFileSync(ledger, '4,2025-04-01,bank,5,\n4,2025-04-01,sales,-5,\n')
    assert.is((await publish(workspace)).outcome, 'published')
    assert.is((await currentOf(workspace)).manifest.Format, 3)
    assert.is(await unapplied(), '-')
    assert.is((await publish(workspace, { adopt: 'agreed with the auditor' })).outcome, 'published')
    assert.is((await currentOf(workspace)).manifest.Format, 4)
    assert.is(await unapplied(), '0.00 100.00 -100.00 0.00')
    await assertSound(workspace)
  }))

test('where no closed month differs nothing is published, and the next month takes the newer rules', () =>
  inKeeping(files('3 2025-02-10 bank 7; 3 2025-02-10 sales -7'), async (workspace) => {
    await publishBy(2, workspace)
    const nightly = await publish(workspace)
    assert.is(nightly.outcome, 'unchanged')
    assert.equal(
      nightly.findings.map(({ code }) => code),
      [],
    )
    appendFileSync(join(datasetFolder(workspace, COMPANY), 'ledger.csv'), MARCH)
    assert.is((await publish(workspace)).outcome, 'published')
    assert.is((await currentOf(workspace)).manifest.Format, 4)
  }))

test('a reason for what the sources change is none for newer rules, and takes these where they change nothing', () =>
  inKeeping(files('3 2025-02-10 bank 7; 3 2025-02-10 sales -7'), async (workspace) => {
    await publishBy(2, workspace)
    const ledger = join(datasetFolder(workspace, COMPANY), 'ledger.csv')
    writeFileSync(
      ledger,
      readFileSync(ledger, 'utf8').replace('bank,7', 'bank,8').replace('sales,-7', 'sales,-8'),
    )
    const restated = await publish(workspace, { restate: 'the bill was for eight' })
    assert.is(restated.outcome, 'published')
    assert.ok(restated.findings.every(({ code }) => code !== 'rules-not-adopted'))
    assert.is((await currentOf(workspace)).manifest.Format, 4)
  }))

test('a company without closed months is built by the newest rules', () =>
  inKeeping({ ...files(SOLD), 'company.yaml': companyYaml() }, async (workspace) => {
    await publishBy(2, workspace)
    assert.is((await publish(workspace)).outcome, 'published')
    assert.is((await currentOf(workspace)).manifest.Format, 4)
  }))
