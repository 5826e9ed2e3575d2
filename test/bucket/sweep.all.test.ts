/** Objects that nothing names are deleted, and none that a company names, whoever publishes or prunes at the same time. The clock is moved. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Bucket } from '../../builder/snapshot/places/bucket/bucket.ts'
import {
  OBJECTS,
  objectKey,
  readHeld,
  swapHeld,
} from '../../builder/snapshot/places/bucket/company-object.ts'
import { readMarks } from '../../builder/snapshot/places/bucket/marks.ts'
import { sendFiles, without } from '../../builder/snapshot/places/bucket/send.ts'
import { type Nearby, planSweep, type Swept, sweep } from '../../builder/snapshot/places/bucket/sweep.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { type Fault, missing, type Store, startStore } from '../support/s3.ts'
import { rejects } from '../support/snapshots.ts'

const test = suite('objects that nothing names')
let store: Store
let scratch: string
test.before(async () => {
  store = await startStore()
  scratch = mkdtempSync(join(tmpdir(), 'tieout-sweep-'))
})
test.after(async () => {
  await store.stop()
})
test.after.each(() => store.fail(null))

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
/** How far the clock of all computers was moved. */
let moved = 0
const clock = (): number => Date.now() + moved
const open = (name: string): Promise<Bucket> => store.open(name, { clock, attempts: 3 })
/** A computer that knows nothing of the bucket. */
const NOTHING: Nearby = { companies: () => [], held: () => null, manifest: () => null }

const inBucket = async (run: (one: Bucket, other: Bucket, name: string) => Promise<void>): Promise<void> => {
  moved = 0
  const name = await store.bucket()
  await run(await open(name), await open(name), name)
}

const hashOf = (text: string): string => sha256(Buffer.from(text))
let folders = 0

/** Publishes files of these contents, as a build does. False where another writer was first. */
async function publish(bucket: Bucket, company: string, texts: readonly string[]): Promise<boolean> {
  const held = await readHeld(bucket, company)
  const folder = join(scratch, String(++folders))
  mkdirSync(folder)
  // As the log does, one file differs each time.
  const all = [...texts, `log of ${company} ${folders}`]
  const Files = all.map((text, i) => {
    writeFileSync(join(folder, `${i}.json`), text)
    return { Path: `${i}.json`, Bytes: text.length, Sha256: hashOf(text) }
  })
  const { by } = await sendFiles(bucket, folder, without(held?.object.Files ?? [], Files))
  return swapHeld(bucket, { Format: 1, CompanyId: company, Current: null, Files }, held, by)
}

const objectsIn = async (bucket: Bucket): Promise<Set<string>> => {
  const found = new Set<string>()
  for await (const { key } of bucket.list(OBJECTS)) found.add(key.slice(OBJECTS.length))
  return found
}
const isThere = async (bucket: Bucket, text: string): Promise<boolean> =>
  (await bucket.head(objectKey(hashOf(text)))) !== null
const marksIn = async (bucket: Bucket): Promise<string[]> => [...(await readMarks(bucket)).marked.keys()]
const counted = ({ removed, marked, left }: Swept): number[] => [
  removed.objects,
  marked.objects,
  left.objects,
]

/** Something that nothing names any more, marked more than a day ago: the next prune deletes it. */
async function doomed(bucket: Bucket, text: string): Promise<void> {
  assert.ok(await publish(bucket, 'acme', [text, 'kept']))
  assert.ok(await publish(bucket, 'acme', ['kept']))
  moved += 8 * DAY
  await sweep(bucket, NOTHING)
  moved += 25 * HOUR
}

const isDelete = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'DELETE' && url.includes(OBJECTS)
const isSwap = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'PUT' && url.includes('/companies/')

/** Answers the first such request with 503, once `meanwhile` is over. */
function delay(which: (asked: IncomingMessage) => boolean, meanwhile: () => Promise<void>): Fault {
  let isFirst = true
  return (asked, response) => {
    if (!isFirst || !which(asked)) return false
    isFirst = false
    asked.resume()
    void meanwhile().then(() => response.writeHead(503).end())
    return true
  }
}

