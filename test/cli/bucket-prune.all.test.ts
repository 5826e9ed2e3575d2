/** `tieout prune` in a bucket: the objects that no snapshot has any more. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { type Fault, missing, type Store, startStore } from '../support/s3.ts'
import { type Build, built, onTwoMachines, post, shareKeys } from './bucket-harness.ts'

const test = suite('pruning in a bucket')
let store: Store
test.before(async () => {
  store = await startStore()
})
test.after(() => store.stop())
test.after.each(() => store.fail(null))

const NONE = { objects: 0, bytes: 0 }

/** As a store in which everything is from January: in its lists. */
const aged: Fault = (_asked, response) => {
  const write = response.write.bind(response)
  response.write = ((piece: Buffer) =>
    write(
      piece.toString('latin1').replace(/(<LastModified>)\d{4}-\d\d-\d\d/g, '$12026-01-01'),
      'latin1',
    )) as typeof response.write
  return false
}

/** Sets the time of all marks back by two days. */
async function ageMarks(bucket: string): Promise<void> {
  const opened = await store.open(bucket, { prefix: 'books' })
  const { bytes, tag } = (await opened.get('sweep.json'))!
  const before = new Date(Date.now() - 48 * 60 * 60 * 1000).toISOString()
  const text = bytes.toString().replace(/"At":"[^"]*"/g, `"At":"${before}"`)
  assert.ok(await opened.swap('sweep.json', Buffer.from(text), tag))
}

interface Pruned {
  readonly objects: Readonly<Record<'removed' | 'marked' | 'left', { objects: number; bytes: number }>>
}

test('objects of pruned snapshots are marked, and deleted by a later prune', () =>
  onTwoMachines(store, async (one, other, bucket) => {
    await built(one)
    shareKeys(one, other)
    post(one, other)
    const { companies, requests } = await one.json<Build & { requests: object }>('build')
    assert.is(companies[0]!.outcome, 'published')
    for (const kind of ['GetObject', 'PutObject']) assert.ok(kind in requests, JSON.stringify(requests))
    assert.match(await one.done('build'), /Requests to s3:\S+: \d+ \w+Object/)
    assert.match(await one.done('prune'), /no snapshot has: 1 object \(/, 'the log before')
    const young = await one.done('prune', '--yes')
    assert.match(
      young.replace(/\s+/g, ' '),
      /objects \([^)]*\) stay for now, as all do for their first seven days/,
    )
    store.fail(aged)
    assert.match((await other.done('prune')).replace(/\s+/g, ' '), /would mark \d+ objects/)
    const { objects } = await other.json<Pruned>('prune', '--yes')
    assert.ok(objects.marked.objects > 5, JSON.stringify(objects))
    assert.is(objects.removed.objects, 0)
    await ageMarks(bucket)
    assert.match((await one.done('prune')).replace(/\s+/g, ' '), /no snapshot has: would delete \d+ objects/)
    const after = await one.json<Pruned>('prune', '--yes')
    assert.equal(after.objects, { removed: objects.marked, marked: NONE, left: NONE })
    assert.match(await other.done('prune', 'acme'), /Nothing to remove\.\s*$/)
    assert.match(await other.done('prune'), /no snapshot has: none\./)
    store.fail(null)
    assert.match(await other.done('verify'), /1 snapshot is as published/)
  }))

test.needs(missing)
