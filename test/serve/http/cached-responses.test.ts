/** Cached responses: nothing of them differs from what the endpoint answers, and nothing is refused by them. */
import { rmSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { ARROW_STREAM } from '../../../builder/contract/operations.ts'
import { suite } from '../../suite.ts'
import { publish } from '../companies/fixture.ts'
import { raw } from './client.ts'
import { type Stand, stand } from './stand.ts'

const ready = suite<{ it: Stand }>('ready')
ready.before.each(async (context) => {
  // Nothing is looked at again while a test runs, unless it moves the clock.
  context.it = await stand(undefined, { recheckMs: 120_000, rateLimit: { requests: 1000, seconds: 3600 } })
})
ready.after.each(async ({ it }) => it.close())

const PL = '/companies/acme/profit-loss?StartDate=2024-01-01&EndDate=2024-03-31&AccountingBasis=ACCRUAL'

/** All bytes of an answer but those that are its own: id, date, how many requests are left and for how long. */
async function bytesOf(
  it: Stand,
  headers: readonly string[] = [],
  target = PL,
  method = 'GET',
): Promise<string> {
  const lines = ['Host: x', 'Authorization: Bearer owner', ...headers, 'Connection: close']
  const text = await raw(it.port, `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return text
    .replace(/^Request-Id: [0-9a-f-]{36}\r$/m, 'Request-Id: own\r')
    .replace(/^Date: .*\r$/m, 'Date: own\r')
    .replace(/^RateLimit: "grant";r=\d+;t=\d+\r$/m, 'RateLimit: own\r')
}

/** Whether `ask` went the short way. */
async function isShort(it: Stand, ask: () => Promise<unknown>): Promise<boolean> {
  const before = it.longWays()
  await ask()
  return it.longWays() === before
}

ready('both ways give the same bytes and the same line of the log', async ({ it }) => {
  // A grant's first read pins its snapshot, and takes the long way for that.
  const etag = (await it.ask(PL, { headers: { 'Accept-Encoding': 'identity' } })).headers.get('etag')!
  for (const headers of [
    [],
    ['Accept-Encoding: gzip, br'],
    ['Accept-Encoding: gzip'],
    [`Accept: ${ARROW_STREAM}`],
    [`Accept: ${ARROW_STREAM}`, 'Accept-Encoding: br'],
    [`If-None-Match: ${etag}`],
  ]) {
    const long = await bytesOf(it, headers)
    assert.match(long, /^HTTP\/1\.1 (200|304) /)
    let short = ''
    assert.ok(await isShort(it, async () => (short = await bytesOf(it, headers))), headers.join())
    assert.is(short, long)
    const [a, b] = it.entries.slice(-2)
    assert.equal({ ...b, requestId: '', ms: 0 }, { ...a, requestId: '', ms: 0 })
    assert.is(b!.cached, true)
  }
})

ready('an answer that was only ever a 304 has no body to give', async ({ it }) => {
  const { headers } = await it.ask(PL, { headers: { 'Accept-Encoding': 'gzip' } })
  const question = ['Accept-Encoding: gzip, x-other']
  const validator = [...question, `If-None-Match: ${headers.get('etag')}`]
  await bytesOf(it, validator)
  assert.ok(await isShort(it, async () => assert.match(await bytesOf(it, validator), /^HTTP\/1\.1 304 /)))
  assert.not.ok(await isShort(it, async () => assert.match(await bytesOf(it, question), /^HTTP\/1\.1 200 /)))
  assert.ok(await isShort(it, () => bytesOf(it, question)))
  assert.ok(await isShort(it, async () => assert.match(await bytesOf(it, validator), /^HTTP\/1\.1 304 /)))
})

ready('whatever else is asked takes the long way', async ({ it }) => {
  await it.ask(PL)
  await bytesOf(it)
  const long = async (headers: string[], target = PL, method = 'GET') =>
    assert.not.ok(await isShort(it, () => bytesOf(it, headers, target, method)), headers.join())
  await long([], PL, 'HEAD')
  await long(['Accept: text/html', 'Accept: */*'])
  await long(['Accept-Encoding: gzip', 'Accept-Encoding: br'])
  await long(['Content-Length: 0'])
  await long([], `${PL}&ClassId=north`)
  await long(['Authorization: Bearer owner'])
  await long([], '/companies/acme/snapshots')
  await long([], '/companies/acme/snapshots')
})

ready('every form of If-None-Match means the same on both ways', async ({ it }) => {
  const plain = { 'Accept-Encoding': 'identity' }
  const etag = (await it.ask(PL, { headers: plain })).headers.get('etag')!
  const table: [string, number][] = [
    ['*', 304],
    [` ${etag} `, 304],
    [`W/${etag}`, 304],
    [`"another", W/"x", ${etag}`, 304],
    ['"another"', 200],
    [etag.slice(1, -1), 200],
    ['', 200],
  ]
  for (const [validator, status] of table) {
    const headers = ['Accept-Encoding: identity', `If-None-Match: ${validator}`]
    // A header that is given twice is left to the endpoint.
    const long = await bytesOf(it, [...headers, 'Accept: */*', 'Accept: */*'])
    assert.match(long, new RegExp(`^HTTP/1.1 ${status} `), validator)
    await bytesOf(it, ['Accept-Encoding: identity'])
    let short = ''
    assert.ok(await isShort(it, async () => (short = await bytesOf(it, headers))), validator)
    assert.is(short, long, validator)
  }
})

ready('two ids of a request are none', async ({ it }) => {
  await bytesOf(it, ['Request-Id: one'])
  assert.is(it.entries.at(-1)!.requestId, 'one')
  await bytesOf(it, ['Request-Id: one'])
  assert.is(it.entries.at(-1)!.requestId, 'one')
  await bytesOf(it, ['Request-Id: one', 'Request-Id: two'])
  assert.match(it.entries.at(-1)!.requestId, /^[0-9a-f-]{36}$/)
})

ready('who may not see the company learns nothing from what lies ready for others', async ({ it }) => {
  await it.ask(PL)
  assert.ok(await isShort(it, () => it.ask(PL)))
  const refused = async (token: string, path: string) => {
    const { status, json, headers } = await it.ask(path, { token })
    assert.is(headers.get('ratelimit'), null)
    return { status, json }
  }
  const none = PL.replace('acme', 'none')
  for (const token of ['stranger', 'nobody'])
    assert.equal(await refused(token, PL), await refused(token, none))
  assert.is((await it.ask(PL, { token: 'profile' })).status, 403)
  assert.is((await it.ask(PL, { token: 'unknown' })).status, 401)
  assert.is((await it.ask(PL, { token: null })).status, 401)
})

ready('what is withdrawn is withdrawn from the next answer on', async ({ it }) => {
  await it.ask(PL)
  assert.ok(await isShort(it, () => it.ask(PL)))
  const { owner } = it.grants
  it.grants.owner = { ...owner!, companies: ['bare'] }
  assert.is((await it.ask(PL)).status, 404)
  it.grants.owner = { ...owner!, scopes: new Set(['openid']) }
  assert.is((await it.ask(PL)).status, 403)
  delete it.grants.owner
  assert.is((await it.ask(PL)).status, 401)
  it.grants.owner = owner!
  assert.ok(await isShort(it, () => it.ask(PL)))
})

ready('a company that is taken away is gone', async ({ it }) => {
  await it.ask(PL)
  assert.ok(await isShort(it, () => it.ask(PL)))
  rmSync(`${it.root}/acme`, { recursive: true })
  it.advance(121)
  assert.is((await it.ask(PL)).status, 404)
  assert.is((await it.ask(PL)).status, 404)
})

ready('an end lets clients know on the short way too', async ({ it }) => {
  await it.ask(PL)
  const stopping = it.listening.stop({ noticeSeconds: 0.5, drainSeconds: 5 })
  assert.ok(await isShort(it, async () => assert.is((await it.ask(PL)).headers.get('connection'), 'close')))
  await stopping
})

const limits = suite('ready, limits')

limits('the rate limit counts both ways alike, and is refused by the long one', async () => {
  const it = await stand(undefined, { recheckMs: 120_000, rateLimit: { requests: 4, seconds: 3600 } })
  const left: (string | null)[] = []
  for (let i = 0; i < 4; i++) left.push((await it.ask(PL)).headers.get('ratelimit')?.slice(0, 12) ?? null)
  assert.equal(left, ['"grant";r=3;', '"grant";r=2;', '"grant";r=1;', '"grant";r=0;'])
  assert.is(it.longWays(), 1)
  for (let i = 0; i < 2; i++) {
    const { status, headers } = await it.ask(PL)
    assert.is(status, 429)
    assert.match(headers.get('retry-after')!, /^\d+$/)
  }
  assert.is((await it.ask(PL, { token: 'second' })).status, 200)
  await it.close()
})

limits('what lies ready takes up no room: it is answered while others have to wait', async () => {
  const it = await stand(undefined, { recheckMs: 120_000, load: { mostUnderWay: 1, mostWaiting: 0 } })
  await it.ask(PL)
  assert.ok(await isShort(it, () => it.ask(PL)))
  let finish = (_: Error): void => {}
  const asked = new Promise<void>((resolve) => {
    it.answerAdhoc(() => {
      resolve()
      return new Promise((_, reject) => {
        finish = reject
      })
    })
  })
  const long = it.ask(PL.replace('2024-01-01', '2024-01-02'))
  await asked
  assert.is((await it.ask('/companies/acme/snapshots')).status, 503)
  assert.ok(await isShort(it, async () => assert.is((await it.ask(PL)).status, 200)))
  finish(new Error('enough'))
  await long
  for (let i = 0; i < 3; i++)
    assert.ok(await isShort(it, async () => assert.is((await it.ask(PL)).status, 200)))
  await it.close()
})

limits('a sync keeps its snapshot, and who begins then reads the new one', async () => {
  const it = await stand(undefined, { recheckMs: 6000 })
  const idOf = async (token: string) => (await it.ask(PL, { token })).headers.get('snapshot-id')
  const old = await idOf('owner')
  assert.ok(await isShort(it, () => idOf('owner')))
  const next = publish(it.root, { id: 'acme', revision: 2, shift: 100, accounts: 250 })
  it.advance(7)
  assert.is(await idOf('owner'), old)
  // It began before, and is read by nobody else.
  assert.not.ok(await isShort(it, async () => assert.is(await idOf('owner'), old)))
  assert.is(await idOf('second'), next)
  assert.ok(await isShort(it, async () => assert.is(await idOf('second'), next)))
  it.advance(11)
  assert.is(await idOf('owner'), next)
  await it.close()
})