test('what nothing names is marked after seven days, and deleted a day later', () =>
  inBucket(async (bucket) => {
    await publish(bucket, 'acme', ['a', 'b', 'shared'])
    await publish(bucket, 'beta', ['shared'])
    await publish(bucket, 'acme', ['b'])
    // "a", and the two logs before.
    assert.equal(counted(await sweep(bucket, NOTHING)), [0, 0, 2])
    moved += 7 * DAY + HOUR
    assert.equal(counted(await planSweep(bucket, NOTHING)), [0, 2, 0])
    assert.equal(await marksIn(bucket), [], 'a plan changes nothing')
    assert.equal(counted(await sweep(bucket, NOTHING)), [0, 2, 0])
    moved += 23 * HOUR
    assert.equal(counted(await sweep(bucket, NOTHING)), [0, 2, 0])
    assert.ok(await isThere(bucket, 'a'))
    moved += 2 * HOUR
    assert.equal(counted(await planSweep(bucket, NOTHING)), [2, 0, 0])
    assert.ok(await isThere(bucket, 'a'))
    assert.equal(counted(await sweep(bucket, NOTHING)), [2, 0, 0])
    assert.equal(await marksIn(bucket), [])
    assert.not.ok(await isThere(bucket, 'a'))
    for (const text of ['b', 'shared']) assert.ok(await isThere(bucket, text))
    assert.equal(counted(await sweep(bucket, NOTHING)), [0, 0, 0])
  }))

test('who publishes with a marked object takes its mark away, although it is not sent again', () =>
  inBucket(async (bucket, other) => {
    await doomed(bucket, 'again')
    assert.ok((await marksIn(bucket)).includes(hashOf('again')))
    await publish(other, 'beta', ['again'])
    assert.not.ok((await marksIn(bucket)).includes(hashOf('again')))
    await sweep(bucket, NOTHING)
    assert.ok(await isThere(bucket, 'again'))
  }))

test('a mark that is taken away while a prune looks: what had it stays', () =>
  inBucket(async (bucket, other) => {
    await doomed(bucket, 'again')
    let published = false
    store.fail(
      delay(
        ({ url = '' }) => url.includes('prefix=snapshots%2Fobjects'),
        async () => {
          // The prune has seen which objects the companies name.
          published = await publish(other, 'beta', ['again'])
        },
      ),
    )
    await sweep(bucket, NOTHING)
    assert.ok(published)
    assert.ok(await isThere(bucket, 'again'))
  }))

test('what is deleted while a publication looks at the marks is sent again', () =>
  inBucket(async (bucket, other) => {
    await doomed(bucket, 'again')
    const isLook = ({ method, url = '' }: IncomingMessage): boolean =>
      method === 'GET' && url.includes('sweep.json')
    store.fail(delay(isLook, async () => void (await sweep(bucket, NOTHING))))
    assert.ok(await publish(other, 'beta', ['again']))
    assert.ok(await isThere(bucket, 'again'))
  }))

test('a publication that stands still for two days before its swap is not published', () =>
  inBucket(async (bucket, other) => {
    await publish(bucket, 'acme', ['old'])
    await publish(bucket, 'acme', [])
    moved += 8 * DAY
    const pruneTwice = async (): Promise<void> => {
      await sweep(other, NOTHING)
      moved += 2 * DAY
      await sweep(other, NOTHING)
    }
    store.fail(delay(isSwap, pruneTwice))
    await rejects(publish(bucket, 'beta', ['old']), /stood still for too long/)
    assert.not.ok(await isThere(bucket, 'old'))
    assert.is(await readHeld(bucket, 'beta'), null)
    assert.ok(await publish(bucket, 'beta', ['old']))
    assert.ok(await isThere(bucket, 'old'), 'it was sent again')
  }))

test('a prune that stands still before it deletes does not delete what is published meanwhile', () =>
  inBucket(async (bucket, other) => {
    await doomed(bucket, 'again')
    let published = false
    store.fail(
      delay(isDelete, async () => {
        moved += 2 * HOUR
        published = await publish(other, 'beta', ['again'])
      }),
    )
    await rejects(sweep(bucket, NOTHING), /stood still for too long/)
    assert.ok(published)
    store.fail(null)
    assert.ok(await isThere(bucket, 'again'))
    moved += 3 * DAY
    await sweep(bucket, NOTHING)
    moved += 3 * DAY
    await sweep(bucket, NOTHING)
    assert.ok(await isThere(bucket, 'again'))
  }))

test('what may still be deleted by a request without an answer is not published before that is over', () =>
  inBucket(async (bucket, other) => {
    await doomed(bucket, 'again')
    store.fail(
      delay(
        (asked) => isDelete(asked) && asked.url!.includes(hashOf('again')),
        async () => {},
      ),
    )
    await sweep(bucket, NOTHING)
    assert.equal((await readMarks(bucket)).going?.hashes, [hashOf('again')])
    store.fail((asked) => {
      if (asked.url?.includes('sweep.json')) moved += 3 * 60_000
      return false
    })
    await rejects(publish(other, 'beta', ['again']), /is deleting objects/)
    await rejects(sweep(other, NOTHING), /another "tieout prune" is deleting/)
    store.fail(null)
    moved += 2 * HOUR
    assert.ok(await publish(other, 'beta', ['again']))
    assert.ok(await isThere(bucket, 'again'))
  }))

