/** What a bucket promises, against a real server of its interface: writes with conditions, attempts, failures in words. */

import * as assert from 'uvu/assert'
import type { Bucket } from '../../builder/snapshot/places/bucket/bucket.ts'
import { requireConditions } from '../../builder/snapshot/places/bucket/probe.ts'
import { parseBucketAddress } from '../../builder/workspace/bucket-address.ts'
import { suite } from '../suite.ts'
import { type Fault, missing, type Store, slowDown, startStore } from '../support/s3.ts'

const addresses = suite('addresses of buckets')

addresses('bucket and prefix, without slashes at the ends', () => {
  assert.equal(parseBucketAddress('s3://acme-books'), { bucket: 'acme-books', prefix: '' })
  assert.equal(parseBucketAddress('s3://acme-books/'), { bucket: 'acme-books', prefix: '' })
  assert.equal(parseBucketAddress('s3://acme.books/a/b/'), { bucket: 'acme.books', prefix: 'a/b' })
  for (const wrong of [
    's3://',
    's3://A/b',
    's3://ab',
    's3://acme/a/../b',
    's3://acme/a//b',
    'acme',
    's3:/acme',
  ])
    assert.is(parseBucketAddress(wrong), null, wrong)
})

const test = suite('bucket')
let store: Store
test.before(async () => {
  store = await startStore()
})
test.after(() => store.stop())
test.after.each(() => store.fail(null))

const bytes = (text: string): Buffer => Buffer.from(text)
const inBucket = async (run: (bucket: Bucket, name: string) => Promise<void>): Promise<void> => {
  const name = await store.bucket()
  await run(await store.open(name), name)
}
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no refusal',
    (problem: Error & { code?: string }) => `${problem.code}: ${problem.message}`,
  )

test('what is there is left as it is', () =>
  inBucket(async (bucket) => {
    assert.is(await bucket.putOnce('objects/a', bytes('first')), true)
    assert.is(await bucket.putOnce('objects/a', bytes('second')), false)
    assert.is((await bucket.get('objects/a'))?.bytes.toString(), 'first')
    assert.is((await bucket.head('objects/a'))?.bytes, 5)
    assert.is(await bucket.get('objects/b'), null)
    assert.is(await bucket.head('objects/b'), null)
    await bucket.remove('objects/a')
    assert.is(await bucket.get('objects/a'), null)
  }))

test('of ten who swap at once, one wins each time, and nothing is lost', () =>
  inBucket(async (bucket, name) => {
    const others = await Promise.all(Array.from({ length: 10 }, () => store.open(name)))
    const add = async (one: Bucket, who: number): Promise<void> => {
      for (;;) {
        const found = await one.get('counted')
        const names = [...(found ? JSON.parse(found.bytes.toString()) : []), who]
        if ((await one.swap('counted', bytes(JSON.stringify(names)), found?.tag ?? null)) !== null) return
      }
    }
    await Promise.all(others.map(add))
    const names = JSON.parse((await bucket.get('counted'))!.bytes.toString()) as number[]
    assert.equal(
      names.toSorted((a, b) => a - b),
      others.map((_, i) => i),
    )
  }))

test('who holds an old tag, or swaps what was removed, has lost', () =>
  inBucket(async (bucket) => {
    const first = await bucket.swap('pointer', bytes('1'), null)
    assert.is(await bucket.swap('pointer', bytes('other'), null), null)
    const second = await bucket.swap('pointer', bytes('2'), first)
    assert.is(await bucket.swap('pointer', bytes('3'), first), null)
    assert.is((await bucket.get('pointer'))?.bytes.toString(), '2')
    await bucket.remove('pointer')
    assert.is(await bucket.swap('pointer', bytes('4'), second), null)
  }))

test('to see that nothing changed costs one request without a body', () =>
  inBucket(async (bucket) => {
    const tag = (await bucket.swap('pointer', bytes('1'), null))!
    assert.is(await bucket.getUnless('pointer', tag), 'same')
    await bucket.swap('pointer', bytes('2'), tag)
    const changed = await bucket.getUnless('pointer', tag)
    assert.is(changed !== 'same' && changed?.bytes.toString(), '2')
    assert.is(await bucket.getUnless('nothing', tag), null)
    assert.equal(bucket.requests, { PutObject: 2, GetObject: 3 })
  }))

