/** What `tieout doctor` says of buckets: that they do what is needed, or how to mend what they do not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { checkBucket } from '../../builder/snapshot/places/bucket/checks.ts'
import { checksOf } from '../../builder/workspace/check.ts'
import { inFolder, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { type Fault, missing, type Store, startStore } from '../support/s3.ts'

const test = suite('checks of a bucket')
let store: Store
test.before(async () => {
  store = await startStore()
})
test.after(() => store.stop())
test.after.each(() => store.fail(null))

const checked = async (fault: Fault | null) => {
  const bucket = await store.open(await store.bucket())
  const checks = checksOf('snapshots')
  store.fail(fault)
  await checkBucket(bucket, checks)
  store.fail(null)
  for await (const { key } of bucket.list('')) assert.unreachable(`${key} was left`)
  return checks.all
}
const outcomes = async (fault: Fault | null): Promise<string[]> =>
  (await checked(fault)).map(({ what, outcome }) => `${what}: ${outcome}`)

/** As a store whose clock is wrong: it tells when an object was written. */
const shifted =
  (seconds: number): Fault =>
  (asked, response) => {
    if (asked.method !== 'HEAD') return false
    asked.resume()
    const written = new Date(Date.now() + seconds * 1000)
    response.writeHead(200, { 'last-modified': written.toUTCString(), 'content-length': '1', etag: '"1"' })
    response.end()
    return true
  }

test('a bucket that does what is needed', async () => {
  assert.equal(await outcomes(null), ['answers: holds', 'conditional writes: holds', 'clock: holds'])
})

test('a clock that is wrong by minutes is told, and one by more than S3 allows fails', async () => {
  assert.is((await outcomes(shifted(30)))[2], 'clock: holds')
  assert.is((await outcomes(shifted(-300)))[2], 'clock: warning')
  assert.is((await outcomes(shifted(3600)))[2], 'clock: fails')
})

test('what does not hold is told with a remedy', async () => {
  const unconditional = await checked((asked) => {
    delete asked.headers['if-match']
    return false
  })
  assert.match(unconditional[1]!.found, /does not keep the condition If-Match/)
  assert.match(unconditional[1]!.remedy!, /name a store that keeps the conditions/)
  const readOnly = await checked((asked, response) => {
    if (asked.method === 'GET') return false
    asked.resume()
    response.writeHead(403, { 'content-type': 'application/xml' })
    response.end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>')
    return true
  })
  assert.match(readOnly[1]!.found, /the credentials need s3:GetObject, s3:PutObject/)
  assert.equal(
    readOnly.map(({ outcome }) => outcome),
    ['holds', 'fails'],
  )
})

test('"tieout doctor" asks the bucket of tieout.yaml', () =>
  inFolder(async (root) => {
    const doctor = async (bucket: string, endpoint: string) => {
      writeFileSync(
        join(root, 'tieout.yaml'),
        `snapshots: { bucket: "s3://${bucket}/books", endpoint: "${endpoint}" }\n`,
      )
      return tieout(['doctor'], { cwd: root, env: store.env })
    }
    const sound = await doctor(await store.bucket(), store.endpoint)
    assert.is(sound.code, 0, sound.out + sound.err)
    assert.match(sound.out, /snapshots +answers +holds +s3:\S+, with snapshots of 0 companies/)
    assert.match(sound.out, /conditional writes +holds/)
    const absent = await doctor('no-such-bucket', store.endpoint)
    assert.is(absent.code, 1)
    assert.match(absent.out.replace(/\s+/g, ' '), /no bucket of this name; create it/)
    const silent = await doctor('books', 'http://127.0.0.1:9')
    assert.match(silent.out.replace(/\s+/g, ' '), /nothing listens there/)
  }))

test.needs(missing)
