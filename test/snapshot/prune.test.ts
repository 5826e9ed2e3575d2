/** Retention: what a policy keeps and why, what is never removed, and what stays of what was. */
import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LOG, POINTER } from '../../builder/snapshot/files/layout.ts'
import { beginStage } from '../../builder/snapshot/files/stage.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { adoptHistory } from '../../builder/snapshot/log/adopt.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { readLog } from '../../builder/snapshot/log/log.ts'
import {
  type PruneRequest,
  planPruning,
  policyText,
  prune,
  reasonsToKeep,
} from '../../builder/snapshot/log/prune.ts'
import { freedBytes, pruningOf } from '../../builder/snapshot/log/remove.ts'
import { holdSnapshots, releaseSnapshots, useSnapshot } from '../../builder/snapshot/log/use.ts'
import { openPins, PINS, pinnedSnapshots } from '../../serve/companies/pin.ts'
import { openStore } from '../../serve/store/lmdb-store.ts'
import { suite } from '../suite.ts'
import { ACME, current, damage, makeRoot, publish, rejects, through, verified } from '../support/snapshots.ts'

const rules = suite('retention')

const at = (snapshotId: string, publishedAt: string) => ({
  snapshotId,
  month: snapshotId.slice(0, 7),
  publishedAt: `${publishedAt}T00:00:00.000Z`,
  order: 0,
})
const SNAPSHOTS = [
  at('2023-12-r1', '2024-01-10'),
  at('2024-01-r1', '2024-02-10'),
  at('2024-01-r2', '2024-02-12'),
  at('2026-09-r1', '2026-10-08'),
  at('2026-10-r1', '2026-11-08'),
  // A correction of an earlier month, later than the others.
  at('2024-01-r3', '2026-11-10'),
]
const NOW = new Date('2026-11-12T12:00:00Z')
const kept = (policy: Parameters<typeof reasonsToKeep>[1]): Record<string, string[]> =>
  Object.fromEntries([...reasonsToKeep(SNAPSHOTS, policy, NOW)].filter(([, why]) => why.length > 0))

rules('keepLast counts publications, not months', () => {
  assert.equal(kept({ keepLast: 2 }), {
    '2024-01-r3': ['of the last 2'],
    '2026-10-r1': ['of the last 2'],
  })
})

rules('keepDays counts from the publication', () => {
  assert.equal(Object.keys(kept({ keepDays: 36 })), ['2024-01-r3', '2026-10-r1', '2026-09-r1'])
  assert.equal(Object.keys(kept({ keepDays: 1 })), [])
})

rules('the end of a month is the last snapshot of that month, for so many years', () => {
  assert.equal(kept({ keepMonthEnds: { years: 2 } }), {
    '2026-10-r1': ['end of 2026-10'],
    '2026-09-r1': ['end of 2026-09'],
  })
  assert.equal(Object.keys(kept({ keepMonthEnds: { years: 3 } })).sort(), [
    '2023-12-r1',
    '2024-01-r3',
    '2026-09-r1',
    '2026-10-r1',
  ])
})

rules('one rule is enough; each that keeps is named', () => {
  assert.equal(kept({ keepLast: 1, keepMonthEnds: { years: 3 } })['2024-01-r3'], [
    'of the last 1',
    'end of 2024-01',
  ])
  assert.is(
    policyText({ keepLast: 1, keepDays: 5, keepMonthEnds: { years: 3 } }),
    'keepLast 1, keepDays 5, keepMonthEnds 3 years',
  )
})

interface Context {
  scratch: string
  root: string
  state: string
  signer: Signer
  /** Two of 2026-08, two of 2026-09, one of 2026-10, which is current. */
  ids: readonly [string, string, string, string, string]
}

const test = suite<Context>('pruning')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
  const ids: string[] = []
  for (const [i, month] of ['2026-08', '2026-08', '2026-09', '2026-09', '2026-10'].entries()) {
    const files = { 'a.json': `text ${i}`, 'same.json': 'the same in all of them' }
    ids.push((await publish(context.root, files, { ...context, body: through(month) })).snapshotId)
  }
  context.ids = ids as unknown as Context['ids']
})