test('a list is read to its end', () =>
  inBucket(async (bucket) => {
    const keys = Array.from({ length: 25 }, (_, i) => `objects/${String(i).padStart(4, '0')}`)
    await Promise.all(keys.map((key) => bucket.putOnce(key, bytes(key))))
    await bucket.putOnce('other', bytes('x'))
    // As a store answers that has more than a thousand of them.
    store.fail((asked) => {
      asked.url = asked.url?.replace('list-type=2', 'list-type=2&max-keys=10')
      return false
    })
    const listed: string[] = []
    for await (const { key, bytes: size, at } of bucket.list('objects/')) {
      assert.is(size, 12)
      assert.ok(at.getTime() > 0)
      listed.push(key)
    }
    assert.equal(listed, keys)
    assert.is(bucket.requests.ListObjectsV2, 3)
  }))

test('a store that asks to slow down is asked again, and each attempt is counted', () =>
  inBucket(async (bucket, name) => {
    store.fail(slowDown(3))
    assert.is(await bucket.putOnce('objects/a', bytes('first')), true)
    assert.equal(bucket.requests, { PutObject: 4 })
    store.fail(slowDown(100))
    assert.match(
      await refusal((await store.open(name, { attempts: 2 })).get('objects/a')),
      /^bucket: the bucket s3:\S+ cannot be used: it asks to slow down/,
    )
  }))

test('a store that does not answer is given up', () =>
  inBucket(async (_, name) => {
    const bucket = await store.open(name, { seconds: 0.2 })
    store.fail(() => true)
    assert.match(await refusal(bucket.get('objects/a')), /does not answer in time/)
    assert.equal(bucket.requests, { GetObject: 4 })
  }))

/** Lets the store do as it is told, and the answer get lost. */
const losesAnswer = (method: string): Fault => {
  let lost = false
  return (asked, response) => {
    if (!lost && asked.method === method) {
      lost = true
      response.write = () => false
      response.writeHead = () => {
        response.destroy()
        return response
      }
    }
    return false
  }
}

test('a swap whose answer was lost is known to be done, and not done twice', () =>
  inBucket(async (bucket) => {
    const first = await bucket.swap('pointer', bytes('1'), null)
    store.fail(losesAnswer('PUT'))
    const second = await bucket.swap('pointer', bytes('2'), first)
    assert.is((await bucket.get('pointer'))?.bytes.toString(), '2')
    assert.is((await bucket.get('pointer'))?.tag, second)
    assert.is(bucket.requests.PutObject, 3)
  }))

test('failures are told in words', async () => {
  const name = await store.bucket()
  assert.match(
    await refusal((await store.open('no-such-bucket')).get('a')),
    /there is no bucket of this name/,
  )
  const closed = await store.open(name, { endpoint: 'http://127.0.0.1:9', attempts: 1 })
  assert.match(await refusal(closed.get('a')), /nothing listens there/)
  store.fail((_, response) => {
    response.writeHead(403, { 'content-type': 'application/xml' })
    response.end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>')
    return true
  })
  assert.match(await refusal((await store.open(name)).putOnce('a', bytes('1'))), /s3:PutObject/)
})

/** As a store that does not know a condition: it writes in spite of it. */
const ignoring =
  (header: string): Fault =>
  (asked) => {
    delete asked.headers[header]
    return false
  }

test('a store that ignores conditions is refused, and one that keeps them is left empty', () =>
  inBucket(async (bucket) => {
    await requireConditions(bucket)
    for (const header of ['If-None-Match', 'If-Match']) {
      store.fail(ignoring(header.toLowerCase()))
      assert.match(
        await refusal(requireConditions(bucket)),
        new RegExp(`keep the condition ${header} of writes`),
      )
    }
    store.fail(null)
    for await (const { key } of bucket.list('')) assert.unreachable(`${key} was left`)
  }))

test.needs(missing)
