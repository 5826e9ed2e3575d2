/** Verification of what snapshots say of closed months: computed again from both, and held against each word. */
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { MANIFEST, POINTER, RESTATEMENT, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import { encodeManifest, type Manifest, type Restatement } from '../../builder/snapshot/files/manifest.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const LEDGER = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-01-10 bank 250.00; 2 2025-01-10 sales -250.00`

interface Copy {
  folder: string
  ids: [first: string, restated: string]
}
const test = suite<Copy & { top: string }>('restatement verified')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-restated-'))
  const files = {
    'company.yaml': companyYaml('lockDate: 2025-01-31'),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv(LEDGER),
  }
  await inWorkspace(files, async (workspace) => {
    const first = await build(workspace, COMPANY, { publish: true })
    writeFileSync(
      join(workspace.datasets, COMPANY, 'ledger.csv'),
      ledgerCsv(LEDGER.replaceAll('250.00', '260.00')),
    )
    const second = await build(workspace, COMPANY, { publish: true, restate: 'typed wrongly' })
    context.ids = [first.snapshotId!, second.snapshotId!]
    cpSync(join(workspace.snapshots, COMPANY), join(context.top, 'origin'), { recursive: true })
  })
})
test.before.each((context) => {
  context.folder = join(context.top, 'copy')
  cpSync(join(context.top, 'origin'), context.folder, { recursive: true })
  for (const entry of readdirSync(context.folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
})
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }))

/** As somebody would who can rewrite all that vouches for it but the signature. */
function forge({ folder, ids: [, id] }: Copy, change: (manifest: Manifest) => Manifest): void {
  const path = join(folder, id, MANIFEST)
  const { Build, ...manifest } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  const { KeyId: _, ...rest } = Build
  const text = encodeManifest(change({ ...manifest, Build: rest }))
  writeFileSync(path, text)
  rmSync(join(folder, id, SIGNATURE), { force: true })
  writeFileSync(join(folder, POINTER), JSON.stringify({ SnapshotId: id, ManifestSha256: sha256(text) }))
}

const withoutFile = (manifest: Manifest): Manifest => ({
  ...manifest,
  Files: manifest.Files.filter(({ Path }) => Path !== RESTATEMENT),
})

const verify = async ({ folder }: Copy) => {
  const { companies, verified } = await verifyFolder(folder, 'company', { figures: true, known: null })
  const [company] = companies
  return {
    verified,
    ofCompany: company!.damages
      .filter(({ kind }) => kind === 'format')
      .map(({ kind, path }) => `${kind} ${path}`),
    damages: company!.snapshots.flatMap(({ damages }) => damages).map(({ kind, path }) => `${kind} ${path}`),
    notes: company!.snapshots.flatMap(({ notes }) => notes),
  }
}

test('as published it holds', async (copy) => {
  assert.equal(await verify(copy), { verified: true, ofCompany: [], damages: [], notes: [] })
})

test('a restatement that is kept quiet, or told without its reason, or made up', async (copy) => {
  const quiet = join(copy.folder, copy.ids[1], RESTATEMENT)
  const kept = readFileSync(quiet)
  forge(copy, (manifest) => ({ ...manifest, Restatement: { ...manifest.Restatement!, Reason: '' } }))
  assert.equal((await verify(copy)).damages, [`restatement ${MANIFEST}`])
  forge(copy, (manifest) => ({
    ...manifest,
    Restatement: { ...manifest.Restatement!, Reason: 'no', First: manifest.Restatement!.First.slice(1) },
  }))
  assert.equal((await verify(copy)).damages, [`restatement ${MANIFEST}`])
  rmSync(quiet)
  forge(copy, (manifest) => withoutFile({ ...manifest, Restatement: null }))
  assert.equal((await verify(copy)).damages, [`restatement ${MANIFEST}`])
  // Before there was a guard nothing was said of it: that is told, and no damage.
  forge(copy, ({ Restatement: _, ...manifest }) => manifest)
  assert.equal((await verify(copy)).damages, [`restatement ${MANIFEST}`], 'format 2 always says')
  // As a format 1 that no program wrote, and as one behind a snapshot and a line of format 2.
  forge(copy, ({ Restatement: _, ...manifest }) => ({ ...manifest, Format: 1 }))
  assert.ok((await verify(copy)).damages.includes(`format ${MANIFEST}`))
  forge(copy, ({ Restatement: _, ComparedWith: __, LockedThrough: ___, ...manifest }) => ({
    ...manifest,
    Format: 1,
    Build: { ...manifest.Build, Host: 'vm' },
  }))
  assert.equal((await verify(copy)).ofCompany, [`format ${MANIFEST}`])
  writeFileSync(quiet, kept)
})

test('another list of figures than those that differ', async (copy) => {
  const path = join(copy.folder, copy.ids[1], RESTATEMENT)
  const text = readFileSync(path, 'utf8').replace('"250.00"', '"249.00"')
  assert.is.not(text, readFileSync(path, 'utf8'))
  writeFileSync(path, text)
  forge(copy, (manifest) => ({
    ...manifest,
    Files: manifest.Files.map((file) =>
      file.Path === RESTATEMENT
        ? { Path: RESTATEMENT, Bytes: statSync(path).size, Sha256: sha256(text) }
        : file,
    ),
  }))
  assert.equal((await verify(copy)).damages, [`restatement ${RESTATEMENT}`])
})

test('a claim that nothing could be compared, where it can be, is compared and told; without a reason it is damage', async (copy) => {
  rmSync(join(copy.folder, copy.ids[1], RESTATEMENT))
  const claim = (more: Partial<Restatement>) => (manifest: Manifest) =>
    withoutFile({
      ...manifest,
      Restatement: {
        Since: copy.ids[0],
        LockDate: '2025-01-31',
        Uncompared: 'it was damaged',
        Figures: 0,
        Documents: 0,
        Days: 0,
        Months: [],
        GoneMonths: [],
        First: [],
        Reason: 'typed wrongly',
        ...more,
      },
    })
  forge(copy, claim({}))
  const told = await verify(copy)
  assert.equal(told.damages, [])
  assert.match(told.notes.join(), new RegExp(`${copy.ids[0]} is sound here, and compared now \\d+ figures`))
  for (const more of [
    { Reason: ' ' },
    { Reason: null },
    { Since: copy.ids[1] },
    { LockDate: '2025-02-28' },
    { Figures: 3 },
  ]) {
    forge(copy, claim(more))
    assert.equal((await verify(copy)).damages, [`restatement ${MANIFEST}`], JSON.stringify(more))
  }
})

test('without the snapshot before nothing can be said, and is not', async (copy) => {
  rmSync(join(copy.folder, copy.ids[0]), { recursive: true })
  assert.equal((await verify(copy)).damages, [])
})
