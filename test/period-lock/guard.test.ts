/** What guards closed months, where no command shows it; what commands show is in `cases/`. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import { differenceOf } from '../../builder/evidence/verify/document-difference.ts'
import { relabelledAccounts } from '../../builder/snapshot/closing/labels.ts'
import { programReason } from '../../builder/snapshot/closing/program-change.ts'
import { restatedBetween } from '../../builder/snapshot/closing/restated.ts'
import { RULES, type RuleChange } from '../../builder/snapshot/closing/rules.ts'
import { MANIFEST, snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { openSnapshot, readPointer } from '../../builder/snapshot/files/open.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { closeMonth } from '../../builder/snapshot/log/close.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import {
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  findingsText,
  inWorkspace,
  ledgerCsv,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('restatement')

const BASE = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-01-10 bank 250.00 - a; 2 2025-01-10 sales -250.00 east a
  3 2025-02-10 rent 40.00; 3 2025-02-10 bank -40.00`
const CLASSES = 'id,name\neast,East\nwest,West\n'
const DEPARTMENTS = 'id,name\na,A\nb,B\n'
const METRICS = 'metric,2025-01,2025-02,2025-03\nheads,5,6,\n'
const planCsv = (january: string) => `account,2025-01,2025-02,2025-03\nrent,${january},45.00,\n`
const yaml = (lockDate: string | null, more = '') =>
  companyYaml(
    `classes: classes.csv
departments: departments.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
${lockDate === null ? '' : `lockDate: ${lockDate}\n`}${more}`,
  )

const FILES: Files = {
  'company.yaml': yaml('2025-01-31'),
  'chart.csv': CHART,
  'classes.csv': CLASSES,
  'departments.csv': DEPARTMENTS,
  'plan.csv': planCsv('44.00'),
  'metrics.csv': METRICS,
  'ledger.csv': ledgerCsv(BASE),
}

const publish = (workspace: Workspace, files: Files = {}, restate?: string): Promise<BuildResult> => {
  writeFiles(join(workspace.datasets, COMPANY), files)
  return build(workspace, COMPANY, { publish: true, ...(restate === undefined ? {} : { restate }) })
}

/** After a first publication with January closed. */
const published = (
  run: (workspace: Workspace, first: BuildResult) => Promise<void>,
  files: Files = {},
): Promise<void> =>
  inWorkspace({}, async (workspace) => {
    const first = await publish(workspace, { ...FILES, ...files })
    assert.is(first.outcome, 'published', findingsText(first.findings))
    assert.is(first.restatement, null, 'the first snapshot restates nothing')
    await run(workspace, first)
  })

const manifestOf = (workspace: Workspace, id: string | null): Manifest =>
  JSON.parse(readFileSync(join(snapshotFolder(workspace.snapshots, COMPANY, id!), MANIFEST), 'utf8'))

const ledger = (entries: string): Files => ({ 'ledger.csv': ledgerCsv(entries) })
async function passes(workspace: Workspace, files: Files): Promise<BuildResult> {
  const result = await publish(workspace, files)
  assert.is(result.outcome, 'published', findingsText(result.findings))
  assert.is(result.restatement, null)
  assert.is(manifestOf(workspace, result.snapshotId).Restatement, null)
  return result
}

test('a reason changes no hash of the figures, and is not kept where nothing is restated', () =>
  published(async (workspace) => {
    const corrected = ledger(BASE.replaceAll('40.00', '42.00'))
    const result = await publish(workspace, corrected, 'not needed: February is open')
    assert.is(result.outcome, 'published')
    assert.is(manifestOf(workspace, result.snapshotId).Restatement, null)
    await publish(workspace, ledger(BASE.replaceAll('250.00', '260.00')), 'one')
    const back = await publish(workspace, corrected, 'two')
    assert.is(
      manifestOf(workspace, back.snapshotId).ContentHash,
      manifestOf(workspace, result.snapshotId).ContentHash,
    )
  }))

test('by the rule of earlier versions the aggregation of a metric was not compared', () =>
  published(async (workspace) => {
    const names: Files = {
      'company.yaml': yaml('2025-01-31').replace(
        'name: Heads, aggregation: last',
        'name: Heads, unit: dozens, aggregation: sum',
      ),
    }
    const before = await readPointer(workspace.snapshots, COMPANY)
    const result = await publish(workspace, names, 'counted otherwise')
    assert.is(result.outcome, 'published', findingsText(result.findings))
    const open = (id: string) => openSnapshot(workspace.snapshots, COMPANY, id)
    const [first, second] = [await open(before!.SnapshotId), await open(result.snapshotId!)]
    const through = { lock: '2025-01-31', logged: null, isFormat1: false, comparesAggregations: false }
    const earlier = await restatedBetween(first, second, through)
    assert.is(earlier!.part.Labels!.at(-1)!.New, 'Heads (dozens)')
  }))

test('months that are closed while a build runs: it is not published', () =>
  published(
    async (workspace) => {
      const [signer, today] = [await openSigner(workspace.state), '2025-03-01']
      writeFiles(join(workspace.datasets, COMPANY), ledger(BASE.replaceAll('250.00', '260.00')))
      let closing: Promise<unknown> | null = null
      const result = await build(workspace, COMPANY, {
        publish: true,
        progress: (step) => {
          if (step === 'books')
            closing ??= closeMonth(workspace.snapshots, COMPANY, '2025-01', { signer, today })
        },
      })
      await closing
      assert.is(result.outcome, 'refused', findingsText(result.findings))
      assert.equal(codes(result.findings).sort(), ['closed-meanwhile', 'closed-month-restated'])
    },
    { 'company.yaml': yaml(null) },
  ))

test('a damaged snapshot of a company that closes no months stops nothing', () =>
  published(
    async (workspace, first) => {
      replace(join(snapshotFolder(workspace.snapshots, COMPANY, first.snapshotId!), MANIFEST), '{}')
      await passes(workspace, ledger(BASE.replaceAll('250.00', '260.00')))
    },
    { 'company.yaml': yaml(null) },
  ))

function replace(path: string, text: string): void {
  chmodSync(path, 0o644)
  writeFileSync(path, text)
}

test('the name of an account counts, also where its id is a word of JavaScript', () => {
  const document = (name: string) =>
    JSON.stringify({
      Periods: [{ Month: '2025-01' }],
      Data: [{ AccountId: 'constructor', AccountName: name, Values: [1] }],
    })
  assert.is(relabelledAccounts(document('Rent'), document('Consulting'), '2025-01').length, 1)
  assert.is(differenceOf('a.json', document('Rent'), document('Consulting'))?.what, 'stated')
})

test('the reason that is offered for differences of the program states its rules, or where they are too many for a line of the log how many they are', () => {
  const [one, two] = RULES
  const before = { before: 'Tieout 1.0.0', isAll: true }
  const offered = (rules: readonly RuleChange[]) => programReason({ ...before, rules })
  assert.match(offered([one!, two!])!, `: ${one!.says}; ${two!.says}`)
  assert.match(offered(RULES)!, new RegExp(`: ${RULES.length} rules changed, see its list of changes$`))
  assert.is(offered([]), null)
  assert.is(programReason({ ...before, rules: RULES, isAll: false }), null)
})
