/** A build with nothing to do finds that out from hashes; with anything else than the very same input it builds. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const unchanged = suite('nothing to do')

const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))

const FILES = {
  'company.yaml': companyYaml('ledger: [{ files: "ledger-*.csv" }]'),
  'chart.csv': CHART,
  'ledger-1.csv': ledgerCsv('1 2025-01-01 bank 100.00; 1 2025-01-01 capital -100.00'),
}

interface Built {
  readonly outcome: string
  /** Steps that were told: parsing and composing are among them only where they were done. */
  readonly steps: readonly string[]
}

async function run(workspace: Workspace, company = COMPANY): Promise<Built> {
  const steps = new Set<string>()
  const { outcome } = await build(workspace, company, {
    publish: true,
    progress: (step) => steps.add(step),
  })
  return { outcome, steps: [...steps] }
}

const again = (change: (folder: string, workspace: Workspace) => void, expect: (built: Built) => void) =>
  inWorkspace(FILES, async (workspace) => {
    assert.is((await run(workspace)).outcome, 'published')
    change(join(workspace.datasets, COMPANY), workspace)
    expect(await run(openWorkspace(workspace.root)))
  })

const isBuilt = (outcome: string) => (built: Built) => {
  assert.is(built.outcome, outcome)
  assert.ok(built.steps.includes('statements'), 'it was composed')
}

unchanged('the same sources: nothing is parsed or composed', () =>
  again(
    () => {},
    ({ outcome, steps }) => {
      assert.is(outcome, 'unchanged')
      assert.equal(steps, ['read'])
    },
  ),
)

// Budgets and targets of months to come, workbooks of several sheets, column maps, a format of its own.
for (const name of chosen(['harbor', 'lakeside', 'nordvik']))
  unchanged(`the same sources of ${name}, with all that they hold`, () =>
    inWorkspace(
      {},
      async (workspace) => {
        cpSync(join(DATASETS, name), join(workspace.datasets, name), { recursive: true })
        assert.is((await run(workspace, name)).outcome, 'published')
        assert.equal(await run(workspace, name), { outcome: 'unchanged', steps: ['read'] })
      },
      name,
    ),
  )

unchanged('the result says what the snapshot holds', () =>
  inWorkspace(FILES, async (workspace) => {
    const first = await build(workspace, COMPANY, { publish: true })
    const second = await build(workspace, COMPANY, { publish: true })
    for (const key of [
      'snapshotId',
      'postings',
      'transactions',
      'documents',
      'coverage',
      'tieOuts',
      'findings',
    ] as const)
      assert.equal(second[key], first[key], key)
  }),
)

unchanged('another amount', () =>
  again(
    (folder) =>
      writeFileSync(join(folder, 'ledger-1.csv'), FILES['ledger-1.csv'].replaceAll('100.00', '100.01')),
    isBuilt('published'),
  ),
)

unchanged('one more file that a pattern names', () =>
  again(
    (folder) =>
      writeFileSync(
        join(folder, 'ledger-2.csv'),
        ledgerCsv('2 2025-02-01 bank 5.00; 2 2025-02-01 sales -5.00'),
      ),
    isBuilt('published'),
  ),
)

unchanged('a file under another name', () =>
  again(
    (folder) => renameSync(join(folder, 'ledger-1.csv'), join(folder, 'ledger-2.csv')),
    (built) => assert.ok(built.steps.includes('statements')),
  ),
)

unchanged('a file that is gone is refused, not passed over', () =>
  again(
    (folder) => rmSync(join(folder, 'ledger-1.csv')),
    ({ outcome }) => assert.is(outcome, 'refused'),
  ),
)

unchanged('another setting', () =>
  again((folder) => {
    const path = join(folder, 'company.yaml')
    writeFileSync(path, `${readFileSync(path, 'utf8')}\ncashFlow: { plant: Operating }\n`)
  }, isBuilt('published')),
)

unchanged('sources that are to be kept from now on', () =>
  again(
    (_folder, { root }) =>
      writeFileSync(
        join(root, 'tieout.yaml'),
        'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n',
      ),
    (built) => assert.ok(built.steps.includes('statements')),
  ),
)

unchanged('a published file that was cut off', () =>
  again(
    (_folder, { snapshots }) => {
      const { SnapshotId } = JSON.parse(readFileSync(join(snapshots, COMPANY, 'current.json'), 'utf8'))
      const file = join(snapshots, COMPANY, SnapshotId, 'info.json')
      assert.ok(existsSync(file))
      truncateSync(file, 3)
    },
    (built) => assert.ok(built.steps.includes('statements')),
  ),
)

unchanged('lines that are dated ahead of today are told by each build', () =>
  inWorkspace(
    { ...FILES, 'ledger-1.csv': ledgerCsv('1 2150-01-01 bank 1.00; 1 2150-01-01 capital -1.00') },
    async (workspace) => {
      const first = await build(workspace, COMPANY, { publish: true })
      const second = await build(workspace, COMPANY, { publish: true })
      const codes = (result: typeof first) => result.findings.map(({ code }) => code)
      assert.equal(codes(second), codes(first))
      assert.ok(codes(second).some((code) => /future/.test(code)))
    },
  ),
)
