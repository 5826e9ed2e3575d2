/**
 * Clients that others wrote run the full cycle against the compiled server over built books: consent, code, user info,
 * every company route, three refreshes, revocation.
 */

import * as assert from 'uvu/assert'
import { OPERATIONS, type OperationId } from '../../../../builder/contract/operations.ts'
import { begin as beginCommand, printed, type Running } from '../../../cli/command.ts'
import { alike } from '../../../seed.ts'
import { suite } from '../../../suite.ts'
import { type BuiltWorkspace, builtWorkspace } from '../../http/workspace.ts'
import { Browser, PASSWORD, PASSWORD_HASH, postToken, refreshWith, SECRET, userInfo } from '../harness.ts'
import { type Flow, THIRD_PARTIES, type Tokens } from './third-party.ts'

const test = suite('clients')
let books: BuiltWorkspace
/** What the server printed: its log, and where it is. */
let log = ''
/** Every code, token, cookie and anti-forgery value that was seen. */
const secrets = new Set<string>([PASSWORD, PASSWORD_HASH, SECRET])
let running: Running
let server: { readonly address: string }
/** Signs in once; every client asks for consent. */
let browser: Browser
test.before(async () => {
  books = await builtWorkspace()
  running = beginCommand(['--json', 'serve', '--port', '0'], { cwd: books.workspace.root })
  running.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString('utf8')
  })
  const said = await printed(running, /"address": "[^"]+"/)
  server = { address: /"address": "([^"]+)"/.exec(said)![1]! }
  browser = new Browser(server.address)
})
test.after(async () => {
  running.kill('SIGTERM')
  const { exitCode } = await running
  books.remove()
  assert.is(exitCode, 0, 'it drains and ends')
})

const RANGE = 'StartDate=2025-01-01&EndDate=2025-03-31'
const QUERIES: Partial<Record<OperationId, string>> = {
  getProfitAndLoss: `${RANGE}&AccountingBasis=ACCRUAL`,
  getBalanceSheet: `${RANGE}&AccountingBasis=CASH`,
  getCashFlow: `${RANGE}&AccountingBasis=ACCRUAL`,
}
const BODIES: Partial<Record<OperationId, object>> = {
  getNonFinancial: { NonFinancialIds: ['headcount'], StartDate: '2025-01-01', EndDate: '2025-03-31' },
}

/** Every company route of the contract, as it stands in `OPERATIONS`. */
async function readEverything(access: string): Promise<number> {
  const ask = (path: string, body?: object) =>
    fetch(server.address + path, {
      headers: {
        authorization: `Bearer ${access}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  const snapshot = (await ask('/companies/acme/info')).headers.get('snapshot-id')!
  const routes = Object.entries(OPERATIONS).filter(([, { path }]) => path.startsWith('/companies/'))
  for (const [id, operation] of routes) {
    const path = operation.path
      .replace('{CompanyId}', 'acme')
      .replace('{SnapshotId}', snapshot)
      .replace(/\{\w+\}$/, 'manifest.json')
    const query = QUERIES[id as OperationId]
    const answer = await ask(query === undefined ? path : `${path}?${query}`, BODIES[id as OperationId])
    const expected = 'ofLedger' in operation ? 403 : 200
    assert.is(answer.status, expected, `${id}: ${await answer.text()}`)
  }
  return routes.length
}

const rawRefresh = async ({ refresh }: Tokens): Promise<Tokens> => {
  const { status, body } = await refreshWith(server.address, refresh)
  assert.is(status, 200, JSON.stringify(body))
  return { access: body.access_token, refresh: body.refresh_token }
}
const rawRevoke = async ({ refresh }: Tokens): Promise<void> => {
  const { status } = await postToken(server.address, { token: refresh }, {}, '/oauth2/revoke')
  assert.is(status, 200)
}
const rawUserInfo = async ({ access }: Tokens): Promise<unknown> =>
  (await userInfo(server.address, access)).json()

const keep = (tokens: Tokens): Tokens => {
  secrets.add(tokens.access).add(tokens.refresh).add(tokens.refresh.split('.')[2]!)
  return tokens
}

async function cycle(flow: Flow): Promise<void> {
  const callback = await browser.allow(flow.url, ['acme', 'solo'])
  secrets.add(callback.searchParams.get('code')!)
  let tokens = keep(await flow.exchange(callback))
  const info = (await (flow.userInfo ?? rawUserInfo)(tokens)) as Record<string, unknown>
  assert.equal(
    [info.Id, info.FirstName, (info.CompanyDetails as { Id: string }[]).map(({ Id }) => Id)],
    ['ann', 'Ann', ['acme', 'solo']],
  )
  assert.ok((await readEverything(tokens.access)) >= 12)
  for (let i = 0; i < 3; i++) {
    const next = keep(await (flow.refresh ?? rawRefresh)(tokens))
    assert.is.not(next.refresh, tokens.refresh)
    assert.is((await userInfo(server.address, next.access)).status, 200)
    tokens = next
  }
  await readEverything(tokens.access)
  await (flow.revoke ?? rawRevoke)(tokens)
  assert.is((await userInfo(server.address, tokens.access)).status, 401)
  assert.is((await refreshWith(server.address, tokens.refresh)).body.error, 'invalid_grant')
}

for (const { name, version, begin } of alike(THIRD_PARTIES))
  test(`D4 T6 T8 R3 the full cycle with ${name}`, async () => {
    const used = await version
    process.stdout.write(`${name} ${used}\n`)
    if (used === 'missing') return
    await cycle(await begin(server.address))
  })

test('U5 the token that node-oauth would put into the query is refused', async () => {
  const token = 'x'.repeat(40)
  const answer = await fetch(`${server.address}/companies/acme/info?access_token=${token}`)
  assert.is(answer.status, 400)
})

test('K9 the log of all of this holds no secret', async () => {
  for (const value of browser.cookies.values()) secrets.add(value)
  const page = await browser.toConsent(
    `${server.address}/oauth2/authorize?response_type=code&client_id=reports&redirect_uri=https://client.example/callback`,
  )
  for (const value of Object.values(page.hidden)) secrets.add(value)
  const lines = log.trimEnd().split('\n').length
  assert.ok(lines > 40 && secrets.size > 20, `${lines} lines, ${secrets.size} secrets`)
  for (const secret of secrets) assert.not.ok(log.includes(secret), secret)
  assert.not.match(log, /Bearer |Basic |[Cc]ookie|eyJ[\w-]+\.eyJ|code=|state=|csrf|password"/)
})
