/**
 * Two machines that publish in one bucket: who is first, what fails, how large a working copy grows, and how many requests it takes to publish
 * and to follow.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import { listSnapshotIds } from '../../builder/snapshot/files/open.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { LockedError } from '../../builder/snapshot/log/lock.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { BucketLocation } from '../../builder/snapshot/places/bucket-location.ts'
import { trim } from '../../builder/snapshot/places/trim.ts'
import { suite } from '../suite.ts'
import { missing, type Store, startStore } from '../support/s3.ts'
import { ACME, current, publish, rejects, through, verified } from '../support/snapshots.ts'

const test = suite('working copy of a bucket')
let store: Store
test.before(async () => {
  store = await startStore()
})
test.after(() => store.stop())

type Machine = BucketLocation

async function onTwoMachines(run: (one: Machine, other: Machine) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-copy-'))
  const bucket = await store.bucket()
  const machine = async (name: string) =>
    new BucketLocation(await store.open(bucket), join(folder, name, 'copy'))
  await run(await machine('one'), await machine('other'))
}

const publishAt = async (machine: Machine, files: Readonly<Record<string, string>>): Promise<string> =>
  (await machine.change(ACME, 'latest', (root) => publish(root, files, { body: through('2026-10') })))
    .snapshotId

/** As people do who are told that somebody else is building: again in a moment. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work()
    } catch (problem) {
      if (!(problem instanceof LockedError)) throw problem
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
}

test('of many who publish at once, each is published, one after the other', () =>
  onTwoMachines(async (one, other) => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        persistently(() => publishAt(i % 2 === 0 ? one : other, { 'a.json': `${i}`, 'b.json': 'same' })),
      ),
    )
    const root = await other.read([ACME])
    assert.is(new Set(ids).size, 6, 'no id was given twice')
    assert.equal((await listSnapshotIds(root, ACME)).toSorted(), ids.toSorted())
    const { published: entered, head } = await readHistory(root, ACME)
    assert.equal([...entered.keys()].toSorted(), ids.toSorted())
    assert.is((await current(root)).id, head!.SnapshotId)
    assert.equal((await verified(root)).all, [])
  }))

test('a change that fails in the middle, or cannot reach the bucket, changes nothing', () =>
  onTwoMachines(async (one, other) => {
    const first = await publishAt(one, { 'a.json': '1' })
    const failing = one.change(ACME, 'latest', async (root) => {
      await publish(root, { 'a.json': '2' }, { body: through('2026-10') })
      throw new Error('out of paper')
    })
    await rejects(failing, /out of paper/)
    store.fail((asked, response) => {
      asked.resume()
      response.destroy()
      return true
    })
    await rejects(publishAt(one, { 'a.json': '2' }), /the bucket s3:\S+ cannot be used/)
    await rejects(one.read([ACME]), /cannot be used/)
    await rejects(one.companies(), /cannot be used/)
    store.fail(null)
    for (const location of [one, other])
      assert.equal(await listSnapshotIds(await location.read([ACME]), ACME), [first])
    assert.is.not(await publishAt(other, { 'a.json': '2' }), first)
  }))

const HOUR = 60 * 60 * 1000
const isHere = ({ copy }: Machine, id: string): boolean => existsSync(snapshotFolder(copy.root, ACME, id))
/** As if nobody had read these snapshots for this long. */
const unread = ({ copy }: Machine, hours: number, ...ids: readonly string[]): void => {
  for (const id of ids) {
    const then = new Date(Date.now() - hours * HOUR)
    utimesSync(snapshotFolder(copy.root, ACME, id), then, then)
  }
}
/** Trims as a server does in some hours. */
const trimIn = ({ copy }: Machine, hours: number, most: number): void =>
  trim(copy, most, Date.now() + hours * HOUR)

test('old snapshots that nobody reads are removed beyond the bound, the longest unread first; the current one never', () =>
  onTwoMachines(async (one, other) => {
    const ids: string[] = []
    for (const text of ['1', '2', '3', '4']) ids.push(await publishAt(one, { 'a.json': text.repeat(50_000) }))
    const [first, second, third, current] = ids as [string, string, string, string]
    await other.read([ACME])
    unread(other, 5, second)
    unread(other, 4, first)
    trimIn(other, 1, 1e9)
    assert.ok(
      ids.every((id) => isHere(other, id)),
      'below the bound all stay',
    )
    const bytes = 120_000
    trimIn(other, 2.5, bytes)
    assert.equal(
      [first, second, third, current].map((id) => isHere(other, id)),
      [true, false, true, true],
    )
    trimIn(other, 5, 1)
    assert.equal(
      [first, third, current].map((id) => isHere(other, id)),
      [false, false, true],
    )
    await other.read([ACME])
    assert.ok(
      ids.every((id) => isHere(other, id)),
      'and are brought when somebody asks',
    )
    const { mtimeMs } = statSync(snapshotFolder(other.copy.root, ACME, first))
    assert.ok(Date.now() - mtimeMs < HOUR)
  }))

