/**
 * Two servers on one database, as on two machines, with a proxy in front: what holds on one holds on the other.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { begin, printed, type Running, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { REMEMBERING } from '../support/passwords.ts'
import { freePort } from '../support/ports.ts'
import { missing, type Postgres, startPostgres } from '../support/postgres.ts'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'
import { until } from '../support/until.ts'
import { type BuiltWorkspace, builtWorkspace } from './http/workspace.ts'
import {
  authorizeUrl,
  Browser,
  connect,
  readPage,
  redeem,
  refreshWith,
  type TokenAnswer,
} from './oauth/harness.ts'

const LIMIT = 200
const test = suite('two servers on one database')
let postgres: Postgres
let proxy: RoundRobin
let built: BuiltWorkspace
let servers: Server[]

interface Server {
  readonly root: string
  readonly port: number
  readonly address: string
  running: Running
}

/** A folder as another machine has it: its own settings and access.yaml, and the published snapshots. */
async function machine(name: string, state: string): Promise<Server> {
  const root = join(built.workspace.root, name)
  mkdirSync(root)
  const port = await freePort()
  const server = `{ port: ${port}, issuer: "${proxy.address}", trustedProxies: 1, rateLimit: { requests: ${LIMIT}, seconds: 3600 } }`
  writeFileSync(
    join(root, 'tieout.yaml'),
    `snapshots: ${built.workspace.snapshots}\nstate: ${state}\nserver: ${server}\n`,
  )
  cpSync(built.workspace.access, join(root, 'access.yaml'))
  return { root, port, address: `http://127.0.0.1:${port}`, ...(await serve(root)) }
}
/** In an object, since a command that is awaited has ended. */
async function serve(root: string): Promise<{ readonly running: Running }> {
  const env = { ...postgres.stateEnv, ...REMEMBERING }
  const running = begin(['--json', 'serve', '--quiet'], { cwd: root, env })
  await printed(running, /^\}$/m)
  return { running }
}
const run = (...args: readonly string[]) => tieout(args, { cwd: servers[1]!.root, env: postgres.stateEnv })

test.before(async () => {
  postgres = await startPostgres()
  proxy = await startRoundRobin()
  built = await builtWorkspace()
  const state = await postgres.database('two')
  servers = await Promise.all(['one', 'two'].map((name) => machine(name, state)))
  proxy.servers = servers.map(({ port }) => port)
})
test.after(async () => {
  for (const { running } of servers) running.kill('SIGKILL')
  await proxy.close()
  await postgres.remove()
  built.remove()
})

const at = (i: number): string => servers[i % 2]!.address
const ask = (address: string, token: string, path = '/companies/acme/info'): Promise<Response> =>
  fetch(address + path, { headers: { authorization: `Bearer ${token}`, connection: 'close' } })
/** What each server answers. */
const statuses = async (token: string): Promise<number[]> =>
  Promise.all(servers.map(async ({ address }) => (await ask(address, token)).status))
/** Until they answer so: each server notices in its own time. */
const settles = (token: string, expected: readonly number[]): Promise<void> =>
  until(async () => assert.equal(await statuses(token), expected))
const times = <T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))
/** Signs in and consents through the proxy, so that no two requests reach the same server. */
const codeOf = async (): Promise<string> =>
  (await new Browser(proxy.address).allow(authorizeUrl(proxy.address), ['acme', 'solo'])).searchParams.get(
    'code',
  )!
const tokens = async () => connect({ issuer: proxy.address }, new Browser(proxy.address))
const grantOf = (access: string): string =>
  JSON.parse(Buffer.from(access.split('.')[1]!, 'base64url').toString()).gid
const assertUnavailable = (answer: { status: number; headers: Headers }, what: string): void => {
  assert.is(answer.status, 503, what)
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/, what)
}

test('a code is redeemed once, whichever server is asked, and its second use ends its grant on both', async () => {
  const code = await codeOf()
  const answers = await times(8, (i) => redeem(at(i), code))
  const good = answers.filter(({ status }) => status === 200)
  assert.is(good.length, 1)
  for (const { status, body } of answers) if (status !== 200) assert.is(body.error, 'invalid_grant')
  await settles(good[0]!.body.access_token, [401, 401])
})

