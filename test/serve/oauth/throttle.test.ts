/** Checklist L5 (throttling of sign-ins) and L6 (whose address it is), without hashing a password. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as assert from 'uvu/assert'
import { workspaceSchema } from '../../../builder/workspace/workspace.ts'
import { createAddressOf, type TrustedProxies } from '../../../serve/http/request/client-address.ts'
import { OAUTH_RECORDS } from '../../../serve/oauth/state/records.ts'
import { openServerState, type ServerState } from '../../../serve/oauth/state/server-state.ts'
import { createThrottle, type Throttle } from '../../../serve/oauth/state/throttle.ts'
import { suite } from '../../suite.ts'
import { isShared, stateOf } from '../../support/state.ts'

const test = suite('throttle')

/** The library reads the clock of the process. */
const real = Date.now
let now = 0
test.before.each(() => {
  now = real()
  Date.now = () => now
})
test.after.each(async () => {
  Date.now = real
  await state?.close()
  state = null
})

let state: ServerState | null = null
let made = 0
/** As a server has it: in memory, or in its database. */
async function emptyThrottle(): Promise<Throttle> {
  if (!isShared) return createThrottle()
  state = await openServerState(await stateOf(`throttle-${++made}`), OAUTH_RECORDS)
  return state.throttle
}
const wait = (seconds: number): void => {
  now += seconds * 1000
}
const tries = async (throttle: Throttle, count: number, address: string, account: string) => {
  const answers = []
  for (let i = 0; i < count; i++) answers.push(await throttle.attempt(address, account))
  return answers
}
const FREE = [0, 0, 0, 0, 0]

test('L5 pauses grow from ten seconds to a quarter of an hour, and each ends by itself', async () => {
  const throttle = await emptyThrottle()
  const pauses = []
  for (let i = 0; i < 9; i++) {
    assert.equal(await tries(throttle, 5, 'a', 'ann'), FREE, String(i))
    const pause = await throttle.attempt('a', 'ann')
    pauses.push(pause)
    wait(pause - 1)
    assert.is(await throttle.attempt('a', 'ann'), 1)
    // Longer than the window in which tries of one address add up.
    wait(15 * 60)
  }
  assert.equal(pauses, [10, 20, 40, 80, 160, 320, 640, 900, 900])
})

test('S6 a try that nobody had time to look at counts nowhere', async () => {
  const throttle = await emptyThrottle()
  for (let i = 0; i < 200; i++) {
    assert.is(await throttle.attempt('a', 'ann'), 0, String(i))
    await throttle.notTried('a', 'ann')
  }
  // Neither did it take away from what a guess costs.
  assert.equal(await tries(throttle, 5, 'a', 'ann'), FREE)
  assert.ok((await throttle.attempt('a', 'ann')) > 0)
})

test('L5 of a burst no more than five tries get through', async () => {
  const throttle = await emptyThrottle()
  const answers = await Promise.all(Array.from({ length: 25 }, () => throttle.attempt('a', 'ann')))
  assert.is(answers.filter((seconds) => seconds === 0).length, 5)
})

test('L5 the case of an address makes no second account', async () => {
  const throttle = await emptyThrottle()
  await tries(throttle, 5, 'a', 'ann@example.com')
  assert.ok((await throttle.attempt('a', ' ANN@example.com ')) > 0)
})

test('L5 one address that tries many accounts has to wait, and leaves others alone', async () => {
  const throttle = await emptyThrottle()
  const answers = []
  for (let i = 0; i < 31; i++) answers.push(await throttle.attempt('a', `user${i}`))
  assert.equal(answers, [...Array(30).fill(0), 10])
  assert.is(await throttle.attempt('b', 'user1'), 0)
})

test('L5 many addresses that try one account have to wait; its owner, where known, does not', async () => {
  const throttle = await emptyThrottle()
  assert.is(await throttle.attempt('home', 'ann'), 0)
  await throttle.succeeded('home', 'ann')
  const answers = []
  for (let i = 0; i < 101; i++) answers.push(await throttle.attempt(`bot${i}`, 'ann'))
  assert.equal(answers, [...Array(100).fill(0), 10])
  assert.is(await throttle.attempt('home', 'ann'), 0)
  wait(10)
  assert.is(await throttle.attempt('new', 'ann'), 0)
})

