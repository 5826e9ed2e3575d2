/** The whole server: built snapshots, the real OAuth flow, the real ad-hoc engine, and its end by signal. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { BASES, STATEMENTS } from '../../../builder/contract/vocabulary.ts'
import { readPointer } from '../../../builder/snapshot/files/open.ts'
import { AdhocPool } from '../../../serve/companies/adhoc-pool.ts'
import { type LogEntry, type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { CHILD_OPTIONS } from '../../support/child.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  authorizeUrl,
  Browser,
  PASSWORD,
  REDIRECT_URI,
  redeem,
  refreshWith,
  SECRET,
} from '../oauth/harness.ts'
import { type Client, client } from './client.ts'
import { query, ROUTES, readCompany } from './reading-client.ts'
import { type BuiltWorkspace, builtWorkspace, ledger } from './workspace.ts'

interface Context {
  built: BuiltWorkspace
  running: RunningServer
  log: LogEntry[]
  ask: Client
  token: string
  refresh: string
}
const server = suite<Context>('server')
rememberPasswords(server)

const FILTERS: [string | null, string | null][] = [
  [null, null],
  ['north', null],
  ['N/1', 'ops'],
  ['unassigned', null],
  [null, 'unassigned'],
  ['south', 'unassigned'],
]

server.before(async (context) => {
  context.built = await builtWorkspace()
  context.log = []
  context.running = await startServer(context.built.workspace, { log: (entry) => context.log.push(entry) })
  const back = await new Browser(context.running.address).allow(authorizeUrl(context.running.address), [
    'acme',
    'solo',
  ])
  const { body } = await redeem(context.running.address, back.searchParams.get('code')!)
  context.token = body.access_token
  context.refresh = body.refresh_token
  context.ask = client(context.running.address, context.token)
})
server.after(async ({ running, built }) => {
  await running.close()
  built.remove()
})

server(
  'C6 C7: a client that knows only the address reads all fourteen endpoints',
  async ({ ask, running }) => {
    const discovery = await ask('/auth/oauth-discovery', { token: null })
    assert.is(discovery.json.issuer, running.address)
    const mirror = (await (
      await fetch(`${running.address}/.well-known/oauth-authorization-server`)
    ).json()) as object
    assert.equal({ ...mirror, ...discovery.json }, mirror)
    const { json: user } = await ask('/oauth2/user-info')
    assert.equal(
      user.CompanyDetails.map(({ Id, Name }: Record<string, string>) => [Id, Name]),
      [
        ['acme', 'Acme Trading'],
        ['solo', 'Solo & Daughter'],
      ],
    )
    for (const company of user.CompanyDetails) await readCompany(ask, company)
  },
)

server('budgets are answered under both bases, even where the books have one', async ({ ask }) => {
  const range = { StartDate: '2025-01-01', EndDate: '2025-03-31', AccountingBasis: 'CASH' }
  const cash = await ask(`/companies/acme/profit-loss?${query({ ...range, BudgetId: 'op 25/ö' })}`)
  assert.is(cash.json.BasisSource, 'Budget')
  const sales = cash.json.Data.find((row: { AccountId: string }) => row.AccountId === '4000')
  assert.equal(sales.Values, [1000.5, null, 1200])
  assert.is((await ask(`/companies/solo/profit-loss?${query(range)}`)).status, 422)
})

server('a company without classes: unassigned is everything, and JPY has no decimals', async ({ ask }) => {
  const range = { StartDate: '2024-01-01', EndDate: '2024-02-29', AccountingBasis: 'ACCRUAL' }
  const all = await ask(`/companies/solo/profit-loss?${query(range)}`)
  const unassigned = await ask(`/companies/solo/profit-loss?${query({ ...range, ClassId: 'unassigned' })}`)
  assert.is(unassigned.text, all.text.replace('"ClassId":null', '"ClassId":"unassigned"'))
  assert.match(all.text, '"Values":[170001,170149]')
})

server('for the same parameters, the engine and the snapshot give the same bytes', async ({ ask, built }) => {
  const root = built.workspace.snapshots
  const pointer = (await readPointer(root, 'acme'))!
  const engine = new AdhocPool()
  const place = {
    snapshotsRoot: root,
    company: 'acme',
    snapshotId: pointer.SnapshotId,
    manifestSha256: pointer.ManifestSha256,
  }
  const ranges = [
    ['2024-01-01', '2025-06-30'],
    ['2024-02-01', '2024-12-31'],
    ['2020-05-05', '2024-03-31'],
    ['2030-01-02', '2030-01-03'],
  ] as const
  for (const statement of STATEMENTS)
    for (const basis of BASES)
      for (const [classId, departmentId] of FILTERS)
        for (const budgetId of [null, 'op 25/ö'])
          for (const [startDate, endDate] of ranges) {
            const asked = {
              StartDate: startDate,
              EndDate: endDate,
              AccountingBasis: basis,
              BudgetId: budgetId,
              ClassId: classId,
              DepartmentId: departmentId,
            }
            const { text } = await ask(`/companies/acme/${ROUTES[statement]}?${query(asked)}`)
            const scope = { statement, basis, budgetId, classId, departmentId, startDate, endDate }
            const body = await engine.answer({ ...place, query: { kind: 'statement', ...scope } })
            assert.is(body.toString(), text, query(asked))
          }
  for (const [classId, departmentId] of FILTERS)
    for (const [startDate, endDate] of ranges) {
      const scope = { budgetId: null, classId, departmentId, startDate, endDate }
      const { text } = await ask('/companies/acme/non-financial', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          NonFinancialIds: ['units', 'headcount'],
          StartDate: startDate,
          EndDate: endDate,
          ClassId: classId,
          DepartmentId: departmentId,
        }),
      })
      const body = await engine.answer({
        ...place,
        query: { kind: 'metrics', metricIds: ['units', 'headcount'], ...scope },
      })
      assert.is(body.toString(), text)
    }
  await engine.close()
})

server('the parts of a month add up to the month, whoever computes them', async ({ ask, log }) => {
  const sales = async (StartDate: string, EndDate: string, ClassId: string | null): Promise<number> => {
    const asked = { StartDate, EndDate, AccountingBasis: 'ACCRUAL', ClassId }
    const { json } = await ask(`/companies/acme/profit-loss?${query(asked)}`)
    return json.Summary[0].Values[0]
  }
  for (const classId of [null, 'north', 'south']) {
    const whole = await sales('2024-03-01', '2024-03-31', classId)
    const parts = [
      await sales('2024-03-01', '2024-03-10', classId),
      await sales('2024-03-11', '2024-03-31', classId),
    ]
    assert.is(Math.round((parts[0]! + parts[1]!) * 100), Math.round(whole * 100))
  }
  assert.is(log.filter(({ event }) => event === 'adhoc-started').length, 1)
})

server(
  'a new snapshot is served without a restart; a grant in mid-sync keeps the old one',
  async ({ ask, built, running, refresh }) => {
    const before = (await ask('/companies/solo/info')).headers.get('snapshot-id')
    built.write('datasets/solo/accrual.csv', ledger(0, 500).replace(/,(N\/1|north|south)?,(ops)?$/gm, ',,'))
    const next = await built.build('solo')
    const back = await new Browser(running.address).allow(authorizeUrl(running.address), ['solo'])
    const { body } = await redeem(running.address, back.searchParams.get('code')!)
    const fresh = client(running.address, body.access_token)
    const path = `/companies/solo/profit-loss?${query({ StartDate: '2024-01-01', EndDate: '2024-01-31', AccountingBasis: 'ACCRUAL' })}`
    const seen = await fresh(path)
    assert.is(seen.headers.get('snapshot-id'), next)
    assert.is(seen.json.Data[0].Values[0], 170_501)
    assert.is((await ask(path)).headers.get('snapshot-id'), before)
    assert.is((await ask(`${path}&SnapshotId=${next}`)).headers.get('snapshot-id'), next)
    // A refresh in mid-sync changes the token, not the grant.
    const refreshed = await refreshWith(running.address, refresh)
    const renewed = client(running.address, refreshed.body.access_token)
    assert.is((await renewed(path)).headers.get('snapshot-id'), before)
    // Consent was given for one company only.
    assert.is((await fresh('/companies/acme/info')).status, 404)
  },
)

server(
  'H3 H16: a method that an OAuth endpoint does not have is 405 with Allow, in the form of RFC 6749',
  async ({ running }) => {
    for (const [method, path, allow] of [
      ['POST', '/auth/oauth-discovery', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/oauth2/token', 'POST, OPTIONS'],
      ['GET', '/oauth2/token', 'POST, OPTIONS'],
      ['PUT', '/oauth2/user-info', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const response = await fetch(`${running.address}${path}`, { method })
      assert.is(response.status, 405, path)
      assert.is(response.headers.get('allow'), allow)
      assert.is(((await response.json()) as { error: string }).error, 'invalid_request')
    }
    const head = await fetch(`${running.address}/auth/oauth-discovery`, { method: 'HEAD' })
    assert.is(head.status, 200)
    assert.is(await head.text(), '')
  },
)

server('S14: without access.yaml nobody is signed in; one that cannot be read is 503', async (context) => {
  const { ask, built, running, log, refresh } = context
  const path = built.workspace.access
  const access = readFileSync(path, 'utf8')
  const until = async (status: number): Promise<void> => {
    for (let i = 0; i < 5000; i++) if ((await ask('/companies/acme/info')).status === status) return
    assert.unreachable(`never ${status}`)
  }
  const browser = new Browser(running.address)
  const page = await browser.toConsent(authorizeUrl(running.address))
  const said = () =>
    log.filter(({ event }) => event === 'access-finding').map((entry) => 'code' in entry && entry.code)
  for (const [spoil, code] of [
    [() => rmSync(path), 'access-missing'],
    [() => writeFileSync(path, ''), 'access-empty'],
  ] as const) {
    spoil()
    await until(401)
    assert.is(said().at(-1), code)
    assert.is((await ask('/oauth2/user-info')).status, 401)
    assert.is((await refreshWith(running.address, refresh)).status, 401, 'no client is known')
    assert.match((await browser.request('/account')).headers.get('location')!, '/oauth2/login')
    const allowed = await browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })
    assert.match(allowed.headers.get('location') ?? '', '/oauth2/login')
    built.write('access.yaml', access)
    await until(200)
    assert.is((await browser.request('/account')).status, 200)
  }
  rmSync(path)
  mkdirSync(path)
  await until(503)
  for (const answer of [
    await ask('/companies/acme/info'),
    await ask('/companies/acme/chart-of-accounts'),
    await ask('/oauth2/user-info'),
  ]) {
    assert.is(answer.status, 503)
    assert.is(answer.headers.get('retry-after'), '10')
  }
  // The server has little to do: saying that it is overloaded would send its operator the wrong way.
  assert.is((await ask('/companies/acme/info')).json.code, 'access-unavailable')
  // Nobody can be answered here.
  const ready = await fetch(`${running.address}/readyz`)
  assert.equal(
    [ready.status, await ready.json()],
    [503, { status: 'who may sign in cannot be read at the moment' }],
  )
  assert.is((await ask('/healthz')).status, 200)
  const refused = await refreshWith(running.address, refresh)
  assert.equal([refused.status, refused.body.error], [503, 'temporarily_unavailable'])
  assert.is((await browser.request('/account')).status, 503)
  assert.is(said().at(-1), 'access-unreadable')
  rmdirSync(path)
  built.write('access.yaml', access)
  await until(200)
  context.refresh = (await refreshWith(running.address, refresh)).body.refresh_token
})

server(
  'S11: behind a trusted proxy lines have the client’s address, and OAuth events the request’s id',
  async ({ built }) => {
    const log: LogEntry[] = []
    const { workspace } = built
    const server = { ...workspace.server, trustedProxies: 1 }
    const running = await startServer({ ...workspace, server }, { log: (entry) => log.push(entry) })
    const headers = { 'X-Forwarded-For': '203.0.113.9, 2001:db8:1:2:3::4' }
    await fetch(`${running.address}/companies/acme/info`, { headers })
    const refused = await fetch(`${running.address}/oauth2/token`, {
      method: 'POST',
      headers: { ...headers, 'Request-Id': 'mine-1' },
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'reports', client_secret: 'x' }),
    })
    assert.is(refused.status, 401)
    await running.close()
    const requests = log.filter((entry) => entry.event === 'request')
    assert.equal(
      requests.map((entry) => 'address' in entry && entry.address),
      ['2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    )
    const event = log.find((entry) => entry.event === 'client-refused')
    assert.equal(event, { event: 'client-refused', client: 'reports', requestId: 'mine-1' })
  },
)

server('H13: the log holds no token, secret, password, code or query', async ({ log, token }) => {
  const text = JSON.stringify(log)
  for (const secret of [token, SECRET, PASSWORD, REDIRECT_URI, 'StartDate', 'Bearer'])
    assert.not.match(text, secret)
})

/** The port that it serves on; throws where it ends before it serves. */
async function begun(child: ChildProcess): Promise<[number]> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${code} before it served`)
  })
  return Promise.race([once(child, 'message') as Promise<[number]>, ended])
}

server('H11: SIGTERM: what is under way is answered, then the process ends with 0', async ({ built }) => {
  const child = fork(fileURLToPath(new URL('serve-child.ts', import.meta.url)), [built.workspace.root], {
    execArgv: [...CHILD_OPTIONS],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [port] = await begun(child)
  const ready = client(`http://127.0.0.1:${port}`)
  assert.is((await ready('/readyz')).status, 200)
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await new Promise<void>((resolve) => socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n', () => resolve()))
  child.kill('SIGTERM')
  // It has begun to stop when it accepts no more connections.
  while (await ready('/healthz').then(Boolean, () => false));
  socket.write('\r\n')
  assert.equal(await ended, [0, null])
  assert.match(text, /^HTTP\/1.1 503 /)
  assert.match(text, /"stopping"/)
  assert.match(text, /\r\nConnection: close\r\n/i)
})

