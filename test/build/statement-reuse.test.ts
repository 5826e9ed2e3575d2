/** Statements taken over from an earlier build: the same snapshot as one that composes everything, whatever happened to what was kept. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import { MANIFEST, snapshotFolder, statementPath } from '../../builder/snapshot/layout.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { CHART, COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'

const before = suite('composed before')

const line = (n: number, more = 0): string => {
  const month = String(1 + (n % 12)).padStart(2, '0')
  const tags = `${['', 'a', 'a1', 'b', 'c'][n % 5]},${['', 'a', 'a1', 'b'][n % 4]}`
  const accounts = ['bank', 'till', 'debtors', 'sales', 'cogs', 'rent', 'loan', 'tax']
  const [debit, credit] = [accounts[n % 8], accounts[(n * 5 + 3) % 8]]
  return `${n},2025-${month}-10,${debit},${n + more}.25,${tags}\n${n},2025-${month}-10,${credit},-${n + more}.25,${tags}\n`
}
/** Transaction 8 is of class b, and of no other; its amount is changed by `more`. */
const ledger = (more: number): string =>
  `transaction_id,date,account,amount,class,department\n${Array.from({ length: 200 }, (_, n) => line(n + 1, n + 1 === 8 ? more : 0)).join('')}`
const FILES: Files = {
  'company.yaml': companyYaml(
    'classes: members.csv\ndepartments: members.csv\nledger: [{ files: ledger.csv }]',
  ),
  'chart.csv': CHART,
  'members.csv': 'id,name,parent\na,A,\na1,A one,a\nb,B,\nc,C,\n',
  'ledger.csv': ledger(0),
}

const published = async (workspace: Workspace): Promise<BuildResult> => {
  const result = await build(workspace, COMPANY, { publish: true })
  assert.is(result.outcome, 'published', JSON.stringify(result.findings))
  return result
}

const change = (workspace: Workspace, more: number): void =>
  writeFileSync(join(workspace.datasets, COMPANY, 'ledger.csv'), ledger(more))

const cacheFolder = (workspace: Workspace): string => join(workspace.state, 'cache', COMPANY)
const kept = (workspace: Workspace): string[] => readdirSync(cacheFolder(workspace)).sort()

const isNote = (workspace: Workspace, name: string): boolean =>
  readFileSync(join(cacheFolder(workspace), name), 'latin1').startsWith('{')

/** Everything that was published, but the manifest, which tells of the snapshot before. */
function contents(workspace: Workspace, { snapshotId, tieOuts }: BuildResult) {
  const folder = snapshotFolder(workspace.snapshots, COMPANY, snapshotId!)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(MANIFEST))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return { tieOuts, files: files.map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]) }
}

/** What a build makes that finds nothing of an earlier one. */
const afresh = (more: number) =>
  inWorkspace({ ...FILES, 'ledger.csv': ledger(more) }, async (workspace) =>
    contents(workspace, await published(workspace)),
  )

const again = (title: string, between: (workspace: Workspace, first: BuildResult) => void) =>
  before(title, () =>
    inWorkspace(FILES, async (workspace) => {
      const first = await published(workspace)
      const whatWas = kept(workspace)
      between(workspace, first)
      change(workspace, 3)
      const second = await published(workspace)
      assert.equal(contents(workspace, second), await afresh(3))
      // The notes of lines-before.ts beside them are of whole snapshots.
      const found = kept(workspace).filter((name) => !isNote(workspace, name))
      assert.ok(found.every((name) => /^[0-9a-f]{64}\.[0-9a-f]{64}$/.test(name)))
      // Classes a, a1, c and unassigned stand as they were; b was composed anew, and what was kept of it is gone.
      assert.is(found.length, 5)
      assert.is(found.filter((name) => whatWas.includes(name)).length, 4)
    }),
  )

again('what one entry does not touch is taken over', () => {})

again('what was kept is gone', (workspace) => rmSync(cacheFolder(workspace), { recursive: true }))

again('what was kept is damaged, cut off or something else', (workspace) => {
  for (const [i, name] of kept(workspace).entries()) {
    const path = join(cacheFolder(workspace), name)
    const bytes = readFileSync(path)
    if (i % 3 === 0) bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, i % 3 === 1 ? bytes.subarray(0, -1) : i % 3 === 2 ? 'nothing' : bytes)
  }
  writeFileSync(join(cacheFolder(workspace), 'note.txt'), 'mine')
})

before('a document that was damaged since is composed again, not taken over', () =>
  inWorkspace(FILES, async (workspace) => {
    const first = await published(workspace)
    const scope = { statement: 'BalanceSheet', basis: 'ACCRUAL', budgetId: null, departmentId: null } as const
    const folder = snapshotFolder(workspace.snapshots, COMPANY, first.snapshotId!)
    const path = join(folder, statementPath({ ...scope, classId: 'c' }))
    writeFileSync(path, readFileSync(path, 'latin1').replace(/1/, '2'), { mode: 0o644 })
    const gone = join(folder, statementPath({ ...scope, classId: 'a1' }))
    rmSync(gone)
    change(workspace, 3)
    assert.equal(contents(workspace, await published(workspace)), await afresh(3))
    assert.not.ok(existsSync(gone))
  }),
)

before('what is taken over is linked', () =>
  inWorkspace(FILES, async (workspace) => {
    const inode = ({ snapshotId }: BuildResult, classId: string) => {
      const scope = { statement: 'CashFlow', basis: 'ACCRUAL', budgetId: null, departmentId: null } as const
      const path = statementPath({ ...scope, classId })
      return statSync(join(snapshotFolder(workspace.snapshots, COMPANY, snapshotId!), path)).ino
    }
    const first = await published(workspace)
    change(workspace, 3)
    const second = await published(workspace)
    for (const classId of ['a', 'a1', 'c']) assert.is(inode(second, classId), inode(first, classId))
    assert.is.not(inode(second, 'b'), inode(first, 'b'))
  }),
)

before('where no monthly figure changes, sums over members still tie out', () =>
  inWorkspace(FILES, async (workspace) => {
    const moved = ledger(0).replaceAll('8,2025-09-10', '8,2025-09-11')
    const anew = await inWorkspace({ ...FILES, 'ledger.csv': moved }, async (other) =>
      contents(other, await published(other)),
    )
    await published(workspace)
    writeFileSync(join(workspace.datasets, COMPANY, 'ledger.csv'), moved)
    assert.equal(contents(workspace, await published(workspace)), anew)
  }),
)

before('a place where nothing can be kept stops no build', () =>
  inWorkspace(FILES, async (workspace) => {
    mkdirSync(workspace.state, { recursive: true })
    writeFileSync(join(workspace.state, 'cache'), 'a file where the folder would be')
    assert.equal(contents(workspace, await published(workspace)), await afresh(0))
    change(workspace, 3)
    assert.equal(contents(workspace, await published(workspace)), await afresh(3))
  }),
)

before.run()