test('a pruned snapshot stays for those who are reading it, and goes after them whatever the bound', () =>
  onTwoMachines(async (one, other) => {
    const first = await publishAt(one, { 'a.json': '1' })
    const serve = () => other.copy.follow(ACME, { extent: 'served' })
    await serve()
    unread(other, 9, first)
    await publishAt(one, { 'a.json': '2' })
    const inUse = async (): Promise<ReadonlySet<string>> => new Set()
    await one.change(ACME, 'all', (root) =>
      prune(root, { company: ACME, policy: { keepLast: 1 }, inUse }, 'it is old'),
    )
    assert.not.ok(isHere(one, first), 'whoever lists snapshots does not find it')
    await serve()
    trimIn(other, 2, 1e9)
    assert.ok(isHere(other, first))
    trimIn(other, 4, 1e9)
    assert.not.ok(isHere(other, first))
  }))

const documents = (count: number, changed: number, salt: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `statements/${i % 60}/${i}.json`,
      `{"Document":${i},"Of":"${i < changed ? salt : 'before'}"}`,
    ]),
  )

const counted = async (machine: Machine, work: () => Promise<unknown>): Promise<Record<string, number>> => {
  const before = { ...machine.bucket.requests }
  await work()
  return Object.fromEntries(
    Object.entries(machine.bucket.requests).flatMap(([kind, count]) =>
      count > (before[kind] ?? 0) ? [[kind, count - (before[kind] ?? 0)]] : [],
    ),
  )
}

test('of many documents of which 30 changed, 30 and some are sent, and as many received by those who follow', () =>
  onTwoMachines(async (one, other) => {
    await publishAt(one, documents(300, 0, ''))
    await other.copy.follow(ACME, { extent: 'served' })
    const sent = await counted(one, () => publishAt(one, documents(300, 30, 'after')))
    // The documents, manifest, signature and log, and the object of the company, which is asked for before and after; and what is marked to be deleted.
    assert.ok(sent.PutObject! >= 30 && sent.PutObject! <= 30 + 5, JSON.stringify(sent))
    assert.ok((sent.GetObject ?? 0) <= 4, JSON.stringify(sent))
    assert.equal(Object.keys(sent).sort(), ['GetObject', 'PutObject'])
    const followed = await counted(other, () => other.copy.follow(ACME, { extent: 'served' }))
    assert.ok(followed.GetObject! >= 30 && followed.GetObject! <= 30 + 5, JSON.stringify(followed))
    assert.equal(Object.keys(followed), ['GetObject'])
    assert.equal(await counted(one, () => publishAt(one, documents(300, 30, 'after'))), { GetObject: 1 })
    const again = await counted(other, () => other.copy.follow(ACME, { extent: 'served' }))
    assert.equal(again, { GetObject: 1 }, 'to see that nothing changed takes one request')
  }))

test('a damaged log of a working copy is fetched again, and damaged files of a snapshot are', () =>
  onTwoMachines(async (one, other) => {
    const id = await publishAt(one, { 'a.json': 'of a', 'b.json': 'of b' })
    await other.copy.follow(ACME, { extent: 'served' })
    assert.is(await other.copy.mend(ACME, id), 'whole')
    const unknown = '2025-01-r9-abcdef'
    mkdirSync(snapshotFolder(other.copy.root, ACME, unknown))
    assert.is(await other.copy.mend(ACME, unknown), 'unknown', 'the bucket does not hold it')
    const place = join(snapshotFolder(other.copy.root, ACME, id), 'a.json')
    chmodSync(place, 0o644)
    writeFileSync(place, 'of b')
    writeFileSync(join(other.copy.root, ACME, 'log.jsonl'), '{"another":"line"}\n')
    assert.is(await other.copy.mend(ACME, id), 'mended')
    assert.is(readFileSync(place, 'utf8'), 'of a')
    await publishAt(one, { 'a.json': '2' })
    await other.copy.follow(ACME, { extent: 'served' })
    assert.is((await readHistory(other.copy.root, ACME)).published.size, 2)
  }))

test.needs(missing)
