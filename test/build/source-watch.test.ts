/** The hash in a manifest is that of the bytes that were read: a source that changes during a build refuses it. */
import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { BuildStep } from '../../builder/build/result.ts'
import { SourceWatch } from '../../builder/build/source-watch.ts'
import { readPointer } from '../../builder/snapshot/files/open.ts'
import { sha256OfFile } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import {
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  findingsText,
  inWorkspace,
  ledgerCsv,
} from '../support/workspace.ts'

const test = suite('sources that change')

const FILES: Files = {
  'company.yaml': companyYaml(`classes: classes.csv
departments: departments.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
trialBalance: [{ files: tb.csv, date: 2025-01-31 }]`),
  'chart.csv': CHART,
  'classes.csv': 'id,name\neast,East\n',
  'departments.csv': 'id,name\na,A\n',
  'plan.csv': 'account,2025-01\nrent,45.00\n',
  'metrics.csv': 'metric,2025-01\nheads,5\n',
  'tb.csv': 'account,debit,credit\nbank,100.00,\ncapital,,100.00\n',
  'ledger.csv': ledgerCsv('1 2025-01-01 bank 100.00; 1 2025-01-01 capital -100.00'),
}

/** A build during which `change` is made after the files were hashed, and before the books read the ledger. */
const changedIn = (change: (folder: string) => void, publish = true) =>
  inWorkspace(FILES, async (workspace) => {
    const progress = (step: BuildStep) => {
      if (step === 'books') change(join(workspace.datasets, COMPANY))
    }
    const { outcome, findings } = await build(workspace, COMPANY, { publish, progress })
    assert.is((await readPointer(workspace.snapshots, COMPANY)) !== null, outcome === 'published')
    return {
      outcome,
      told: findings.filter(({ code }) => code === 'source-changed').map(({ file }) => file),
      findings,
    }
  })

const OTHER = String(FILES['ledger.csv']).replaceAll('100.00', '900.00')

test('nothing changes: it is published', async () => {
  const { outcome, findings } = await changedIn(() => {})
  assert.is(outcome, 'published', findingsText(findings))
})

for (const publish of [true, false])
  test(`a ledger is written over between hashing and reading, ${publish ? 'build' : 'check'}`, async () => {
    const { outcome, told } = await changedIn(
      (folder) => writeFileSync(join(folder, 'ledger.csv'), OTHER),
      publish,
    )
    assert.equal([outcome, told], ['refused', ['ledger.csv']])
  })

test('a ledger is replaced by another file of the same size and time', async () => {
  const { outcome, told } = await changedIn((folder) => {
    const [file, other] = ['ledger.csv', 'other'].map((name) => join(folder, name)) as [string, string]
    const { atime, mtime } = statSync(file)
    writeFileSync(other, OTHER)
    utimesSync(other, atime, mtime)
    renameSync(other, file)
  })
  assert.equal([outcome, told], ['refused', ['ledger.csv']])
})

for (const file of Object.keys(FILES).filter((name) => name !== 'ledger.csv'))
  test(`${file} is written anew during the build`, async () => {
    const { outcome, told } = await changedIn((folder) =>
      writeFileSync(join(folder, file), `${FILES[file]}\n`),
    )
    assert.equal([outcome, told], ['refused', [file]])
  })

test('a file that is put back is told too, and one that appeared meanwhile; one that was only read is not', () =>
  inWorkspace(FILES, async ({ datasets }) => {
    const folder = join(datasets, COMPANY)
    const names = readdirSync(folder)
    const sources = await Promise.all(
      names.map(async (file) => ({
        file,
        path: join(folder, file),
        sha256: await sha256OfFile(join(folder, file)),
      })),
    )
    const watch = new SourceWatch(folder)
    watch.see(names.filter((name) => name !== 'tb.csv'))
    const file = join(folder, 'ledger.csv')
    renameSync(file, `${file}.kept`)
    writeFileSync(file, OTHER)
    renameSync(`${file}.kept`, file)
    assert.equal((await watch.changed(sources)).sort(), ['ledger.csv', 'tb.csv'])
  }))
