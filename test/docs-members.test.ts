/** docs/format.md gives the members of manifest and restatement.json, their order and their layout: held against a restated snapshot. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../builder/build/build.ts'
import { MANIFEST, RESTATEMENT, snapshotFolder } from '../builder/snapshot/files/layout.ts'
import { repository } from './cli/command.ts'
import { suite } from './suite.ts'
import {
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  findingsText,
  inWorkspace,
  ledgerCsv,
  writeFiles,
} from './support/workspace.ts'

const test = suite('members in docs/format.md')

const page = readFileSync(join(repository, 'docs/format.md'), 'utf8')
/** The text below a heading, up to the next one of any level. */
const section = (heading: string): string => {
  const [, found] = page.split(`\n${heading}\n`)
  assert.ok(found, heading)
  return found.split('\n##')[0]!
}
const named = (text: string): string[] => [...text.matchAll(/`(\w+)`/g)].map((match) => match[1]!)
/** Members in the order of the table of a section, each with what its row says. */
const membersOf = (heading: string): (readonly [name: string, says: string])[] =>
  section(heading)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, names, ...says] = line.split('|')
      return named(names!).map((name) => [name, says.join('|')] as const)
    })

/** Each member that is there stands where the page has it, and the page has each. */
function assertOrder(value: object, order: readonly string[], where: string): void {
  const keys = Object.keys(value)
  const expected = [...new Set(order)].filter((name) => keys.includes(name))
  assert.equal(keys, expected, where)
}

const files = (sale: string, day: string, name: string): Files => ({
  'company.yaml': companyYaml(`classes: classes.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: ${name}, unit: people, aggregation: last }]
lockDate: 2025-01-31
`),
  'chart.csv': CHART,
  'classes.csv': 'id,name\neast,East\n',
  'plan.csv': 'account,2025-01 ($000),2025-02 ($000)\nrent,44.00,45.00\n',
  'metrics.csv': `metric,2025-01,2025-02\nheads,${sale.length},6.125\n`,
  'ledger.csv': ledgerCsv(`1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
    2 2025-01-10 bank ${sale}; 2 2025-01-10 sales -${sale} east
    3 ${day} rent 40.00; 3 ${day} bank -40.00; 4 2025-02-10 rent 40.00; 4 2025-02-10 bank -40.00`),
})

interface Editions {
  /** Text of the manifests of a snapshot, and of the one that restates its January in figures, days and names. */
  readonly manifests: readonly [string, string]
  readonly restatement: string
}

const restated = (look: (editions: Editions) => void): Promise<void> =>
  inWorkspace(files('240.00', '2025-01-12', 'Heads'), async (workspace) => {
    const publish = async (options: { restate?: string }) => {
      const { outcome, snapshotId, findings } = await build(workspace, COMPANY, { publish: true, ...options })
      assert.is(outcome, 'published', findingsText(findings))
      const folder = snapshotFolder(workspace.snapshots, COMPANY, snapshotId!)
      return (path: string) => readFileSync(join(folder, path), 'utf8')
    }
    const first = (await publish({}))(MANIFEST)
    writeFiles(join(workspace.datasets, COMPANY), files('1250.00', '2025-01-13', 'People'))
    const second = await publish({ restate: 'a late bill' })
    look({ manifests: [first, second(MANIFEST)], restatement: second(RESTATEMENT) })
  })

const list = (items: readonly unknown[]): string =>
  items.length === 0 ? '[]' : `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`

test('the manifest: members, and members of members, stand in the order of the tables', () =>
  restated(({ manifests }) => {
    const rows = membersOf('## The manifest')
    const order = rows.map(([name]) => name)
    const facts = ['Reason', ...membersOf('## Restated months').map(([name]) => name), 'First']
    for (const text of manifests) {
      const manifest = JSON.parse(text) as Record<string, unknown>
      assertOrder(manifest, order, 'manifest')
      assert.is(Object.keys(manifest).length, new Set(order).size, 'nothing but these')
      let objects = 0
      for (const [name, says] of rows)
        for (const part of [manifest[name]]
          .flat()
          .filter((each) => typeof each === 'object' && each !== null)) {
          const own = name === 'Inputs' ? membersOf('### Inputs').map(([member]) => member) : named(says)
          assertOrder(part as object, name === 'Restatement' ? facts : own, name)
          objects++
        }
      assert.ok(objects > 50, `${objects} parts`)
    }
    const [first, second] = manifests.map((text) => JSON.parse(text)) as Record<string, object[]>[]
    assert.is(first!.Restatement, null)
    assert.ok(second!.Restatement)
    assert.ok(second!.Warnings!.length > 0)
    for (const name of ['Inputs', 'TieOuts', 'Warnings', 'Files'])
      assert.ok(manifests[1].includes(`\n${JSON.stringify(name)}:${list(second![name]!)}`), `${name}: lines`)
  }))

test('restatement.json: members, order and layout', () =>
  restated(({ manifests, restatement }) => {
    const found = JSON.parse(restatement) as Record<string, unknown> & {
      DocumentList: { Path: string; Figures: number }[]
      Rows: { Figures: [string, string, string | null][] }[]
      DayList: object[]
      Labels: object[]
    }
    const { DocumentList, Rows, DayList, ...facts } = found
    assertOrder(
      found,
      membersOf('## Restated months').map(([name]) => name),
      'restatement.json',
    )
    const [layout] = section('## Restated months').split('```').slice(1)
    for (const [name, items] of Object.entries({ DocumentList, Rows, DayList })) {
      const line = layout!.split('\n').find((each) => each.startsWith(`"${name}":`))!
      const members = [...line.matchAll(/"(\w+)":/g)].slice(1).map((match) => match[1]!)
      assert.ok(items.length > 0, name)
      for (const item of items) assert.equal(Object.keys(item), members, name)
    }
    assert.is(
      restatement,
      `{${JSON.stringify(facts).slice(1, -1)},\n"DocumentList":${list(DocumentList)},\n"Rows":${list(Rows)},\n"DayList":${list(DayList)}}\n`,
    )
    assert.equal(found.Labels, [
      { Kind: 'Metric', Id: 'heads', Old: 'Heads (people)', New: 'People (people)' },
    ])
    const sum = (items: readonly { readonly Figures: unknown }[], of: (figures: never) => number) =>
      items.reduce((total, { Figures }) => total + of(Figures as never), 0)
    assert.is(
      found.Figures,
      sum(DocumentList, (figures) => figures),
    )
    assert.is(
      found.Figures,
      sum(Rows, ({ length }: []) => length),
    )
    assert.equal([found.Documents, found.Days], [DocumentList.length, DayList.length])
    assert.is(found.Since, (JSON.parse(manifests[0]) as { SnapshotId: string }).SnapshotId)
    const paths = DocumentList.map(({ Path }) => Path)
    const isWhole = (path: string) => path.endsWith('/all/all.json')
    assert.equal(paths, [...paths.filter(isWhole).sort(), ...paths.filter((path) => !isWhole(path)).sort()])
    assert.ok(paths.some((path) => !isWhole(path)))
  }))
