/** The pages that a snapshot keeps: listed in its manifest, verified, and linked; they make no snapshot, and tell of none. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { contentHashOf } from '../../builder/snapshot/files/files.ts'
import { isReport, reportPath, snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import { openSnapshot, readPointer, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { datasetFolder, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { inPublished } from '../support/published.ts'
import { damage, makeRoot, publish, verified } from '../support/snapshots.ts'
import { buildIn, CHART, COMPANY, companyYaml, ledgerCsv, writeFiles } from '../support/workspace.ts'

const kept = suite('pages that a snapshot keeps')

const FILES = {
  'company.yaml': companyYaml(`classes: classes.csv
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
`),
  'metrics.csv': 'metric,date,value\nheads,2025-01-15,5\nheads,2025-02-28,6.5\n',
  'classes.csv': 'id,name\nshop,Shop\nweb,Web\n',
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv(
    '1 2025-01-02 bank 10.00 shop; 1 2025-01-02 sales -10.00 shop; 2 2025-02-02 bank 5.00 web; 2 2025-02-02 sales -5.00 web',
  ),
}

const CORRECTED = FILES['ledger.csv'].replaceAll('5.00', '6.00')

async function current({ snapshots }: Workspace): Promise<Snapshot> {
  const pointer = await readPointer(snapshots, COMPANY)
  return openSnapshot(snapshots, COMPANY, pointer!.SnapshotId, pointer!.ManifestSha256)
}

kept('a manifest lists them beside the documents, and its content hash is not over them', () =>
  inPublished(FILES, async (workspace) => {
    const { manifest } = await current(workspace)
    const pages = manifest.Files.filter(({ Path }) => isReport(Path))
    assert.ok(pages.length > 7, `${pages.length} pages`)
    for (const { Path } of pages)
      assert.not(Path.includes('class-'), 'pages of classes are made when they are opened')
    const others = manifest.Files.filter(({ Path }) => !isReport(Path))
    assert.is(contentHashOf(others), manifest.ContentHash)
    assert.is(contentHashOf(manifest.Files), manifest.ContentHash)
  }),
)

kept('no page says which snapshot keeps it, when it was made, or what was published before', () =>
  inPublished(FILES, async (workspace) => {
    const first = await current(workspace)
    writeFiles(datasetFolder(workspace, COMPANY), { 'ledger.csv': CORRECTED })
    await buildIn(workspace, COMPANY)
    const now = await current(workspace)
    assert.is.not(now.id, first.id)
    const { Build, ContentHash } = now.manifest
    for (const path of [...now.files.keys()].filter(isReport)) {
      const text = readFileSync(join(now.folder, path), 'utf8')
      for (const told of [
        now.id,
        first.id,
        now.manifestHash,
        first.manifestHash,
        ContentHash,
        Build.At,
        Build.KeyId,
      ])
        assert.not(told !== undefined && text.includes(told), `${path} tells ${told}`)
    }
  }),
)

kept('a build after one correction links every page that did not change', () =>
  inPublished(FILES, async (workspace) => {
    const first = await current(workspace)
    writeFiles(datasetFolder(workspace, COMPANY), { 'ledger.csv': CORRECTED })
    await buildIn(workspace, COMPANY)
    const now = await current(workspace)
    const pages = [...now.files.values()].filter(({ Path }) => isReport(Path))
    const same = pages.filter(({ Path, Sha256 }) => first.files.get(Path)?.Sha256 === Sha256)
    assert.ok(
      same.some(({ Path }) => Path.endsWith('metrics.html')),
      'the page of metrics stays as it is',
    )
    assert.ok(same.length < pages.length, 'and those of the whole company change')
    for (const { Path } of same)
      assert.is(statSync(join(now.folder, Path)).ino, statSync(join(first.folder, Path)).ino, Path)
  }),
)

kept('another layout alone publishes nothing; with other figures it is published', async () => {
  const { root } = makeRoot()
  const files = (figures: string, page: string) => ({
    'info.json': figures,
    [reportPath('index.html')]: page,
  })
  assert.is((await publish(root, files('1', 'old layout'))).outcome, 'published')
  assert.is((await publish(root, files('1', 'new layout'))).outcome, 'unchanged')
  const next = await publish(root, files('2', 'new layout'))
  assert.is(next.outcome, 'published')
  const page = join(snapshotFolder(root, COMPANY, next.snapshotId), reportPath('index.html'))
  assert.is(readFileSync(page, 'utf8'), 'new layout')
})

const CHANGES = {
  'was changed': (page: string) => damage(page, (path) => writeFileSync(path, 'pagE')),
  'is gone': (page: string) => rmSync(page),
}
for (const [what, change] of Object.entries(CHANGES))
  kept(`verification finds a page that ${what}`, async () => {
    const { root } = makeRoot()
    const { snapshotId } = await publish(root, { 'info.json': '1', [reportPath('index.html')]: 'page' })
    assert.equal((await verified(root)).all, [])
    change(join(snapshotFolder(root, COMPANY, snapshotId), reportPath('index.html')))
    const { all } = await verified(root)
    assert.is(all.length, 1, all.join())
    assert.ok(all[0]!.includes(reportPath('index.html')), all[0])
  })
