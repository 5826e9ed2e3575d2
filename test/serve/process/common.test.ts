/** What all processes of a server have in common: each test spreads its requests over them, by new connections. */
import { connect as connectTo, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tieout } from '../../cli/command.ts'
import { soon } from '../../support/state.ts'
import { authorizeUrl, Browser, PASSWORD, postToken, REDIRECT_URI } from '../oauth/harness.ts'
import { fresh, type Served, served, severalOf } from './served.ts'

const LIMIT = 60
const test = suite<{ server: Served }>('several processes')
test.before(async (context) => {
  context.server = await served(3, `rateLimit: { requests: ${LIMIT}, seconds: 3600 }`)
})
test.after(async ({ server }) => {
  assert.is(await server.end(), 0)
  server.built.remove()
})

/** Each request on a connection of its own. */
class FreshBrowser extends Browser {
  override request(url: string, init: RequestInit = {}): Promise<Response> {
    return super.request(url, { ...init, headers: { ...(init.headers as object), connection: 'close' } })
  }
}

const CLOSE = { connection: 'close' }
const times = <T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))

const codeOf = async ({ address }: Served, companies = ['acme', 'solo']): Promise<string> =>
  (await new FreshBrowser(address).allow(authorizeUrl(address), companies)).searchParams.get('code')!
const redeem = ({ address }: Served, code: string) =>
  postToken(address, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }, CLOSE)
const refresh = ({ address }: Served, refresh_token: string) =>
  postToken(address, { grant_type: 'refresh_token', refresh_token }, CLOSE)
const ask = ({ address }: Served, token: string, path = '/companies/acme/info') =>
  fresh(address + path, { headers: { authorization: `Bearer ${token}` } })
const connected = async (server: Served): Promise<{ access_token: string; refresh_token: string }> =>
  (await redeem(server, await codeOf(server))).body

/** Lines of answers on that route, once there are `count` more of them than when this was called. */
function answersOf(server: Served, route: string, count: number) {
  const is = (line: { event: string; route?: string }) => line.event === 'request' && line.route === route
  const before = server.lines.filter(is).length
  return async () => (await server.seen(is, before + count)).slice(before)
}

test('a code is redeemed once, whichever processes are asked, and its second use ends its grant in all', async ({
  server,
}) => {
  const code = await codeOf(server)
  const lines = answersOf(server, '/oauth2/token', 9)
  const answers = await times(9, () => redeem(server, code))
  const good = answers.filter(({ status }) => status === 200)
  assert.is(good.length, 1)
  for (const { status, body } of answers) if (status !== 200) assert.is(body.error, 'invalid_grant')
  severalOf(await lines())
  await soon(async () => {
    const statuses = await times(6, async () => (await ask(server, good[0]!.body.access_token)).status)
    assert.equal(statuses, [401, 401, 401, 401, 401, 401])
  })
})

test('a refresh family has one successor in all processes, and reuse ends it in all', async ({ server }) => {
  const first = await connected(server)
  const lines = answersOf(server, '/oauth2/token', 12)
  const answers = await times(12, () => refresh(server, first.refresh_token))
  assert.equal(
    answers.map(({ status }) => status),
    Array(12).fill(200),
  )
  severalOf(await lines())
  assert.is(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
  const { body: next } = await refresh(server, answers[0]!.body.refresh_token)
  await times(3, async () => assert.is((await ask(server, next.access_token)).status, 200))
  assert.is((await refresh(server, first.refresh_token)).body.error, 'invalid_grant')
  const asked = answersOf(server, '/companies/{CompanyId}/info', 6)
  await soon(async () => {
    const statuses = await times(6, async () => (await ask(server, next.access_token)).status)
    assert.equal(statuses, Array(6).fill(401))
  })
  severalOf(await asked())
})

test('a session holds in all processes, and so does signing out', async ({ server }) => {
  const browser = new FreshBrowser(server.address)
  await browser.allow(authorizeUrl(server.address))
  const lines = answersOf(server, '/account', 6)
  const pages = await times(6, async () => (await browser.request('/account')).status)
  assert.equal(pages, Array(6).fill(200))
  severalOf(await lines())
  const stolen = new FreshBrowser(server.address)
  for (const [name, value] of browser.cookies) stolen.cookies.set(name, value)
  const text = await (await browser.request('/account')).text()
  const form = /<form method="post" action="([^"]*sign-out)"[^>]*>([\s\S]*?)<\/form>/.exec(text)
  assert.ok(form, text)
  const hidden = [...form[2]!.matchAll(/name="(\w+)" value="([^"]*)"/g)]
  await browser.post(form[1]!, Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])))
  await soon(async () => {
    const after = await times(6, async () => (await stolen.request('/account')).status)
    assert.equal(after, Array(6).fill(303))
  })
})

