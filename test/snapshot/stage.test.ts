/** Publication: all or nothing, immutable, linked where unchanged, one builder at a time. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { listCompanyIds, listSnapshots, openSnapshot } from '../../builder/snapshot/files/open.ts'
import { beginStage } from '../../builder/snapshot/files/stage.ts'
import { disk, type Effects } from '../../builder/system/effects.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { ACME, current, damage, publish, rejects } from '../support/snapshots.ts'

const test = suite<{ root: string }>('publication')
test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), 'tieout-stage-'))
})

test('what was written is what is read, and the pointer names it', async ({ root }) => {
  const result = await publish(root, { 'info.json': '{"Id":"acme"}\n', 'statements/a/b.json': 'å\n' })
  assert.is(result.outcome, 'published')
  assert.match(result.snapshotId, /^2026-10-r1-[0-9a-f]{6}$/)
  const snapshot = await current(root)
  assert.is((await snapshot.read('statements/a/b.json')).toString(), 'å\n')
  assert.equal(await listCompanyIds(root), ['acme'])
  assert.is(
    readdirSync(join(root, 'acme')).filter((name) => name.startsWith('.')).length,
    0,
    'no stage, no lock is left',
  )
})

for (const [umask, folder, growing] of [
  [0o022, '750', '640'],
  [0o007, '770', '660'],
] as const)
  test(`S8 what is published is for the owner and the group alone, umask ${umask.toString(8)}`, async ({
    root,
  }) => {
    const before = process.umask(umask)
    try {
      const { snapshotId } = await publish(root, { 'info.json': 'x', 'books/x.json': 'y' })
      const mode = (...path: string[]) => (statSync(join(root, 'acme', ...path)).mode & 0o777).toString(8)
      for (const path of [[], [snapshotId], [snapshotId, 'books']])
        assert.is(mode(...path), folder, path.join())
      for (const path of ['info.json', 'manifest.json', 'books/x.json'])
        assert.is(mode(snapshotId, path), '440', path)
      for (const path of ['current.json', 'log.jsonl']) assert.is(mode(path), growing, path)
    } finally {
      process.umask(before)
    }
  })

test('equal content is nothing to do; one changed file is a new revision that links the rest', async ({
  root,
}) => {
  const first = await publish(root, { 'a.json': 'a', 'b.json': 'b' })
  assert.is((await publish(root, { 'b.json': 'b', 'a.json': 'a' })).outcome, 'unchanged')
  const second = await publish(root, { 'a.json': 'a', 'b.json': 'B' })
  assert.is(second.outcome, 'published')
  assert.match(second.snapshotId, /^2026-10-r2-/)
  assert.is(second.linked, 1)
  const inode = (id: string, file: string) => statSync(join(root, 'acme', id, file)).ino
  assert.is(inode(first.snapshotId, 'a.json'), inode(second.snapshotId, 'a.json'))
  assert.is.not(inode(first.snapshotId, 'b.json'), inode(second.snapshotId, 'b.json'))
  const manifest = (await current(root)).manifest
  assert.equal(manifest.Previous, { SnapshotId: first.snapshotId, ManifestSha256: first.manifestHash })
  assert.equal(
    (await listSnapshots(root, 'acme')).map(({ id, current }) => [id, current]),
    [
      [first.snapshotId, false],
      [second.snapshotId, true],
    ],
  )
})

test('books that differ behind equal figures are a new revision with the same hash', async ({ root }) => {
  const first = await publish(root, { 'a.json': 'a', 'books/x.json': 'one' })
  const second = await publish(root, { 'a.json': 'a', 'books/x.json': 'two' })
  assert.is(second.outcome, 'published')
  assert.is(second.snapshotId, first.snapshotId.replace('-r1-', '-r2-'))
  assert.is((await (await current(root)).read('books/x.json')).toString(), 'two')
})

test('a stage that is given up leaves nothing, and the current snapshot as it was', async ({ root }) => {
  const first = await publish(root, { 'a.json': 'a' })
  const stage = await beginStage(root, 'acme')
  stage.write('a.json', 'other')
  stage.discard()
  assert.equal(readdirSync(join(root, 'acme')).sort(), [first.snapshotId, 'current.json', 'log.jsonl'].sort())
})

test('only one builder at a time; the message says who', async ({ root }) => {
  const stage = await beginStage(root, 'acme')
  await rejects(beginStage(root, 'acme'), new RegExp(`process ${process.pid} on .* is building this company`))
  stage.discard()
  ;(await beginStage(root, 'acme')).discard()
})

test('the lock and the stage of a killed builder are taken over', async ({ root }) => {
  const gone = spawn(process.execPath, ['-e', ''])
  await once(gone, 'exit')
  mkdirSync(join(root, 'acme', '.stage-0123456789ab', 'statements'), { recursive: true })
  writeFileSync(join(root, 'acme', '.lock'), JSON.stringify({ pid: gone.pid, host: hostname() }))
  assert.is((await publish(root, { 'a.json': 'a' })).outcome, 'published')
  assert.not.ok(existsSync(join(root, 'acme', '.stage-0123456789ab')))
})

test('a torn lock file is no holder', async ({ root }) => {
  mkdirSync(join(root, 'acme'))
  writeFileSync(join(root, 'acme', '.lock'), '{"pi')
  assert.is((await publish(root, { 'a.json': 'a' })).outcome, 'published')
})

test('a lock from another machine counts as held', async ({ root }) => {
  mkdirSync(join(root, 'acme'))
  writeFileSync(join(root, 'acme', '.lock'), JSON.stringify({ pid: 1, host: 'elsewhere' }))
  await rejects(beginStage(root, 'acme'), /process 1 on elsewhere/)
})

test('a damaged file of the previous snapshot is written anew instead of linked', async ({ root }) => {
  const { snapshotId } = await publish(root, { 'a.json': 'aaaa', 'b.json': 'bbbb', 'c.json': 'c' })
  damage(join(root, 'acme', snapshotId, 'a.json'), (path) => writeFileSync(path, 'aaab'))
  damage(join(root, 'acme', snapshotId, 'b.json'), (path) => truncateSync(path, 1))
  const second = await publish(root, { 'a.json': 'aaaa', 'b.json': 'bbbb', 'c.json': 'C' })
  assert.is(second.linked, 0)
  const snapshot = await current(root)
  assert.is((await snapshot.read('a.json')).toString(), 'aaaa')
  assert.is((await snapshot.read('b.json')).toString(), 'bbbb')
})

test('what is written in pieces is hashed, linked and read back as any other', async ({ root }) => {
  const pieces = (...texts: string[]) => ({ 'a.json': texts.map((text) => Buffer.from(text)), 'b.json': 'b' })
  const first = await publish(root, pieces('one ', 'two'))
  const text = async () => (await (await current(root)).read('a.json')).toString()
  assert.is(await text(), 'one two')
  assert.is((await publish(root, { 'a.json': 'one two', 'b.json': 'b' })).outcome, 'unchanged')

  const linked = await publish(root, { ...pieces('one', ' two'), 'c.json': 'c' })
  assert.is(linked.linked, 2)
  const [before, now] = [first, linked].map(({ snapshotId }) =>
    statSync(join(root, ACME, snapshotId, 'a.json')),
  )
  assert.is(now!.ino, before!.ino)
  assert.is(now!.mode & 0o222, 0)

  damage(join(root, ACME, linked.snapshotId, 'a.json'), (path) => writeFileSync(path, 'one TWO'))
  assert.is((await publish(root, { ...pieces('one two'), 'c.json': 'C' })).linked, 1)
  assert.is(await text(), 'one two')

  await publish(root, pieces('one ', 'two ', 'three'))
  assert.is(await text(), 'one two three')
  const losing: Effects = {
    ...disk,
    append: (path, bytes, mode) => disk.append(path, path.endsWith('a.json') ? '?' : bytes, mode),
  }
  await rejects(publish(root, pieces('four'), { effects: losing }), /a\.json reads back differently/)
})

test('the manifest lists any number of files in the order of their paths', async ({ root }) => {
  const files = Object.fromEntries(
    Array.from({ length: 2500 }, (_, i) => [`${(i * 7919) % 2500}.json`, `${i}`]),
  )
  await publish(root, files)
  const { manifest } = await current(root)
  assert.equal(
    manifest.Files,
    Object.keys(files)
      .sort()
      .map((Path) => ({ Path, Bytes: files[Path]!.length, Sha256: sha256(files[Path]!) })),
  )
})

test('a previous snapshot that is gone does not stop the next one, which still names it', async ({
  root,
}) => {
  const { snapshotId, manifestHash } = await publish(root, { 'a.json': 'a' })
  rmSync(join(root, 'acme', snapshotId), { recursive: true, force: true })
  const next = await publish(root, { 'a.json': 'a' })
  assert.is(next.outcome, 'published')
  assert.is(next.snapshotId, snapshotId.replace('-r1-', '-r2-'), 'an id is given once')
  assert.equal((await current(root)).manifest.Previous, {
    SnapshotId: snapshotId,
    ManifestSha256: manifestHash,
  })
})

test('folders that are no snapshot id are no snapshots', async ({ root }) => {
  await publish(root, { 'a.json': 'a' })
  mkdirSync(join(root, 'acme', 'notes'))
  mkdirSync(join(root, 'empty'))
  assert.is((await listSnapshots(root, 'acme')).length, 1)
  assert.equal(await listCompanyIds(root), ['acme'])
  assert.equal(await listSnapshots(root, 'nobody'), [])
  await rejects(openSnapshot(root, 'acme', '../acme'), /not a snapshot id/)
})
