/** Restoring: an archive comes back as the snapshot that it was, or not at all; and nothing that is here is touched. */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { archiveSnapshot } from '../../builder/evidence/archive/archive.ts'
import { type Restored, restoreArchive } from '../../builder/evidence/verify/restore.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { MANIFEST } from '../../builder/snapshot/files/layout.ts'
import { openCurrent, openSnapshot, readPointer, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { openSigner, publicKeys, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import { beginChange } from '../../builder/snapshot/log/change.ts'
import { closeMonth } from '../../builder/snapshot/log/close.ts'
import { LockedError } from '../../builder/snapshot/log/lock.ts'
import { removeSnapshots } from '../../builder/snapshot/log/remove.ts'
import { useSnapshot } from '../../builder/snapshot/log/use.ts'
import { ChangeRefusedError } from '../../builder/system/refusals.ts'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { damagesIn } from '../support/damages.ts'
import { craftedZip } from '../support/stored-zip.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv, writeFiles } from '../support/workspace.ts'

const LEDGER = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00`

interface Context {
  top: string
  /** Where three snapshots were published, and archived from. */
  publisher: Workspace
  keyFile: string
  ids: [string, string, string]
  /** Zips of the three, and the folder of a bag of the second. */
  zips: [string, string, string]
  bag: string
  /** An empty workspace. */
  workspace: Workspace
}
const test = suite<Context>('restore')

const newWorkspace = (folder: string, files: Readonly<Record<string, string>> = {}): Workspace => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n')
  writeFiles(join(folder, 'datasets', COMPANY), files)
  return openWorkspace(folder)
}
const filesOf = (amount: string) => ({
  'company.yaml': companyYaml(),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv(`${LEDGER}; 3 2025-03-05 rent ${amount}; 3 2025-03-05 bank -${amount}`),
})

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-restore-test-'))
  context.publisher = newWorkspace(join(context.top, 'publisher'), filesOf('5.00'))
  const { snapshots, datasets, state } = context.publisher
  const ids: string[] = []
  const zips: string[] = []
  for (const amount of ['5.00', '6.00', '7.00']) {
    writeFiles(join(datasets, COMPANY), filesOf(amount))
    const { snapshotId } = await build(context.publisher, COMPANY, { publish: true })
    ids.push(snapshotId!)
    const snapshot = await openSnapshot(snapshots, COMPANY, snapshotId!)
    const to = join(context.top, `${amount}.zip`)
    const request = { version: '1.0', software: 'test', baggedAt: new Date(0), known: null } as const
    await archiveSnapshot(snapshot, { to, ...request })
    if (amount === '6.00') {
      context.bag = join(context.top, 'bag')
      await archiveSnapshot(snapshot, { to: context.bag, ...request })
    }
    zips.push(to)
  }
  context.ids = ids as Context['ids']
  context.zips = zips as Context['zips']
  context.keyFile = join(context.top, 'keys.json')
  writeFileSync(context.keyFile, JSON.stringify({ keys: await publicKeys(signingKeyPath(state)) }))
})
test.before.each((context) => {
  context.workspace = newWorkspace(mkdtempSync(join(context.top, 'workspace-')))
})

const restore = (workspace: Workspace, archive: string, keyFile: string | null = null): Promise<Restored> =>
  restoreArchive(workspace, { archive, keyFile, figures: true })

/** Everything below a folder, with the bytes of files; hidden names too. */
const contentsOf = (folder: string): Map<string, string> =>
  new Map(
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
          const path = join(entry.parentPath, entry.name)
          return [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, 'base64') : 'folder']
        })
      : [],
  )
const current = async ({ snapshots }: Workspace) =>
  (await readPointer(snapshots, COMPANY))?.SnapshotId ?? null

async function sound({ snapshots }: Workspace, known: ReadonlySet<string> | null = null): Promise<void> {
  const { verified, companies } = await verifyCompanies(snapshots, [COMPANY], { figures: false, known })
  assert.ok(verified, JSON.stringify(companies))
}

test('a snapshot that is pruned while it is archived is said to be, and is no damage', async ({ top }) => {
  const folder = join(top, 'going')
  mkdirSync(folder)
  const snapshot = { id: '2025-01-r1-abcdef', company: COMPANY, folder } as Snapshot
  const request = { to: join(top, 'never.zip'), known: null, version: '1.0', program: '' } as never
  rmSync(folder, { recursive: true })
  const problem = await archiveSnapshot(snapshot, request).catch((found: Error) => found.message)
  assert.match(String(problem), /2025-01-r1-abcdef of \w+ was pruned meanwhile; nothing was archived/)
})

test('into an empty workspace: the very files, read-only; it is current, and is built upon', async (context) => {
  const { workspace, publisher, ids, zips, keyFile } = context
  const restored = await restore(workspace, zips[1], keyFile)
  assert.is(restored.outcome, 'restored')
  assert.equal([restored.company, restored.snapshotId, restored.current], [COMPANY, ids[1], true])
  assert.is(restored.verification!.companies[0]!.snapshots[0]!.recomputed!.comparisons > 0, true)
  const place = join(workspace.snapshots, COMPANY, ids[1])
  assert.equal(contentsOf(place), contentsOf(join(publisher.snapshots, COMPANY, ids[1])))
  assert.is(statSync(join(place, MANIFEST)).mode & 0o777, 0o440)
  const inputs = readdirSync(join(workspace.snapshots, COMPANY, 'inputs')).sort()
  const kept = (await openCurrent(workspace.snapshots, COMPANY))!.manifest.Inputs.map(({ Sha256 }) => Sha256)
  assert.equal(inputs, [...new Set(kept)].sort())
  assert.equal(readdirSync(join(workspace.snapshots, COMPANY)).sort(), [
    ids[1],
    'current.json',
    'inputs',
    'log.jsonl',
  ])
  assert.match(restored.notes.join('\n'), `${ids[0]}, which it follows, is not here`)
  await sound(workspace)

  writeFiles(join(workspace.datasets, COMPANY), filesOf('8.00'))
  const next = await build(workspace, COMPANY, { publish: true })
  assert.is(next.outcome, 'published', JSON.stringify(next.findings))
  const { manifest } = (await openCurrent(workspace.snapshots, COMPANY))!
  assert.is(manifest.Previous?.SnapshotId, ids[1])
  // By the keys that the workspace knows now: its own, and the one that was given.
  await sound(workspace, (await openSigner(workspace.state)).known)
})

test('the folder of a bag as well, and the bag stays as it is', async ({ workspace, bag, ids }) => {
  const before = contentsOf(bag)
  assert.is((await restore(workspace, bag)).outcome, 'restored')
  assert.is(await current(workspace), ids[1])
  assert.equal(contentsOf(bag), before)
  await sound(workspace)
})

test('in any order, the current one stays current, until somebody says otherwise', async (context) => {
  const { workspace, ids, zips, keyFile } = context
  await restore(workspace, zips[1], keyFile)
  const older = await restore(workspace, zips[0], keyFile)
  assert.is(older.current, false)
  assert.match(older.notes.join('\n'), `${ids[1]} stays current; "tieout use ${COMPANY} ${ids[0]}"`)
  await restore(workspace, zips[2], keyFile)
  assert.is(await current(workspace), ids[1])
  await sound(workspace)
  const signer = await openSigner(workspace.state)
  await useSnapshot(workspace.snapshots, COMPANY, ids[2], null, { signer })
  assert.is(await current(workspace), ids[2])
  await sound(workspace)
  const before = contentsOf(workspace.snapshots)
  const again = await restore(workspace, zips[0], keyFile)
  assert.is(again.outcome, 'present')
  assert.equal(contentsOf(workspace.snapshots), before)

  writeFiles(join(workspace.datasets, COMPANY), filesOf('8.00'))
  await build(workspace, COMPANY, { publish: true })
  assert.is((await openCurrent(workspace.snapshots, COMPANY))!.manifest.Previous?.SnapshotId, ids[2])
})

test('an older one that came back last is not what the next one follows', async ({
  workspace,
  ids,
  zips,
}) => {
  for (const zip of [zips[2], zips[0]]) await restore(workspace, zip)
  writeFiles(join(workspace.datasets, COMPANY), filesOf('8.00'))
  await build(workspace, COMPANY, { publish: true })
  assert.is((await openCurrent(workspace.snapshots, COMPANY))!.manifest.Previous?.SnapshotId, ids[2])
})

test('what was pruned comes back, as the one that it was', async ({ workspace, publisher, ids, zips }) => {
  cpSync(publisher.snapshots, workspace.snapshots, { recursive: true })
  cpSync(publisher.state, workspace.state, { recursive: true })
  const signer = await openSigner(workspace.state)
  const change = await beginChange(workspace.snapshots, COMPANY, { signer })
  const { manifestHash } = await openSnapshot(workspace.snapshots, COMPANY, ids[0])
  await removeSnapshots(change, [{ SnapshotId: ids[0]!, ManifestSha256: manifestHash }], 'old')
  change.release()
  await sound(workspace)
  const restored = await restore(workspace, zips[0])
  assert.is(restored.outcome, 'restored', JSON.stringify(restored))
  assert.is(await current(workspace), ids[2])
  const { companies, verified } = await verifyCompanies(workspace.snapshots, [COMPANY], {
    figures: false,
    known: null,
  })
  assert.ok(verified, JSON.stringify(companies))
  assert.not.match(companies[0]!.notes.join('\n'), /prun/)
})

/** A copy of the bag, to be damaged, with the checksums of what is changed in it. */
function forged({ top, bag }: Context, change: (data: string) => void): string {
  const copy = mkdtempSync(join(top, 'forged-'))
  cpSync(bag, copy, { recursive: true })
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644)
  change(join(copy, 'data'))
  return copy
}

test('a snapshot of the same id with other bytes is refused, whichever of them is the true one', async (context) => {
  const { workspace, ids, zips } = context
  await restore(workspace, zips[1])
  const before = contentsOf(workspace.snapshots)
  const other = forged(context, (data) => {
    const path = join(data, ids[1], MANIFEST)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"Node":"[^"]*"/, '"Node":"another"'))
  })
  await refuses(restore(workspace, other), /has another snapshot .* already/)
  assert.equal(contentsOf(workspace.snapshots), before)
  // The one that follows knows which one it was, also where the log is silent.
  const follower = newWorkspace(mkdtempSync(join(context.top, 'follower-')))
  await restore(follower, zips[2])
  await refuses(
    restore(follower, other),
    /this is not the .* that acme published: .* names another manifest\.json/,
  )

  const place = join(workspace.snapshots, COMPANY, ids[1], 'info.json')
  chmodSync(place, 0o644)
  appendFileSync(place, ' ')
  await refuses(
    restore(workspace, zips[1]),
    /not as it was published: info\.json .*; move .* away, then restore it again/,
  )
  rmSync(join(workspace.snapshots, COMPANY, ids[1]), { recursive: true, force: true })
  assert.is((await restore(workspace, zips[1])).outcome, 'restored', 'a damaged one is mended so')
  await sound(workspace)
})

async function refuses(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const problem = await promise.then(
    () => null,
    (caught: Error) => caught,
  )
  assert.instance(problem, ChangeRefusedError)
  assert.match(problem!.message, pattern)
}

test('whose signature it is counts where a key is given, and is told where none is', async (context) => {
  const { workspace, top, zips, keyFile, publisher } = context
  const strange = join(top, 'strange.json')
  await openSigner(join(top, 'stranger'))
  writeFileSync(strange, JSON.stringify({ keys: await publicKeys(signingKeyPath(join(top, 'stranger'))) }))
  const refused = await restore(workspace, zips[0], strange)
  assert.is(refused.outcome, 'refused')
  assert.is(refused.verification!.companies[0]!.snapshots[0]!.damages[0]!.kind, 'foreign-key')
  assert.equal([...contentsOf(workspace.snapshots)], [])

  const { keyId } = await openSigner(publisher.state)
  const told = await restore(workspace, zips[0])
  assert.is(told.outcome, 'restored')
  assert.match(told.notes.join('\n'), `signed with key ${keyId}, which this workspace does not know`)
  const { known } = await openSigner(workspace.state)
  assert.is(known.has(keyId), false)
  const present = await restore(workspace, zips[0], keyFile)
  assert.is(present.outcome, 'present')
  assert.ok(
    (await openSigner(workspace.state)).known.has(keyId),
    'the key that was given is known from then on',
  )
  assert.equal(present.notes, [])
})

const DAMAGED: readonly [name: string, damage: (data: string, id: string) => void, kind: RegExp][] = [
  ['a figure changed', (data, id) => appendFileSync(join(data, id, 'info.json'), ' '), /changed/],
  ['a file taken out', (data, id) => rmSync(join(data, id, 'tie-outs.json')), /missing/],
  ['the first page changed', (data) => appendFileSync(join(data, '../README.txt'), ' '), /bag-changed/],
  ['no manifest', (data, id) => rmSync(join(data, id, MANIFEST)), /bag-payload/],
  ['a manifest that is none', (data, id) => writeFileSync(join(data, id, MANIFEST), '[]'), /bag-payload/],
  [
    'a company that is a path',
    (data, id) => {
      const path = join(data, id, MANIFEST)
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace('"CompanyId":"acme"', '"CompanyId":"../../escaped"'),
      )
    },
    /bag-payload/,
  ],
  [
    'a snapshot under another id',
    (data, id) => {
      cpSync(join(data, id), join(data, '2025-03-r7-abcdef'), { recursive: true })
      rmSync(join(data, id), { recursive: true })
    },
    /bag-payload/,
  ],
  [
    'a link',
    (data, id) => {
      rmSync(join(data, id, 'info.json'))
      symlinkSync('/etc/hostname', join(data, id, 'info.json'))
    },
    /bag-path/,
  ],
]
for (const [name, damage, kind] of DAMAGED)
  test(`refused, with nothing left behind: ${name}`, async (context) => {
    const { workspace, top, ids } = context
    const restored = await restore(
      workspace,
      forged(context, (data) => damage(data, ids[1])),
    )
    assert.is(restored.outcome, 'refused')
    const all = damagesIn(restored.verification!)
    assert.ok(
      all.some((each) => kind.test(each.kind)),
      JSON.stringify(all),
    )
    assert.equal([...contentsOf(workspace.snapshots)], [])
    assert.ok(!existsSync(join(top, 'escaped')))
  })

test('a damaged archive of what is here already is told, and changes nothing', async (context) => {
  const { workspace, ids, zips, keyFile } = context
  await restore(workspace, zips[1], keyFile)
  const before = contentsOf(workspace.snapshots)
  const damaged = forged(context, (data) => appendFileSync(join(data, ids[1], 'info.json'), ' '))
  const restored = await restore(workspace, damaged, keyFile)
  assert.is(restored.outcome, 'refused')
  assert.ok(restored.verification!.companies[0]!.snapshots[0]!.damages.length > 0)
  assert.equal(contentsOf(workspace.snapshots), before)
  assert.is((await restore(workspace, zips[1], keyFile)).outcome, 'present')
})

test('zips that lead out of the workspace are refused by their names', async ({ workspace, top }) => {
  const path = join(top, 'escape.zip')
  writeFileSync(
    path,
    craftedZip([
      { name: 'bag/bagit.txt', data: '' },
      { name: 'bag/../../../escaped', data: 'x' },
    ]),
  )
  const restored = await restore(workspace, path)
  assert.is(restored.outcome, 'refused')
  assert.match(restored.verification!.archive!.damages[0]!.message, /leads out of the bag/)
  writeFileSync(path, readFileSync(path).subarray(0, 60))
  assert.is((await restore(workspace, path)).outcome, 'refused')
  assert.equal([...contentsOf(workspace.snapshots)], [])
})

test('of what is here already a damaged archive is told all the same', async (context) => {
  const { workspace, zips, ids } = context
  await restore(workspace, zips[1])
  const before = contentsOf(workspace.snapshots)
  const damaged = forged(context, (data) => {
    const path = join(data, ids[1], 'info.json')
    const text = readFileSync(path, 'utf8')
    rmSync(path)
    writeFileSync(path, `${text} `)
  })
  const again = await restore(workspace, damaged)
  assert.is(again.outcome, 'refused')
  const [company] = again.verification!.companies
  assert.match(JSON.stringify(company!.snapshots[0]!.damages), /info\.json was changed/)
  assert.equal(contentsOf(workspace.snapshots), before)
  assert.is((await restore(workspace, zips[1])).outcome, 'present')
})

test('what was not restored between two archives is told, and is no damage; what was here and is gone is', async ({
  workspace,
  ids,
  zips,
}) => {
  for (const zip of [zips[2], zips[0]]) await restore(workspace, zip)
  const verified = () =>
    verifyCompanies(workspace.snapshots, [COMPANY], { figures: false, known: null }).then(
      ({ companies }) => companies[0]!,
    )
  const { damages, notes } = await verified()
  assert.equal(damages, [])
  assert.match(
    notes.join('\n'),
    `${ids[1]}, which ${ids[2]} follows, is not here: log.jsonl says that ${ids[2]} was restored from an archive`,
  )
  assert.not.match(notes.join('\n'), 'nothing but its own manifest.json vouches')
  rmSync(join(workspace.snapshots, COMPANY, ids[0]), { recursive: true })
  assert.equal(
    (await verified()).damages.map(({ kind, path }) => `${kind} ${path}`),
    [`snapshot-missing ${ids[0]}`],
  )
})

test('where log and pointer were lost an archive begins no new log', async ({ workspace, zips }) => {
  for (const zip of zips.slice(0, 2)) await restore(workspace, zip)
  const folder = join(workspace.snapshots, COMPANY)
  for (const name of ['log.jsonl', 'current.json']) rmSync(join(folder, name))
  const before = contentsOf(folder)
  for (const zip of zips) {
    const problem = await restore(workspace, zip).catch((found: unknown) => found)
    assert.instance(problem, FindingsError)
    const [finding] = (problem as FindingsError).findings
    assert.match(finding!.message, /log\.jsonl is missing.*current\.json is missing too/)
    assert.equal(contentsOf(folder), before)
  }
})

test('months that a person closed stay closed where they are restored, and no setting need say so', async ({
  top,
  workspace,
}) => {
  const publisher = newWorkspace(mkdtempSync(join(top, 'closed-')), filesOf('5.00'))
  await build(publisher, COMPANY, { publish: true })
  const signer = await openSigner(publisher.state)
  await closeMonth(publisher.snapshots, COMPANY, '2025-02', { today: '2026-01-01', signer })
  writeFiles(join(publisher.datasets, COMPANY), filesOf('6.00'))
  const { snapshotId } = await build(publisher, COMPANY, { publish: true })
  const to = join(publisher.root, 'archive.zip')
  const snapshot = await openSnapshot(publisher.snapshots, COMPANY, snapshotId!)
  await archiveSnapshot(snapshot, {
    to,
    version: '1.0',
    software: 'test',
    baggedAt: new Date(0),
    known: null,
  })
  await restore(workspace, to)
  writeFiles(join(workspace.datasets, COMPANY), filesOf('6.00'))
  const { outcome, findings } = await build(workspace, COMPANY, { publish: true })
  assert.equal([outcome, ...findings.map(({ code }) => code)], ['unchanged'])
  writeFiles(join(workspace.datasets, COMPANY), {
    ...filesOf('6.00'),
    'ledger.csv': ledgerCsv(LEDGER.replaceAll('250', '260')),
  })
  assert.is((await build(workspace, COMPANY, { publish: true })).outcome, 'refused')
})

test('waits for nobody: while a build runs it says so', async ({ workspace, zips }) => {
  const change = await beginChange(workspace.snapshots, COMPANY)
  const problem = await restore(workspace, zips[0]).then(
    () => null,
    (caught: Error) => caught,
  )
  change.release()
  assert.instance(problem, LockedError)
})
