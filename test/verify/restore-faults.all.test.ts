/** Restoring on a failing disk, and in a process that is killed: the snapshot is whole or not there, at every step. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { archiveSnapshot } from '../../builder/evidence/archive/archive.ts'
import { restoreSnapshot } from '../../builder/evidence/verify/restore.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { openSnapshot, readPointer } from '../../builder/snapshot/files/open.ts'
import { disk, type Effects } from '../../builder/system/effects.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv, writeFiles } from '../support/workspace.ts'

interface Context {
  top: string
  /** An archive of the second snapshot of a company, so that it names what was before it. */
  zip: string
  id: string
  /** `snapshots/`, empty before each test. */
  root: string
}
const test = suite<Context>('restore, with faults')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-restore-faults-'))
  const publisher = join(context.top, 'publisher')
  mkdirSync(publisher)
  writeFileSync(
    join(publisher, 'tieout.yaml'),
    'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n',
  )
  const workspace = openWorkspace(publisher)
  for (const amount of ['5.00', '6.00']) {
    const entries = `1 2025-01-01 bank ${amount}; 1 2025-01-01 capital -${amount}`
    const files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(entries) }
    writeFiles(join(workspace.datasets, COMPANY), files)
    context.id = (await build(workspace, COMPANY, { publish: true })).snapshotId!
  }
  context.zip = join(context.top, 'a.zip')
  const snapshot = await openSnapshot(workspace.snapshots, COMPANY, context.id)
  const request = { version: '1.0', software: 'test', baggedAt: new Date(0), known: null } as const
  await archiveSnapshot(snapshot, { to: context.zip, ...request })
})
test.before.each((context) => {
  context.root = mkdtempSync(join(context.top, 'root-'))
})

/** Files below a folder with their bytes. */
const contentsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path.slice(folder.length)} ${readFileSync(path, 'base64')}`
    })
    .sort()

/** What is asked of the disk, without waiting for it: here nobody pulls the plug. */
const unsynced: Effects = { ...disk, syncAll: async () => true, syncFile: () => {}, syncFolder: () => {} }

/** Step `at` (from 0) fails, and, where the process dies of it, each one after it. */
function failingAt(at: number, dies: boolean): { effects: Effects; steps: string[] } {
  const steps: string[] = []
  const effects = new Proxy(unsynced, {
    get: (target, name: keyof Effects) => {
      const original = target[name] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        const step = steps.push(name) - 1
        if (step === at || (dies && step > at))
          throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall: name })
        return original(...args)
      }
    },
  })
  return { effects, steps }
}

/** A third a day of: a few of the many files, some of the folders, and every step from there to the pointer and beyond. */
function chosenSteps(steps: readonly string[]): number[] {
  const [synced, moved] = [steps.indexOf('syncAll'), steps.lastIndexOf('rename')]
  const begun = steps.indexOf('copy')
  assert.ok(synced > 30 && begun > synced && moved > begun, steps.join(' '))
  const some = [0, 2, 3, 30, synced, synced + 9]
  return alike([...some, ...Array.from({ length: moved + 4 - begun }, (_, i) => begun + i)])
}

const VISIBLE = new Set(['copy', 'create', 'rename', 'append'])

for (const dies of [false, true])
  test(`whatever step ${dies ? 'the process is killed at' : 'fails'}: whole or not there, and the next attempt succeeds`, async ({
    root,
    zip,
    id,
  }) => {
    const options = { figures: false, known: null, effects: unsynced }
    const [company, place] = [join(root, COMPANY), join(root, COMPANY, id)]
    const clean = failingAt(-1, false)
    await restoreSnapshot(root, zip, { ...options, effects: clean.effects })
    const whole = contentsOf(place)
    // Where it goes on after a failure, the steps that others see are enough.
    const chosen = chosenSteps(clean.steps).filter((at) => dies || VISIBLE.has(clean.steps[at]!))
    for (const at of chosen) {
      rmSync(company, { recursive: true, force: true })
      const { effects } = failingAt(at, dies)
      await restoreSnapshot(root, zip, { ...options, effects }).catch(() => {})
      const step = `step ${at}, ${clean.steps[at]}`
      if (existsSync(place)) assert.equal(contentsOf(place), whole, step)
      // Its process is gone: a lock that it left would be taken over.
      rmSync(join(company, '.lock'), { force: true })
      const again = await restoreSnapshot(root, zip, options)
      assert.ok(['restored', 'present'].includes(again.outcome), step)
      assert.is((await readPointer(root, COMPANY))?.SnapshotId, id, step)
      const { verified, companies } = await verifyCompanies(root, [COMPANY], { figures: false, known: null })
      assert.ok(verified, `${step}: ${JSON.stringify(companies)}`)
      assert.equal(readdirSync(company).sort(), [id, 'current.json', 'inputs', 'log.jsonl'], step)
    }
  })