const request = (more: Partial<PruneRequest> = {}): PruneRequest => ({
  company: ACME,
  policy: { keepLast: 1 },
  inUse: async () => new Set(),
  ...more,
})
const idsIn = (root: string): string[] =>
  readdirSync(join(root, ACME))
    .filter((name) => /^\d/.test(name))
    .sort()
const keptOf = ({ snapshots }: Awaited<ReturnType<typeof planPruning>>): [string, string][] =>
  snapshots.flatMap(({ snapshotId, keep }) => (keep.length > 0 ? [[snapshotId, keep.join('; ')]] : []))

/** Every name below a folder with its size and time. */
const picture = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`)

test('a plan changes nothing', async ({ root, ids }) => {
  const before = picture(root)
  const plan = await planPruning(root, request())
  assert.equal(
    plan.snapshots.map(({ snapshotId }) => snapshotId),
    [...ids],
  )
  assert.equal(keptOf(plan), [[ids[4], 'current; of the last 1']])
  assert.equal(picture(root), before)
})

test('what goes is removed whole, logged before, and verified after', async ({ root, ids, signer }) => {
  const policy = { keepLast: 1, keepMonthEnds: { years: 1 } }
  const now = new Date('2026-11-01')
  await prune(root, request({ policy, now }), 'out of retention', { signer })
  assert.equal(idsIn(root), [ids[1], ids[3], ids[4]])
  const { all, notes, snapshots } = await verified(root, signer)
  assert.equal(all, [])
  assert.is(snapshots.length, 3)
  assert.is(notes.length, 1)
  assert.match(
    notes[0]!,
    /^2 snapshots were pruned, the last on .* by .*: out of retention \(keepLast 1, keepMonthEnds 1 years\); their manifests are kept \(2026-08-r1-\w+, 2026-09-r1-\w+\)$/,
  )
  const { records } = await readLog(join(root, ACME), signer.known)
  assert.equal(
    records.slice(5).map(({ Event, SnapshotId }) => `${Event} ${SnapshotId}`),
    [`prune ${ids[0]}`, `prune ${ids[2]}`],
  )
  assert.equal(
    readdirSync(join(root, ACME)).filter((name) => name.startsWith('.')),
    [],
  )
})

test('a line that removes several snapshots names each of them', ({ ids: [first, second] }) => {
  const pointers = [first, second].map((SnapshotId) => ({ SnapshotId, ManifestSha256: 'a'.repeat(64) }))
  assert.equal(pruningOf([]), {})
  assert.equal(pruningOf(pointers.slice(1)), { Also: pointers.slice(1) })
  assert.equal(pruningOf(pointers), { Also: pointers })
})

test('of a removed snapshot the signed manifest stays; without it, or with another, verify says so', async ({
  root,
  ids,
  signer,
}) => {
  await prune(root, request(), null, { signer })
  const path = join(root, ACME, 'pruned', ids[1], 'manifest.json')
  const text = readFileSync(path, 'utf8')
  assert.is(JSON.parse(text).SnapshotId, ids[1])
  damage(path, () => writeFileSync(path, text.replace('USD', 'EUR')))
  const changed = await verified(root, signer)
  assert.ok(changed.all.includes(`manifest-exchanged - pruned/${ids[1]}/manifest.json`), changed.all.join())
  rmSync(path)
  const { all } = await verified(root, signer)
  assert.equal(all, [`manifest-missing - pruned/${ids[1]}/manifest.json`])
})

test('a log that is lost after a pruning, and an adoption: no damage, and what is left of pruned ones stays', async ({
  root,
  ids,
  signer,
}) => {
  await prune(root, request({ policy: { keepLast: 2 } }), null, { signer })
  const left = () => readdirSync(join(root, ACME, 'pruned'))
  const pruned = left()
  rmSync(join(root, ACME, LOG))
  await adoptHistory(root, ACME, 'the log was lost in a fire', { signer })
  assert.equal((await verified(root, signer)).all, [])
  await useSnapshot(root, ACME, ids[4], null, { signer })
  await prune(root, request({ policy: { keepLast: 1 } }), null, { signer })
  assert.equal(
    left().filter((id) => pruned.includes(id)),
    pruned,
  )
  assert.equal((await verified(root, signer)).all, [])
})

test('the next build follows the newest, and gives no id again', async ({ root, ids, signer }) => {
  await prune(root, request(), null, { signer })
  const next = await publish(
    root,
    { 'a.json': 'text 0', 'same.json': 'the same in all of them' },
    { signer, body: through('2026-08') },
  )
  assert.is(next.snapshotId, `2026-08-r3-${ids[0].slice(-6)}`)
  assert.equal((await verified(root, signer)).all, [])
})

test('current, newest, held and read snapshots stay, whatever the policy says', async ({
  root,
  ids,
  signer,
}) => {
  await useSnapshot(root, ACME, ids[2], null, { signer })
  await holdSnapshots(root, ACME, ids[0], 'tax audit', { signer })
  const policy = { keepMonthEnds: { years: 1 } }
  const plan = await prune(
    root,
    request({ policy, now: new Date('2036-01-01'), inUse: async () => new Set([ids[3]]) }),
    null,
    { signer },
  )
  assert.equal(keptOf(plan), [
    [ids[0], 'held: tax audit'],
    [ids[2], 'current'],
    [ids[3], 'a client is reading it'],
    [ids[4], 'the newest'],
  ])
  assert.equal(idsIn(root), [ids[0], ids[2], ids[3], ids[4]])
  assert.is((await current(root)).id, ids[2])
  assert.equal((await verified(root, signer)).all, [])
})

test('of a held company nothing goes, until it is released', async ({ root, ids, signer }) => {
  await holdSnapshots(root, ACME, null, 'case 4711', { signer })
  await rejects(holdSnapshots(root, ACME, null, 'again', { signer }), /acme is held since .*: case 4711/)
  await holdSnapshots(root, ACME, ids[1], 'tax audit', { signer })
  await prune(root, request({ policy: { keepLast: 1 } }), null, { signer })
  assert.equal(idsIn(root), ids)
  const next = await publish(root, { 'a.json': 'later' }, { signer, body: through('2026-12') })
  await releaseSnapshots(root, ACME, null, 'closed', { signer })
  await rejects(releaseSnapshots(root, ACME, null, null, { signer }), /acme is not held/)
  const plan = await prune(root, request({ policy: { keepLast: 1 } }), null, { signer })
  assert.equal(keptOf(plan), [
    [ids[1], 'held: tax audit'],
    [next.snapshotId, 'current; of the last 1'],
  ])
  assert.equal((await verified(root, signer)).all, [])
})

test('nothing is removed that is younger than the minimum', async ({ root, ids, signer }) => {
  const published = Date.parse((await readHistory(root, ACME)).published.get(ids[4])!.At)
  const day = 24 * 60 * 60 * 1000
  const after = (days: number) =>
    request({ policy: { keepLast: 1, minimumYears: 10 }, now: new Date(published + days * day) })
  const young = await prune(root, after(3650), null, { signer })
  assert.equal(idsIn(root), ids)
  assert.equal(keptOf(young)[0], [ids[0], 'less than 10 years old'])
  await prune(root, after(3660), null, { signer })
  assert.equal(idsIn(root), [ids[4]])
  assert.match((await readHistory(root, ACME)).pruned.get(ids[0])!.Reason!, /keepLast 1, minimumYears 10/)
})

test('what is not as it was published is evidence, and stays', async ({ root, ids, signer }) => {
  const path = join(root, ACME, ids[1], 'manifest.json')
  damage(path, () => writeFileSync(path, readFileSync(path, 'utf8').replace('USD', 'EUR')))
  const plan = await prune(root, request(), null, { signer })
  assert.equal(keptOf(plan)[0], [ids[1], 'damaged: see "tieout verify acme"'])
  assert.ok(idsIn(root).includes(ids[1]))
})

test('bytes are those that the disk gets back: shared files give nothing until the last of them goes', async ({
  root,
  ids,
}) => {
  const block = statSync(join(root, ACME, ids[0], 'a.json')).blocks * 512
  assert.ok(block > 0)
  assert.is((await planPruning(root, request())).freedBytes, 4 * block)
  // Out of the others the current one alone shares the file: without it the last name goes.
  rmSync(join(root, ACME, ids[4], 'same.json'))
  assert.is((await planPruning(root, request())).freedBytes, 5 * block)
})

test('what becomes free is what du says: folders take room too, and a file counts once for all its names', ({
  root,
}) => {
  const folder = join(root, 'measured')
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  writeFileSync(join(folder, 'a/one'), 'x'.repeat(10_000))
  linkSync(join(folder, 'a/one'), join(folder, 'a/b/two'))
  const said = execFileSync('du', ['-sk', folder], { encoding: 'utf8' })
  assert.is(freedBytes([folder]), Number(said.split('\t')[0]) * 1024)
})

test('who reads a file of a removed snapshot goes on reading it', async ({ root, ids, signer }) => {
  const file = openSync(join(root, ACME, ids[0], 'a.json'), 'r')
  await prune(root, request(), null, { signer })
  const bytes = Buffer.alloc(20)
  assert.is(bytes.toString('utf8', 0, readSync(file, bytes)), 'text 0')
})

test('not while something is published, nor on a pointer that was moved by hand', async ({
  root,
  ids,
  signer,
}) => {
  const stage = await beginStage(root, ACME)
  await rejects(prune(root, request(), null, { signer }), /is building this company/)
  stage.discard()
  const { ManifestSha256 } = (await readHistory(root, ACME)).published.get(ids[0])!
  writeFileSync(join(root, ACME, POINTER), JSON.stringify({ SnapshotId: ids[0], ManifestSha256 }))
  await rejects(prune(root, request(), null, { signer }), /./)
  assert.is(idsIn(root).length, 5)
})

test('a pruned snapshot cannot be used or held, and the message says why', async ({ root, ids, signer }) => {
  await prune(root, request(), null, { signer })
  await rejects(useSnapshot(root, ACME, ids[0], null, { signer }), /was pruned on 20\d\d-\d\d-\d\d by /)
  await rejects(holdSnapshots(root, ACME, ids[0], 'late', { signer }), /was pruned on/)
})

test('a snapshot that was taken away without the log is damage, pruned ones beside it or not', async ({
  root,
  ids,
  signer,
}) => {
  await prune(root, request({ policy: { keepLast: 3 } }), null, { signer })
  rmSync(join(root, ACME, ids[3]), { recursive: true })
  assert.equal((await verified(root, signer)).all, [`snapshot-missing - ${ids[3]}`])
})

const SOURCE = {
  ...{ File: 'source.csv', Role: 'ledger', Format: 'csv', Bytes: 3, Encoding: 'utf-8', Kept: true },
  ...{ RowsRead: 1, RowsRejected: 0, Debit: null, Credit: null, FirstDate: null, LastDate: null },
}

test('kept sources go with the last snapshot that names them', async ({ root, signer }) => {
  const folder = join(root, 'other')
  const source = join(root, 'source.csv')
  const sha = (text: string) => {
    writeFileSync(source, text)
    return text
  }
  const { sha256 } = await import('../../builder/system/hash.ts')
  for (const [i, text] of ['one', 'two', 'two'].entries()) {
    const hash = sha256(sha(text))
    const stage = await beginStage(root, 'other', { signer })
    stage.write('a.json', `text ${i}`)
    await stage.keep([{ file: 'source.csv', path: source, sha256: hash }])
    const input = { ...SOURCE, Sha256: hash }
    await stage.publish({ ...through('2026-10'), CompanyId: 'other', Inputs: [input] }, 0)
    stage.discard()
  }
  assert.is(readdirSync(join(folder, 'inputs')).length, 2)
  const plan = await prune(root, request({ company: 'other' }), null, { signer })
  assert.is(plan.inputs, 1)
  assert.equal(readdirSync(join(folder, 'inputs')), [sha256('two')])
})

test('the pins of a running server are seen from outside of it; old ones are none', async ({
  state,
  ids,
}) => {
  const place = { folder: state, database: null }
  assert.is((await pinnedSnapshots(place, 60)).size, 0)
  let now = Date.now() - 120_000
  const store = openStore(state, [PINS])
  const pins = openPins(store, 60, { now: () => now })
  await pins.hold('grant-1', ACME, ids[0], null)
  now = Date.now()
  await pins.hold('grant-2', ACME, ids[1], null)
  await pins.hold('grant-3', 'other', ids[2], null)
  const pinned = await pinnedSnapshots(place, 60)
  assert.equal([...pinned.get(ACME)!], [ids[1]])
  assert.equal([...pinned.get('other')!], [ids[2]])
  await store.close()
})