const NOT_DELETED = /no object was deleted|nothing was changed|is missing|damaged/

test('in doubt nothing is deleted', () =>
  inBucket(async (bucket, _other, name) => {
    await doomed(bucket, 'gone')
    const before = await objectsIn(bucket)
    const manifest = { Path: '2026-10-r1-abcdef/manifest.json', Bytes: 3, Sha256: hashOf('no manifest') }
    const object = { Format: 1, CompanyId: 'beta', Current: null, Files: [manifest] }
    const doubts: readonly (readonly [key: string, content: string])[] = [
      ['companies/beta.json', 'not JSON'],
      ['companies/beta.json', JSON.stringify({ ...object, Format: 2 })],
      ['companies/beta', 'of a later version'],
      ['companies/beta.json', JSON.stringify(object)],
      ['sweep.json', '{"Format":2}'],
    ]
    for (const [key, content] of doubts) {
      const kept = await bucket.get(key)
      await bucket.remove(key)
      await bucket.putOnce(key, Buffer.from(content))
      await rejects(sweep(await open(name), NOTHING), NOT_DELETED)
      assert.equal(await objectsIn(bucket), before, `${key} ${content}`)
      await bucket.remove(key)
      if (kept !== null) await bucket.putOnce(key, kept.bytes)
    }
    // A manifest that is there, and says nothing.
    await bucket.putOnce(objectKey(hashOf('no manifest')), Buffer.from('no manifest'))
    await bucket.putOnce('companies/beta.json', Buffer.from(JSON.stringify(object)))
    await rejects(sweep(bucket, NOTHING), /manifest of beta\/2026-10-r1-abcdef cannot be read/)
    await bucket.remove('companies/beta.json')
    const known: Nearby = { ...NOTHING, companies: () => ['acme', 'beta'] }
    await rejects(sweep(bucket, known), /nothing of beta any more/)
    assert.ok(await isThere(bucket, 'gone'))
    await sweep(bucket, NOTHING)
    assert.not.ok(await isThere(bucket, 'gone'), 'and without doubt it is')
  }))

test('eight publishers and three prunes race while weeks pass: what a company names is there', () =>
  inBucket(async (first, _other, name) => {
    const texts = Array.from({ length: 10 }, (_, i) => `content ${i}`)
    const companies = ['acme', 'beta', 'gamma', 'delta']
    // From the beginning everything looks older than seven days.
    moved = 8 * DAY
    let asked = 0
    store.fail(() => {
      moved += ++asked % 400 === 0 ? 25 * HOUR : 10_000
      return false
    })
    const random = seeded(7)
    const outcomes = { published: 0, lost: 0, refused: 0, removed: 0 }
    /** Everything that a company names is there, unless it names other things by now. */
    const assertSound = async (bucket: Bucket, company: string): Promise<void> => {
      const held = await readHeld(bucket, company)
      for (const { Sha256 } of held?.object.Files ?? []) {
        if ((await bucket.head(objectKey(Sha256))) !== null) continue
        const now = await readHeld(bucket, company)
        assert.is.not(now?.tag, held?.tag, `${company} names an object that is gone`)
        return
      }
    }
    let publishing = true
    const publisher = async (company: string): Promise<void> => {
      const bucket = await open(name)
      for (let round = 0; round < 12; round++) {
        const some = texts.filter(() => random() < 0.15)
        try {
          outcomes[(await publish(bucket, company, some)) ? 'published' : 'lost']++
        } catch (problem) {
          if (!/run it again/.test((problem as Error).message)) throw problem
          outcomes.refused++
        }
        await assertSound(bucket, company)
      }
    }
    const pruner = async (): Promise<void> => {
      const bucket = await open(name)
      while (publishing) {
        try {
          // First awaited, then added: the other two count meanwhile.
          const { removed } = await sweep(bucket, NOTHING)
          outcomes.removed += removed.objects
        } catch (problem) {
          if (!/[Rr]un .*again/.test((problem as Error).message)) throw problem
        }
      }
    }
    const pruning = Promise.all([pruner(), pruner(), pruner()])
    const ends = await Promise.allSettled([...companies, ...companies].map(publisher))
    publishing = false
    await pruning
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    // Each prune of the race may have been refused: what nobody names goes at last.
    store.fail(null)
    moved += 8 * DAY
    outcomes.removed += (await sweep(first, NOTHING)).removed.objects
    for (const company of companies) await assertSound(first, company)
    assert.ok(outcomes.published > 10, JSON.stringify(outcomes))
    assert.ok(outcomes.removed > 0, JSON.stringify(outcomes))
  }))

/** A generator of numbers below 1, the same for a seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test.needs(missing)