test('exactly as many requests of a grant are answered as one process would answer', async ({ server }) => {
  const { access_token } = await connected(server)
  const lines = answersOf(server, '/companies/{CompanyId}/info', 3 * LIMIT)
  const answers = await times(3 * LIMIT, () => ask(server, access_token))
  const good = answers.filter(({ status }) => status === 200)
  assert.is(good.length, LIMIT)
  const refused = answers.filter(({ status }) => status === 429)
  assert.is(refused.length, 2 * LIMIT)
  assert.match(refused[0]!.headers.get('ratelimit')!, /^"grant";r=0;t=\d+$/)
  severalOf((await lines()).filter(({ status }) => status === 200))
})

test('requests of one process after the other use up what another had borrowed', async ({ server }) => {
  const { access_token } = await connected(server)
  const lines = answersOf(server, '/companies/{CompanyId}/info', LIMIT + 3)
  const statuses: number[] = []
  for (let i = 0; i < LIMIT + 3; i++) statuses.push((await ask(server, access_token)).status)
  assert.equal(statuses, [...Array(LIMIT).fill(200), 429, 429, 429])
  severalOf((await lines()).filter(({ status }) => status === 200))
})

test('a pin that one process made holds in all', async ({ server }) => {
  const { access_token } = await connected(server)
  const before = (await ask(server, access_token)).headers.get('snapshot-id')
  server.built.write('datasets/acme/metrics.csv', 'metric,date,value\nheadcount,2024-01-31,99\n')
  const published = await server.built.build('acme')
  assert.is.not(published, before)
  // Each process has noticed it, since whoever was not reading gets it.
  const other = await connected(server)
  await server.seen((line) => line.event === 'snapshot-current' && line.snapshotId === published, 1)
  for (let i = 0; i < 3; i++)
    while (
      (await ask(server, (await connected(server)).access_token)).headers.get('snapshot-id') === before
    ) {}
  const lines = answersOf(server, '/companies/{CompanyId}/info', 6)
  const read = await times(6, async () => (await ask(server, access_token)).headers.get('snapshot-id'))
  assert.equal(read, Array(6).fill(before))
  severalOf(await lines())
  const others = await times(6, async () =>
    (await ask(server, other.access_token)).headers.get('snapshot-id'),
  )
  assert.is(new Set(others).size, 1, 'a grant never reads a mixture')
})

test('a grant that the command revokes is refused by all processes', async ({ server }) => {
  const { access_token } = await connected(server)
  await times(6, async () => assert.is((await ask(server, access_token)).status, 200))
  const { grant } = server.lines.findLast(({ event }) => event === 'grant-begun')!
  const { code, err } = await tieout(['grants', 'revoke', grant], { cwd: server.built.workspace.root })
  assert.is(code, 0, err)
  const lines = answersOf(server, '/companies/{CompanyId}/info', 9)
  await soon(async () => {
    const statuses = await times(9, async () => (await ask(server, access_token)).status)
    assert.equal(statuses, Array(9).fill(401))
  })
  severalOf(await lines())
})