test('L5 a right password forgets the wrong ones before it, and is not held against its address', async () => {
  const throttle = await emptyThrottle()
  for (let i = 0; i < 50; i++) {
    assert.equal(await tries(throttle, 1, 'office', `user${i}`), [0])
    await throttle.succeeded('office', `user${i}`)
  }
  await tries(throttle, 4, 'office', 'ann')
  assert.is(await throttle.attempt('office', 'ann'), 0)
  await throttle.succeeded('office', 'ann')
  assert.equal(await tries(throttle, 5, 'office', 'ann'), FREE)
})

/** What the server takes for the address of a client that wrote `header`. */
async function addressFor(trusted: TrustedProxies, header?: string): Promise<string> {
  const addressOf = createAddressOf(trusted)
  const http = createServer((req, res) => res.end(addressOf(req)))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  try {
    return await new Promise((resolve, reject) => {
      const headers = header === undefined ? {} : { 'x-forwarded-for': header }
      const { port } = http.address() as AddressInfo
      request({ port, host: '127.0.0.1', headers, agent: false }, (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve(text))
      })
        .on('error', reject)
        .end()
    })
  } finally {
    await new Promise((resolve) => http.close(resolve))
  }
}

test('L6 the address is that of the last hop that is trusted to name it', async () => {
  const cases: [TrustedProxies, string | undefined, string][] = [
    [0, undefined, '127.0.0.1'],
    [0, '203.0.113.1', '127.0.0.1'],
    [1, undefined, '127.0.0.1'],
    [1, '203.0.113.1', '203.0.113.1'],
    [1, '198.51.100.66, 203.0.113.1', '203.0.113.1'],
    [2, '198.51.100.66, 203.0.113.1, 10.0.0.1', '203.0.113.1'],
    // Around the outer proxy: then the header is not to be believed.
    [2, '198.51.100.66', '127.0.0.1'],
    [1, 'unknown', '127.0.0.1'],
    [1, '203.0.113.1:4711', '203.0.113.1'],
    [1, '[2001:db8:0:7::1]:4711', '2001:db8:0:7::/64'],
    [1, '2001:DB8::1', '2001:db8:0:0::/64'],
    [1, '::ffff:203.0.113.1', '203.0.113.1'],
    [[], '203.0.113.1', '127.0.0.1'],
    [['127.0.0.1'], '198.51.100.66, 203.0.113.1', '203.0.113.1'],
    [['127.0.0.0/8', '10.0.0.0/8'], '198.51.100.66, 203.0.113.1, 10.1.2.3', '203.0.113.1'],
    [['192.0.2.1'], '203.0.113.1', '127.0.0.1'],
    [['127.0.0.1', '2001:db8::/32'], '203.0.113.1, 2001:db8::5', '203.0.113.1'],
    [['127.0.0.1'], 'nonsense', '127.0.0.1'],
  ]
  for (const [trusted, header, expected] of cases)
    assert.is(await addressFor(trusted, header), expected, JSON.stringify([trusted, header]))
})

test('L6 trusted proxies are a number or a list of addresses, and none unless they are named', () => {
  const parse = (trustedProxies: unknown) =>
    workspaceSchema.safeParse({ server: { trustedProxies } }).data?.server.trustedProxies
  assert.is(workspaceSchema.parse({}).server.trustedProxies, 0)
  for (const good of [0, 2, [], ['10.0.0.1'], ['10.0.0.0/8', '::1', '2001:db8::/32']])
    assert.equal(parse(good), good)
  for (const bad of [-1, 1.5, 9, true, '1', ['proxy.example'], ['10.0.0.0/33'], ['10.0.0.1:80'], 'loopback'])
    assert.is(parse(bad), undefined, JSON.stringify(bad))
})
