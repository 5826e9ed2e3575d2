/** Checklist C1, C2, C4, C7, U5, U6, K2: company routes of the whole server, as seen by whoever may not see them. */
import { SignJWT } from 'jose'
import * as assert from 'uvu/assert'
import { OPERATIONS } from '../../../builder/contract/operations.ts'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { secretHash } from '../../../builder/workspace/access/access-edit.ts'
import type { OAuth } from '../../../serve/oauth/oauth.ts'
import { openGrants } from '../../../serve/oauth/tokens/grants.ts'
import { type RunningServer, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { type BuiltWorkspace, builtWorkspace } from '../http/workspace.ts'
import { openOAuth, PASSWORD_HASH, REDIRECT_URI, SECRET } from './harness.ts'

const test = suite('companies')
rememberPasswords(test)
let books: BuiltWorkspace
let server: RunningServer
/** Another process on the same state, which makes tokens without a browser. */
let issuer: OAuth

const accessYaml = (annsCompanies: string): string => `users:
  - { id: ann, email: ann@example.com, firstName: Ann, lastName: B, companies: [${annsCompanies}], password: "${PASSWORD_HASH}" }
  - { id: bob, email: bob@example.com, firstName: Bob, lastName: B, companies: [solo, nowhere], password: "${PASSWORD_HASH}" }
clients:
  - { id: reports, name: Reports, secretHashes: ["${secretHash(SECRET)}"], redirectUris: ["${REDIRECT_URI}"] }
`
const openIssuer = (more: { issuer?: string; now?: () => number } = {}): Promise<OAuth> =>
  openOAuth({
    issuer: server.address,
    state: books.workspace.server.state,
    access: createAccess(books.workspace.access),
    companies: () => [],
    accessTokenSeconds: 900,
    ...more,
  })

test.before(async () => {
  books = await builtWorkspace()
  books.write('access.yaml', accessYaml('acme, solo'))
  server = await startServer(books.workspace)
  issuer = await openIssuer()
})
test.after(async () => {
  await issuer.close()
  await server.close()
  books.remove()
})

const tokenOf = (user: string, companies: readonly string[]) =>
  issuer.issueDemoToken(user, 'reports', companies, 600)

interface Route {
  readonly method: string
  readonly path: string
  /** It needs the scope of the ledger, which no token here has. */
  readonly ofLedger: boolean
}
/** Every company route of the contract: a new one is in this matrix without anybody remembering to put it there. */
const ROUTES: readonly Route[] = Object.values(OPERATIONS)
  .filter(({ path }) => path.startsWith('/companies/'))
  .map(({ method, path, ...operation }) => ({
    method,
    ofLedger: 'ofLedger' in operation,
    path: path.replace(/\{SnapshotId\}/, 'x').replace(/\{(?!C)\w+\}/, 'y'),
  }))

const ask = (path: string, token: string | null, method = 'GET', headers: Record<string, string> = {}) =>
  fetch(server.address + path, {
    method,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(method === 'POST' ? { body: '{}' } : {}),
  })
const at = ({ path }: Route, company: string): string => path.replace('{CompanyId}', company)

test('C2 U3 every company route × every kind of credential', async () => {
  const owner = await tokenOf('ann', ['acme'])
  const revoked = await tokenOf('ann', ['acme'])
  const grants = await openGrants(books.workspace.server.state, createAccess(books.workspace.access))
  await grants.revoke(JSON.parse(Buffer.from(revoked.split('.')[1]!, 'base64url').toString()).gid)
  await grants.close()
  const past = await openIssuer({ now: () => Date.now() - 3_600_000 })
  const elsewhere = await openIssuer({ issuer: 'http://127.0.0.1:1' })
  const idToken = await new SignJWT({ sub: 'ann', aud: 'reports', iss: server.address })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(Buffer.from(SECRET))
  const cases: [string, string | null, number][] = [
    ['another user', await tokenOf('bob', ['solo']), 404],
    ['no company granted', await tokenOf('ann', []), 404],
    ['granted, but not the user’s', await tokenOf('bob', ['acme', 'solo']), 404],
    ['no token', null, 401],
    ['revoked', revoked, 401],
    ['expired', await past.issueDemoToken('ann', 'reports', ['acme'], 60), 401],
    ['of another issuer', await elsewhere.issueDemoToken('ann', 'reports', ['acme'], 600), 401],
    ['an ID token', idToken, 401],
    ['a refresh token', `${'g'.repeat(43)}.0.${'m'.repeat(43)}`, 401],
    ['the client secret', SECRET, 401],
  ]
  await past.close()
  await elsewhere.close()
  for (const route of ROUTES) {
    for (const [what, token, expected] of cases)
      assert.is(
        (await ask(at(route, 'acme'), token, route.method)).status,
        expected,
        `${what}: ${route.path}`,
      )
    const own = (await ask(at(route, 'acme'), owner, route.method)).status
    const expected = route.ofLedger ? [403] : [200, 400, 404, 415]
    assert.ok(expected.includes(own), `${own} ${route.path}`)
  }
})

test('C4 what access.yaml takes away is gone for tokens that are out', async () => {
  const token = await tokenOf('ann', ['acme', 'solo'])
  assert.is((await ask('/companies/solo/info', token)).status, 200)
  books.write('access.yaml', accessYaml('acme'))
  // Some hundred answers, of which each takes a millisecond or more: the file is looked at four times a second.
  const becomes = async (status: number): Promise<void> => {
    for (let i = 0; i < 2000; i++) if ((await ask('/companies/solo/info', token)).status === status) return
    assert.unreachable(`never ${status}`)
  }
  await becomes(404)
  assert.is((await ask('/companies/acme/info', token)).status, 200)
  books.write('access.yaml', accessYaml('acme, solo'))
  await becomes(200)
})

test('C7 neither errors nor totals speak of other companies', async () => {
  const token = await tokenOf('ann', ['solo'])
  const list = (await (await ask('/companies/solo/classes?offset=0&limit=10', token)).json()) as {
    Pagination: { total: number }
  }
  assert.is(list.Pagination.total, 0, 'Acme has classes, Solo has none')
  for (const route of ROUTES)
    for (const company of ['acme', 'solo']) {
      const text = await (await ask(at(route, company), token, route.method)).text()
      assert.not.match(text, /Acme|North one/, route.path)
    }
})
