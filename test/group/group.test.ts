/** Groups of companies: damaged members, and what a manifest says of members; what is added up stands in `cases/`. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { explain } from '../../builder/inspect/explain.ts'
import { snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { suite } from '../suite.ts'
import { toExplain } from '../support/asked.ts'
import { GROUP, groupYaml, inGroup, memberYaml } from '../support/group.ts'
import { buildIn, codes, type Files, ledgerCsv, writeFiles } from '../support/workspace.ts'

const test = suite('group')

const ALPHA: Files = {
  'company.yaml': memberYaml('alpha'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-10 bank 1000.00; 1 2025-01-10 capital -1000.00
    2 2025-01-20 debtors 300.00; 2 2025-01-20 sales -300.00
    3 2025-02-10 rent 50.00; 3 2025-02-10 bank -50.00`),
}
const BETA: Files = {
  'company.yaml': memberYaml('beta'),
  'ledger.csv': ledgerCsv(`
    1 2025-01-11 bank 500.00; 1 2025-01-11 capital -500.00
    2 2025-01-21 cogs 280.00; 2 2025-01-21 creditors -280.00
    3 2025-02-15 bank 900.00; 3 2025-02-15 sales -900.00`),
}
const MEMBERS = 'members: [{ company: alpha }, { company: beta }]'

test('a member that has published nothing, or whose snapshot is damaged, refuses the build of the group', () =>
  inGroup(
    { alpha: ALPHA, beta: BETA, [GROUP]: { 'company.yaml': groupYaml(MEMBERS) } },
    async (workspace) => {
      const { snapshotId } = (await buildIn(workspace, 'alpha')).result
      const refused = () => build(workspace, GROUP, { publish: true })
      assert.equal(codes((await refused()).findings), ['group-member-unpublished'])
      await buildIn(workspace, 'beta')
      assert.is((await refused()).outcome, 'published')
      const postings = join(
        snapshotFolder(workspace.snapshots, 'alpha', snapshotId!),
        'books/postings.parquet',
      )
      chmodSync(postings, 0o644)
      writeFileSync(postings, readFileSync(postings).fill(0, 100, 108))
      // That nothing was published since says nothing of its bytes, which only a build reads.
      writeFiles(join(workspace.datasets, GROUP), {
        'company.yaml': groupYaml(MEMBERS, 'words: { class: Company }\n'),
      })
      assert.equal(codes((await refused()).findings), ['group-member-damaged'])
      rmSync(snapshotFolder(workspace.snapshots, 'alpha', snapshotId!), { recursive: true })
      assert.equal(codes((await refused()).findings), ['group-member-damaged'])
    },
  ))

test('the manifest names each member by its snapshot and the hash of its manifest; lines keep no texts of members', () =>
  inGroup(
    {
      alpha: {
        ...ALPHA,
        'ledger.csv': `${ALPHA['ledger.csv']}`
          .replace(/^(.*class,department)$/m, '$1,memo')
          .replace(/^(\d.*)$/gm, '$1,secret'),
      },
      beta: BETA,
      [GROUP]: { 'company.yaml': groupYaml(MEMBERS) },
    },
    async (workspace) => {
      for (const id of ['alpha', 'beta']) await buildIn(workspace, id)
      const built = await buildIn(workspace, GROUP)
      const { Inputs } = JSON.parse(built.read('manifest.json')) as Pick<Manifest, 'Inputs'>
      const alpha = await openCurrent(workspace.snapshots, 'alpha')
      const named = Inputs.find(({ File }) => File === `alpha/${alpha?.id}`)
      assert.equal([named?.Format, named?.ETag, named?.Postings], ['snapshot', alpha?.manifestHash, 6])
      assert.not.ok(built.read('books/postings.parquet').includes('secret'))
      const asked = { company: GROUP, account: 'sales', month: '2025-01', classId: 'alpha' }
      const explained = await explain(workspace.snapshots, toExplain({ ...asked, all: true, sources: true }))
      const [source] = explained.value?.sources ?? []
      const posting = JSON.parse(source?.text ?? '{}') as Record<string, unknown>
      assert.equal([posting.file, posting.row, posting.memo], ['ledger.csv', 5, 'secret'])
      assert.equal(
        explained.value?.lines.map(({ transactionId, file, row }) => [transactionId, file, row]),
        [['alpha 2', `alpha/${alpha?.id}`, 4]],
      )
    },
  ))
