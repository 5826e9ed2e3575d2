/** What holds wherever snapshots are published, for a folder and for a bucket alike. */

import * as assert from 'uvu/assert'
import { listSnapshotIds } from '../../builder/snapshot/files/open.ts'
import type { Publication } from '../../builder/snapshot/files/stage.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { LockedError } from '../../builder/snapshot/log/lock.ts'
import { useSnapshot } from '../../builder/snapshot/log/use.ts'
import type { SnapshotLocation } from '../../builder/snapshot/places/location.ts'
import { suite } from '../suite.ts'
import type { Kind } from '../support/locations.ts'
import { ACME, current, publish, rejects, through, verified } from '../support/snapshots.ts'

type Files = Readonly<Record<string, string>>

const publishAt = (location: SnapshotLocation, files: Files, month = '2026-10'): Promise<Publication> =>
  location.change(ACME, 'latest', (root) => publish(root, files, { body: through(month) }))

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

export function declare(kind: Kind, missing: string | null): void {
  const test = suite(`snapshots in a ${kind.name}`)
  test.before(() => kind.start())
  test.after(() => kind.stop())

  test('list and read: the other machine finds what the one published', () =>
    kind.in(async ({ one, other }) => {
      assert.equal(await one.companies(), [])
      const first = await publishAt(one, { 'a.json': '1', 'b.json': 'same' })
      assert.is(first.outcome, 'published')
      assert.equal(await other.companies(), [ACME])
      const root = await other.read([ACME])
      const snapshot = await current(root)
      assert.is(snapshot.id, first.snapshotId)
      assert.is((await snapshot.read('a.json')).toString(), '1')
      const second = await publishAt(other, { 'a.json': '2', 'b.json': 'same' })
      assert.is((await current(await one.read(null))).id, second.snapshotId)
      assert.equal(await listSnapshotIds(await one.read([ACME]), ACME), [first.snapshotId, second.snapshotId])
      assert.equal((await verified(await one.read(null))).all, [])
    }))

  test('write once: what was published stays as it is, and equal files are no new snapshot', () =>
    kind.in(async ({ one, other }) => {
      const first = await publishAt(one, { 'a.json': '1' })
      assert.is((await publishAt(other, { 'a.json': '1' })).outcome, 'unchanged')
      const second = await publishAt(other, { 'a.json': '2' })
      const root = await one.read([ACME])
      assert.equal(await listSnapshotIds(root, ACME), [first.snapshotId, second.snapshotId])
      assert.is((await readHistory(root, ACME)).published.size, 2)
    }))

  test('swap the pointer: back, and forward again, on either machine', () =>
    kind.in(async ({ one, other }) => {
      const first = await publishAt(one, { 'a.json': '1' })
      const second = await publishAt(one, { 'a.json': '2' })
      await other.change(ACME, 'all', (root) =>
        useSnapshot(root, ACME, first.snapshotId, 'the second one was wrong', {}),
      )
      assert.is((await current(await one.read([ACME]))).id, first.snapshotId)
      const again = await publishAt(one, { 'a.json': '2' })
      assert.is(again.rolledBackFrom, second.snapshotId, 'the newest one is known although it is not current')
      const third = await publishAt(one, { 'a.json': '3' })
      const root = await other.read([ACME])
      assert.is((await current(root)).id, third.snapshotId)
      assert.equal((await verified(root)).all, [])
    }))

  test('of many who publish at once, each is published, one after the other', () =>
    kind.in(async ({ one, other }) => {
      const published = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          persistently(() => publishAt(i % 2 === 0 ? one : other, { 'a.json': `${i}`, 'b.json': 'same' })),
        ),
      )
      const root = await other.read([ACME])
      const ids = published.map(({ snapshotId }) => snapshotId)
      assert.is(new Set(ids).size, 6, 'no id was given twice')
      assert.equal((await listSnapshotIds(root, ACME)).toSorted(), ids.toSorted())
      const { published: entered, head } = await readHistory(root, ACME)
      assert.equal([...entered.keys()].toSorted(), ids.toSorted())
      assert.is((await current(root)).id, head!.SnapshotId)
      assert.equal((await verified(root)).all, [])
    }))

  test('a change that fails in the middle changes nothing', () =>
    kind.in(async ({ one, other }) => {
      const first = await publishAt(one, { 'a.json': '1' })
      const failing = one.change(ACME, 'latest', async (root) => {
        if (kind.name === 'bucket') await publish(root, { 'a.json': '2' }, { body: through('2026-10') })
        throw new Error('out of paper')
      })
      await rejects(failing, /out of paper/)
      for (const location of [one, other])
        assert.equal(await listSnapshotIds(await location.read([ACME]), ACME), [first.snapshotId])
    }))

  test('what cannot be reached is told, and changes nothing', () =>
    kind.in(async ({ one, other, away }) => {
      const first = await publishAt(one, { 'a.json': '1' })
      const back = away()
      await rejects(publishAt(one, { 'a.json': '2' }), /ENOTDIR|the bucket s3:\S+ cannot be used/)
      if (kind.name === 'bucket') {
        await rejects(one.read([ACME]), /cannot be used/)
        await rejects(one.companies(), /cannot be used/)
      }
      back()
      for (const location of [one, other])
        assert.is((await current(await location.read([ACME]))).id, first.snapshotId)
      assert.is((await publishAt(other, { 'a.json': '2' })).outcome, 'published')
    }))

  test.needs(missing)
}
