/** Statements composed on several threads are those of one: the same bytes, the same tie-outs, the same findings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BuildResult } from '../../builder/build.ts'
import { MANIFEST, snapshotFolder } from '../../builder/snapshot/layout.ts'
import { CHART, COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'

const threads = suite('threads')

/** Threads run compiled code only: the test runner sees to it that it is current. */
const COMPILED = new URL('../../dist/builder/build.js', import.meta.url).href
const { build } = (await import(COMPILED)) as typeof import('../../builder/build.ts')

const line = (n: number): string => {
  const month = String(1 + (n % 12)).padStart(2, '0')
  const tags = `${['', 'a', 'a1', 'b', 'c'][n % 5]},${['', 'a', 'a1', 'b'][n % 4]}`
  const accounts = ['bank', 'till', 'debtors', 'sales', 'cogs', 'rent', 'loan', 'tax']
  const [debit, credit] = [accounts[n % 8], accounts[(n * 5 + 3) % 8]]
  const basis = n % 3 === 0 ? 'cash' : 'accrual'
  return `${n},2025-${month}-10,${debit},${n}.25,${tags},${basis}\n${n},2025-${month}-10,${credit},-${n}.25,${tags},${basis}\n`
}
const FILES: Files = {
  'company.yaml': companyYaml(
    'classes: members.csv\ndepartments: members.csv\nledger: [{ files: ledger.csv }]\nbudgets: [{ id: plan, name: Plan, files: budget.csv }]',
  ),
  'chart.csv': CHART,
  'members.csv': 'id,name,parent\na,A,\na1,A one,a\nb,B,\nc,C,\n',
  'budget.csv': 'account,month,amount,class\nsales,2025-01,100,a\nrent,2025-02,50,b\n',
  'ledger.csv': `transaction_id,date,account,amount,class,department,basis\n${Array.from({ length: 400 }, (_, n) => line(n + 1)).join('')}`,
}

interface Outcome {
  readonly result: BuildResult
  readonly files: ReadonlyMap<string, string>
}

const builtOn = (count: number, files: Files = FILES): Promise<Outcome> =>
  inWorkspace(files, async (workspace) => {
    const result = await build(workspace, COMPANY, { publish: true, threads: count })
    if (result.snapshotId === null) return { result, files: new Map() }
    const folder = snapshotFolder(workspace.snapshots, COMPANY, result.snapshotId)
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith(MANIFEST))
      .map((entry) => join(entry.parentPath, entry.name))
    return {
      result,
      files: new Map(
        paths.map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')] as const).sort(),
      ),
    }
  })

const told = ({ result: { seconds: _, ...result } }: Outcome) => result

threads('give what one gives', async () => {
  const one = await builtOn(1)
  assert.is(one.result.outcome, 'published', JSON.stringify(one.result.findings))
  assert.ok(one.files.size > 100)
  for (const count of [2, 3]) {
    const several = await builtOn(count)
    assert.equal([...several.files.keys()], [...one.files.keys()])
    for (const [path, text] of one.files) assert.is(several.files.get(path), text, path)
    assert.equal(told(several), told(one))
  }
})

threads('find what one finds', async () => {
  const vast =
    'vast,2025-03-10,bank,9000000000000.00,a,b,accrual\nvast,2025-03-10,sales,-9000000000000.00,a,b,accrual\n'
  const files = {
    ...FILES,
    'ledger.csv': `${FILES['ledger.csv']}${vast}${vast.replaceAll('vast', 'vaster')}`,
  }
  const one = await builtOn(1, files)
  assert.is(one.result.outcome, 'refused')
  assert.ok(one.result.findings.some(({ code }) => code === 'figure-too-large'))
  assert.equal(told(await builtOn(2, files)), told(one))
})

threads.run()