test('20 refreshes at once on both have one successor; an older token ends the family on both', async () => {
  const { refresh } = await tokens()
  const answers = await times(20, (i) => refreshWith(at(i), refresh))
  assert.equal(
    answers.map(({ status }) => status),
    Array(20).fill(200),
  )
  assert.is(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
  const next = await refreshWith(at(0), answers[0]!.body.refresh_token)
  assert.equal(await statuses(next.body.access_token), [200, 200])
  assert.is((await refreshWith(at(1), refresh)).body.error, 'invalid_grant')
  await settles(next.body.access_token, [401, 401])
})

test('what an operator revokes is refused on both', async () => {
  const { access } = await tokens()
  assert.equal(await statuses(access), [200, 200])
  const listed = await run('grants', 'list', '--json')
  assert.match(listed.out, grantOf(access))
  assert.is((await run('grants', 'revoke', grantOf(access))).code, 0)
  await settles(access, [401, 401])
})

test('without users and clients in the database each machine has its own access.yaml, and says so', async () => {
  assert.match(
    (await run('state', 'access', '--to', 'kept.yaml')).err,
    /each machine has its own access\.yaml/,
  )
})

test('a company that is taken from a user, and a user who is removed, are gone on both, wherever the command ran', async () => {
  assert.match((await run('state', 'access', '--from', 'nowhere.yaml')).err, /there is no file nowhere\.yaml/)
  const put = await run('state', 'access', '--from', 'access.yaml')
  assert.is(put.code, 0, put.err)
  assert.match(put.out, /Put 1 user and 1 client into the database/)
  const { access_token: access, refresh_token: refresh } = (await redeem(at(0), await codeOf())).body
  const solo = async () => times(4, async (i) => (await ask(at(i), access, '/companies/solo/info')).status)
  assert.equal(await solo(), [200, 200, 200, 200])
  const taken = await run('user', 'set-companies', 'ann@example.com', 'acme')
  assert.is(taken.code, 0, taken.err)
  await until(async () => assert.equal(await solo(), [404, 404, 404, 404]))
  assert.equal(await statuses(access), [200, 200])

  const removed = await run('user', 'remove', 'ann@example.com')
  assert.is(removed.code, 0, removed.err)
  await settles(access, [401, 401])
  for (const { address } of servers)
    assert.is((await refreshWith(address, refresh)).body.error, 'invalid_grant', address)
  assert.match((await run('user', 'remove', 'ann@example.com')).err, /there is no user ann@example\.com/)
  const page = await new Browser(proxy.address).toConsent(authorizeUrl(proxy.address))
  assert.match(page.text, /do not match/)

  // As an editor would: all of it out, and all of it in again.
  assert.is((await run('state', 'access', '--to', 'kept.yaml')).code, 0)
  assert.not.match(readFileSync(join(servers[1]!.root, 'kept.yaml'), 'utf8'), /ann@example\.com/)
  assert.is((await run('state', 'access', '--from', 'access.yaml')).code, 0)
  await settles(access, [200, 200])
  assert.equal(await solo(), [200, 200, 200, 200])
})

test('the limit on requests of a grant is of each server', async () => {
  const { access } = await tokens()
  const all: number[] = []
  for (let i = 0; i <= LIMIT; i++) all.push((await ask(at(0), access)).status)
  assert.equal(all, [...Array.from({ length: LIMIT }, () => 200), 429])
  assert.is((await ask(at(1), access)).status, 200)
})

test('failed sign-ins are counted on both servers together', async () => {
  const login = async (i: number): Promise<number> => {
    const browser = new Browser(at(i))
    const location = (await browser.request('/account')).headers.get('location')!
    const page = await readPage(await browser.request(location.replace(proxy.address, '')))
    const form = { ...page.hidden, email: 'nobody@example.com', password: 'a wrong password' }
    return (await browser.post(page.action!, form)).status
  }
  const all: number[] = []
  for (let i = 0; i < 7; i++) all.push(await login(i))
  assert.equal(all, [400, 400, 400, 400, 400, 429, 429])
})

test('a server that is killed loses nothing that it promised; the other goes on, and so does its replacement', async () => {
  const { refresh } = await tokens()
  const [first] = servers
  const under = times(10, (i) => refreshWith(at(i), refresh).catch(() => null))
  first!.running.kill('SIGKILL')
  const answers = (await under).filter((answer): answer is TokenAnswer => answer?.status === 200)
  const promised = new Set(answers.map(({ body }) => body.refresh_token))
  assert.is(promised.size, 1)
  for (let i = 0; i < 4; i++) {
    const { access } = await tokens()
    assert.is((await ask(proxy.address, access)).status, 200, 'the proxy passes over the one that is gone')
  }
  first!.running = (await serve(first!.root)).running
  const again = await refreshWith(at(0), [...promised][0]!)
  assert.is(again.status, 200)
  assert.equal(await statuses(again.body.access_token), [200, 200])
})

test('without the database known grants are served for seconds, all else is 503 at once; then all goes on', async () => {
  const { access, refresh } = await tokens()
  const code = await codeOf()
  // The first answers choose a snapshot, which the servers tell each other.
  for (let i = 0; i < 4; i++) assert.equal(await statuses(access), [200, 200])
  await postgres.kill()
  try {
    assert.equal(await statuses(access), [200, 200], 'known a moment ago')
    for (const { address } of servers) {
      assertUnavailable(await refreshWith(address, refresh), 'refresh')
      assertUnavailable(await redeem(address, code), 'redeem')
    }
    // Each server by its own clock.
    await settles(access, [503, 503])
    for (const { address } of servers) assertUnavailable(await ask(address, access), 'data')
    assertUnavailable(await fetch(`${proxy.address}/account`), 'the page to sign in, to which this leads')
  } finally {
    await postgres.start()
  }
  await settles(access, [200, 200])
  assert.is((await redeem(at(0), code)).status, 200, 'it was not used up')
  const next = await refreshWith(at(1), refresh)
  assert.is(next.status, 200)
  assert.equal(await statuses(next.body.access_token), [200, 200])
})

test('a server without the key of the state, or with another one, does not start, and says why', async () => {
  const [{ root }] = servers as [Server]
  const { TIEOUT_STATE_KEY: _key, ...without } = postgres.stateEnv
  const start = (env: Readonly<Record<string, string>>) =>
    tieout(['serve', '--quiet', '--port', '0'], { cwd: root, env })
  const none = await start(without)
  assert.is(none.code, 1)
  assert.match(none.err, /TIEOUT_STATE_KEY is missing.*openssl rand -base64 32/s)
  const other = await start({ ...without, TIEOUT_STATE_KEY: Buffer.alloc(32, 8).toString('base64') })
  assert.is(other.code, 1)
  assert.match(other.err, /is not the key that sealed the keys in the database/)
})

test('a backup can be restored into another database; compromised keys end on both servers', async () => {
  const { access, refresh } = await tokens()
  const copy = join(built.workspace.root, 'copy')
  assert.is((await run('grants', 'backup', '--to', copy)).code, 0)
  const restored = await postgres.database('restored')
  const third = join(built.workspace.root, 'three')
  const port = await freePort()
  mkdirSync(third)
  cpSync(built.workspace.access, join(third, 'access.yaml'))
  writeFileSync(
    join(third, 'tieout.yaml'),
    `snapshots: ${built.workspace.snapshots}\nstate: ${restored}\nserver: { port: ${port}, issuer: "${proxy.address}" }\n`,
  )
  const inThird = (...args: string[]) => tieout(args, { cwd: third, env: postgres.stateEnv })
  assert.is((await inThird('state', 'restore', '--from', copy)).code, 0)
  assert.match((await inThird('state', 'restore', '--from', copy)).err, /the state is not empty/)
  assert.match((await inThird('grants', 'list', '--json')).out, grantOf(access))

  assert.is((await run('keys', 'rotate', '--compromised')).code, 0)
  await settles(access, [401, 401])
  for (const { address } of servers)
    assert.is((await refreshWith(address, refresh)).body.error, 'invalid_grant')

  const { running } = await serve(third)
  try {
    const at = `http://127.0.0.1:${port}`
    assert.is((await ask(at, access)).status, 200, 'the copy has the keys of before')
    assert.is((await refreshWith(at, refresh)).status, 200)
  } finally {
    running.kill('SIGKILL')
  }
})

test.needs(missing)
