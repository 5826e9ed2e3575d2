/** Overload and rate limits: bounded work, 503 and 429 with Retry-After, and a nightly sync that notices neither. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { workspaceSchema } from '../../../builder/workspace/workspace.ts'
import { Load } from '../../../serve/http/limits/load.ts'
import { suite } from '../../suite.ts'
import { requestsRead } from '../../support/requests-read.ts'
import { stand } from './stand.ts'

const load = suite('load')

const AD_HOC = (day: number): string =>
  `/companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-01-${String(day).padStart(2, '0')}&AccountingBasis=CASH`

load('H19: what is under way is bounded, a few wait, the rest is 503 with Retry-After', async () => {
  const it = await stand(undefined, { load: { mostUnderWay: 2, mostWaiting: 2, longestWaitMs: 60_000 } })
  const engine = it.holdAdhoc()
  const underWay = [it.ask(AD_HOC(10)), it.ask(AD_HOC(11))]
  await engine.asked(2)
  const waiting = [it.ask('/companies/acme/info'), it.ask('/nowhere')]
  const refused = await Promise.race([
    (async () => {
      // The two that wait may arrive after others: ask until both are in.
      for (;;) {
        const reply = await it.ask('/companies/acme/info')
        if (reply.status === 503) return reply
      }
    })(),
  ])
  assert.is(refused.json.code, 'overloaded')
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  // Whether the process lives and is ready can always be asked.
  assert.is((await it.ask('/healthz')).status, 200)
  assert.is((await it.ask('/readyz')).status, 200)
  engine.finish()
  assert.equal(
    (await Promise.all(underWay)).map(({ status }) => status),
    [500, 500],
  )
  assert.equal(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 404],
  )
  for (let i = 0; i < 10; i++) assert.is((await it.ask('/companies/acme/info')).status, 200)
  await it.close()
})

load('H19: nobody waits for ever, and who leaves gives up the place', async () => {
  const it = await stand(undefined, { load: { mostUnderWay: 1, mostWaiting: 1, longestWaitMs: 50 } })
  const engine = it.holdAdhoc()
  const underWay = it.ask(AD_HOC(10))
  await engine.asked(1)
  const first = await it.ask('/companies/acme/info')
  assert.is(first.status, 503)
  const request = 'GET /companies/acme/info HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n'
  for (let i = 0; i < 5; i++) {
    const lines = it.entries.length
    const socket = connect(it.port, '127.0.0.1')
    const read = requestsRead(1)
    socket.write(request)
    await read
    socket.destroy()
    while (it.entries.length === lines) await new Promise((resolve) => setImmediate(resolve))
  }
  engine.finish()
  assert.is((await underWay).status, 500)
  assert.is((await it.ask('/companies/acme/info')).status, 200)
  await it.close()
})

load('S1: one address takes a part of the room and of the queue; others are taken on beside it', async () => {
  const load = new Load({
    mostUnderWay: 3,
    mostUnderWayOfAddress: 2,
    mostWaiting: 3,
    mostWaitingOfAddress: 2,
    lagMs: () => 0,
  })
  const begun: string[] = []
  const refused: string[] = []
  const ask = (address: string, name: string): ServerResponse => {
    const res = new EventEmitter() as ServerResponse
    load.admit(
      res,
      address,
      () => begun.push(name),
      () => refused.push(name),
    )
    return res
  }
  const [a1] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask('a', name))
  assert.equal([begun, refused], [['a1', 'a2'], ['a5']])
  const b1 = ask('b', 'b1')
  ask('b', 'b2')
  ask('b', 'b3')
  assert.equal(
    [begun, refused],
    [
      ['a1', 'a2', 'b1'],
      ['a5', 'b3'],
    ],
  )
  // Whoever waits longest goes first, but not beyond the part of its address.
  b1.emit('prefinish')
  assert.equal(begun.slice(3), ['b2'])
  a1!.emit('prefinish')
  a1!.emit('close')
  assert.equal(begun.slice(4), ['a3'])
  assert.equal([load.underWay(), load.waiting()], [3, 1])
  load.close()
})

load('H19: an event loop that is late takes on nothing new', async () => {
  let lag = 0
  const it = await stand(undefined, { load: { lagMs: () => lag, greatestLagMs: 500 } })
  assert.is((await it.ask('/companies/acme/info')).status, 200)
  lag = 501
  assert.is((await it.ask('/companies/acme/info')).status, 503)
  assert.is((await it.ask('/healthz')).status, 200)
  lag = 499
  assert.is((await it.ask('/companies/acme/info')).status, 200)
  await it.close()
})

load('a client that leaves is no longer computed for, unless another waits for the same answer', async () => {
  const it = await stand()
  const signals: AbortSignal[] = []
  it.answerAdhoc(
    (_request, signal) =>
      new Promise((_, reject) => {
        signals.push(signal!)
        signal!.addEventListener('abort', () => reject(new Error('abandoned')))
      }),
  )
  const leave = async (path: string): Promise<() => void> => {
    const socket = connect(it.port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n`)
    return () => socket.destroy()
  }
  const first = await leave(AD_HOC(10))
  while (signals.length < 1) await new Promise((resolve) => setImmediate(resolve))
  const second = await leave(AD_HOC(10))
  while (it.asked() < 2) await new Promise((resolve) => setImmediate(resolve))
  first()
  while (!it.entries.some((entry) => entry.aborted)) await new Promise((resolve) => setImmediate(resolve))
  assert.is(signals[0]!.aborted, false)
  second()
  while (!signals[0]!.aborted) await new Promise((resolve) => setImmediate(resolve))
  assert.is(it.adhoc.length, 1)
  await it.close()
})

load('H15: beyond its rate a grant is 429 with Retry-After and RateLimit; other grants are not', async () => {
  const it = await stand(undefined, { rateLimit: { requests: 5, seconds: 600 } })
  for (let i = 4; i >= 0; i--) {
    const { status, headers } = await it.ask('/companies/acme/info')
    assert.is(status, 200)
    assert.is(headers.get('ratelimit-policy'), '"grant";q=5;w=600')
    assert.match(headers.get('ratelimit') ?? '', new RegExp(`^"grant";r=${i};t=\\d+$`))
  }
  // Another token of the grant changes nothing, nor does a company that may not be seen.
  for (const [token, path] of [
    ['owner', '/companies/acme/info'],
    ['again', '/companies/acme/info'],
    ['owner', '/companies/nowhere/info'],
  ] as const) {
    const { status, headers, json } = await it.ask(path, { token })
    assert.is(status, 429)
    assert.is(json.code, 'too-many-requests')
    assert.match(headers.get('retry-after') ?? '', /^([1-9]\d?|[1-5]\d\d|600)$/)
    assert.match(headers.get('ratelimit') ?? '', /^"grant";r=0;t=\d+$/)
  }
  assert.is((await it.ask('/companies/acme/info', { token: 'second' })).status, 200)
  assert.is((await it.ask('/companies/acme/info', { token: null })).status, 401)
  // A company that may not be seen is answered like one that does not exist, down to the headers.
  const unseen = await it.ask('/companies/other/info', { token: 'nobody' })
  assert.is(unseen.status, 404)
  assert.is(unseen.headers.get('ratelimit'), null)
  await it.close()
})

load('H15: the nightly sync of 100 companies stays below the default rate', async () => {
  const { server } = workspaceSchema.parse({})
  const lists = ['info', 'chart-of-accounts', 'budgets', 'classes', 'departments', 'non-financial-list']
  const statements = ['profit-loss', 'cash-flow-statement', 'balance-sheet']
  /** Unfiltered, ten classes, five departments, two budgets; each under both bases. */
  const filters = (1 + 10 + 5 + 2) * 2
  const perCompany = lists.length + 1 + statements.length * filters
  assert.ok(100 * perCompany < server.rateLimit.requests / 2)
  // One company of it, as fast as it can, against the default limits of everything.
  const it = await stand(undefined, { rateLimit: server.rateLimit })
  it.answerAdhoc(async () => Buffer.from('{}'))
  const ends = ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30']
  const asked = (i: number): string =>
    `StartDate=2024-01-01&EndDate=2025-${ends[i % 6]}&AccountingBasis=${i % 2 ? 'CASH' : 'ACCRUAL'}`
  const paths = [
    ...lists,
    ...statements.flatMap((route) => Array.from({ length: filters }, (_, i) => `${route}?${asked(i)}`)),
  ]
  const replies = await Promise.all(paths.map((path) => it.ask(`/companies/acme/${path}`)))
  for (const { status } of replies) assert.is(status, 200)
  await it.close()
})