server('H11: a second signal ends the process at once', async ({ built }) => {
  const child = fork(fileURLToPath(new URL('serve-child.ts', import.meta.url)), [built.workspace.root], {
    execArgv: [...CHILD_OPTIONS],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [port] = await begun(child)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n', () => resolve()))
  child.kill('SIGTERM')
  const alive = client(`http://127.0.0.1:${port}`)
  while (await alive('/healthz').then(Boolean, () => false));
  child.kill('SIGTERM')
  // What a shell reports as 143. Its native modules must not be taken down by an exit: lmdb crashed in one.
  assert.equal(await ended, [null, 'SIGTERM'])
})

server(
  'H6: what holds secrets is never compressed, nor answered for another origin',
  async ({ running, refresh }) => {
    const headers = { 'Accept-Encoding': 'br, gzip', Origin: 'https://evil.example' }
    for (const [path, init] of [
      [authorizeUrl(running.address).replace(running.address, ''), {}],
      ['/oauth2/login', {}],
      ['/oauth2/user-info', {}],
      ['/oauth2/token', { method: 'POST', body: new URLSearchParams({ refresh_token: refresh }) }],
    ] as const) {
      const response = await fetch(`${running.address}${path}`, { ...init, headers })
      assert.is(response.headers.get('content-encoding'), null, path)
      assert.is(response.headers.get('access-control-allow-origin'), null, path)
      assert.is(response.headers.get('x-content-type-options'), 'nosniff', path)
      assert.match(response.headers.get('cache-control') ?? '', 'no-store', path)
    }
  },
)