test('wrong passwords are counted by all processes together, and the right one waits too', async ({
  server,
}) => {
  const lines = answersOf(server, '/oauth2/login', 16)
  const said: string[] = []
  for (let i = 0; i < 8; i++) {
    // A sign-in is three requests, so that each would come to the same one of three processes.
    await fresh(`${server.address}/healthz`)
    const page = await new FreshBrowser(server.address).toConsent(
      authorizeUrl(server.address),
      'nobody@example.com',
      i < 7 ? 'a wrong password' : PASSWORD,
    )
    said.push(/do not match|Too many attempts/.exec(page.text)?.[0] ?? page.text)
  }
  assert.equal(said, [...Array(5).fill('do not match'), ...Array(3).fill('Too many attempts')])
  severalOf((await lines()).filter(({ method }) => method === 'POST'))
})

test('other ranges are computed by one engine, whichever process is asked', async ({ server }) => {
  const { access_token } = await connected(server)
  const route = '/companies/{CompanyId}/profit-loss'
  const lines = answersOf(server, route, 12)
  const range = (i: number) =>
    `StartDate=2024-01-0${1 + (i % 6)}&EndDate=2024-03-1${i % 9}&AccountingBasis=ACCRUAL`
  const answers = await times(12, (i) => ask(server, access_token, `/companies/acme/profit-loss?${range(i)}`))
  for (const answer of answers) assert.is(answer.status, 200, await answer.text())
  severalOf(await lines())
  const engines = server.lines.filter(({ event }) => event === 'adhoc-started')
  assert.is(engines.length, 1)
  assert.is(engines[0]!.process, server.command.pid)
  const bad = await ask(server, access_token, `/companies/acme/profit-loss?${range(0)}&ClassId=nowhere`)
  assert.is(bad.status, 404)
})

test('metrics are those of all processes, and readiness is that of the whole', async ({ server }) => {
  const route = 'route="/openapi.json"'
  const before = await server.metric('http_requests_total', route)
  const lines = answersOf(server, '/openapi.json', 30)
  await times(30, async () => (await fresh(`${server.address}/openapi.json`)).text())
  severalOf(await lines())
  assert.is(await server.metric('http_requests_total', route), before + 30)
  assert.is(await server.metric('tieout_company_available'), 2)
  assert.is(await server.metric('tieout_snapshot_info', 'company="solo"'), 1)
  for (const port of [server.port, server.adminPort])
    assert.equal(await (await fresh(`http://127.0.0.1:${port}/readyz`)).json(), { status: 'ready' })
})

test('the connections of an address are counted over all processes, and those that close make room', async ({
  server,
}) => {
  const MOST = 1024
  const open = new Set<Socket>()
  const opened = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connectTo(server.port, '127.0.0.1', () => resolve(socket))
      open.add(socket)
      socket.on('error', () => {})
      socket.resume()
      socket.once('close', () => open.delete(socket))
    })
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const alive = (socket: Socket): Promise<string> =>
    new Promise((resolve) => {
      socket.once('data', (bytes) => resolve(String(bytes).slice(0, 12)))
      socket.once('close', () => resolve('closed'))
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    })
  const refused = server.seen(({ event }) => event === 'connections-refused')
  await times(MOST + 50, opened)
  // Connections of earlier tests may be there yet; they close by themselves.
  await until(() => open.size <= MOST)
  assert.is((await refused)[0]!.process, server.command.pid)
  assert.ok(open.size > MOST - 40, `${open.size} are left`)
  const [first, ...rest] = [...open]
  assert.is(await alive(first!), 'HTTP/1.1 200')
  for (const socket of rest.slice(0, 100)) socket.destroy()
  // Those that closed are told of before it comes.
  let answer = 'closed'
  while (answer === 'closed') answer = await alive(await opened())
  assert.is(answer, 'HTTP/1.1 200')
  for (const socket of open) socket.destroy()
})

test.run()
