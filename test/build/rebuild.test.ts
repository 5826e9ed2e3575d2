/** A build after another one: the same snapshot as a first one of the same files, and hard links to what did not change. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import { MANIFEST, snapshotFolder, statementPath } from '../../builder/snapshot/files/layout.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'

const rebuild = suite('rebuild')

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

/** Everything that was published, but the manifest, which tells of the snapshot before. */
function contents(workspace: Workspace, { snapshotId, tieOuts }: BuildResult) {
  const folder = snapshotFolder(workspace.snapshots, COMPANY, snapshotId!)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(MANIFEST))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return { tieOuts, files: files.map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]) }
}

/** What a first build makes. */
const afresh = (more: number) =>
  inWorkspace({ ...FILES, 'ledger.csv': ledger(more) }, async (workspace) =>
    contents(workspace, await published(workspace)),
  )

rebuild('a document that was damaged since is written anew, not linked', () =>
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

rebuild('what one entry does not touch is linked', () =>
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

rebuild('where no monthly figure changes, the snapshot is the same as a first one', () =>
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

rebuild('a place where nothing can be kept stops no build', () =>
  inWorkspace(FILES, async (workspace) => {
    mkdirSync(workspace.state, { recursive: true })
    writeFileSync(join(workspace.state, 'cache'), 'a file where the folder would be')
    assert.equal(contents(workspace, await published(workspace)), await afresh(0))
    change(workspace, 3)
    assert.equal(contents(workspace, await published(workspace)), await afresh(3))
  }),
)
