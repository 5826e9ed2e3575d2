/** Checklist 1.5: client authentication, form parsing, codes, PKCE, revocation. */
import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { exchanged } from '../http/exchanges.ts'
import {
  authorizeUrl,
  Browser,
  connect,
  OTHER_REDIRECT_URI,
  OTHER_SECRET,
  postToken,
  REDIRECT_URI,
  type Running,
  redeem,
  refreshWith,
  SECRET,
  start,
  type TokenAnswer,
  userInfo,
} from './harness.ts'

const test = suite('token')
rememberPasswords(test)
let server: Running
let browser: Browser
test.before(async () => {
  server = await start()
  browser = new Browser(server.issuer)
})
test.after(() => server.close())

const newCode = async (parameters: Record<string, string | undefined> = {}): Promise<string> =>
  (await browser.allow(authorizeUrl(server.issuer, parameters))).searchParams.get('code')!
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const inHeader = { client_id: undefined, client_secret: undefined }

function assertError({ status, headers, body }: TokenAnswer, error: string, what = '', expected = 400): void {
  assert.is(status, expected, what)
  assert.is(body.error, error, what)
  assert.match(headers.get('content-type')!, /^application\/json/, what)
  assert.is(headers.get('cache-control'), 'no-store', what)
  assert.not.match(body.error_description, /[\r\n\t"\\]/, `T9 ${what}`)
}

test('T1 T2 T3 T4 T5 T9 K8 what the token endpoint refuses', () =>
  exchanged(
    'token-refusals',
    async ({ method, target, headers, body }) => {
      const answer = await fetch(server.issuer + target, { method, headers, ...(body && { body }) })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    },
    { of: import.meta.url, shown: ['content-type', 'cache-control', 'www-authenticate'] },
  ))

test('T5 a bearer token that is sent along is none', async () => {
  const code = await newCode()
  const spent = { authorization: 'Bearer of.long.ago' }
  const answer = await postToken(
    server.issuer,
    { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI },
    spent,
  )
  assert.is(answer.status, 200, JSON.stringify(answer.body))
})

test('T6 T7 Basic works, form-encoded inside, with either of two secrets', async () => {
  for (const credentials of [
    basic('reports', SECRET),
    basic('reports', 'an-older-secret'),
    basic('reports', 'an%2Dolder%2dsecret'),
    { authorization: basic('reports', SECRET).authorization.replace('Basic', 'basic') },
  ]) {
    const code = await newCode()
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    assert.is((await postToken(server.issuer, { ...form, ...inHeader }, credentials)).status, 200)
  }
  const code = await newCode()
  const withId = {
    code,
    redirect_uri: REDIRECT_URI,
    grant_type: 'authorization_code',
    client_secret: undefined,
  }
  assert.is((await postToken(server.issuer, withId, basic('reports', SECRET))).status, 200)
})

test('T8 R6 U10 the answer', async () => {
  const { status, headers, body } = await redeem(server.issuer, await newCode())
  assert.is(status, 200)
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.is(headers.get('cache-control'), 'no-store')
  assert.is(headers.get('pragma'), 'no-cache')
  const five = ['access_token', 'token_type', 'expires_in', 'scope', 'refresh_token']
  // U10: openid is granted here.
  assert.equal(Object.keys(body), [...five, 'id_token'])
  assert.is(body.token_type, 'Bearer')
  assert.is(body.expires_in, 900)
  assert.is(body.scope, 'openid profile email read:company')
  assert.match(body.refresh_token, /^[\x21-\x7e]+$/)
})

test('T10 T13 K11 a code is long, random and lives a minute', async () => {
  const code = await newCode()
  assert.match(code, /^[A-Za-z0-9_-]{43}$/)
  server.clock.now += 60_000
  assertError(await redeem(server.issuer, code), 'invalid_grant', 'expired')
  for (const garbage of ['x', 'A'.repeat(43), '\0', 'é'])
    assertError(await redeem(server.issuer, garbage), 'invalid_grant', garbage)
  assertError(await redeem(server.issuer, ''), 'invalid_request', 'empty')
})

test('T11 K10 a code of another client, or without a secret, is refused and not used up', async () => {
  const code = await newCode()
  const asOther = { client_id: 'other', client_secret: OTHER_SECRET }
  assertError(await redeem(server.issuer, code, asOther), 'invalid_grant')
  assertError(await redeem(server.issuer, code, { client_secret: 'x' }), 'invalid_client', '', 401)
  const { status, body } = await redeem(server.issuer, code)
  assert.is(status, 200)
  // Nor can another client end the grant with a used code.
  assertError(await redeem(server.issuer, code, asOther), 'invalid_grant')
  assert.is((await userInfo(server.issuer, body.access_token)).status, 200)
})

test('T12 the redirect URI is compared again', async () => {
  const code = await newCode()
  assertError(await redeem(server.issuer, code, { redirect_uri: undefined }), 'invalid_request')
  for (const redirect_uri of [`${REDIRECT_URI}/`, OTHER_REDIRECT_URI, 'http://127.0.0.1/native'])
    assertError(await redeem(server.issuer, code, { redirect_uri }), 'invalid_grant', redirect_uri)
  assert.is((await redeem(server.issuer, code)).status, 200)
})

test('T14 K6 the second use of a code ends what the first one began', async () => {
  for (const delay of [0, 1000, 30_000, 3_600_000]) {
    const { code, access, refresh } = await connect(server, browser)
    const next = (await refreshWith(server.issuer, refresh)).body
    server.clock.now += delay
    if (delay === 30_000) await server.restart()
    assertError(await redeem(server.issuer, code), 'invalid_grant', String(delay))
    for (const token of [access, next.access_token])
      assert.is((await userInfo(server.issuer, token)).status, 401, String(delay))
    assertError(await refreshWith(server.issuer, next.refresh_token), 'invalid_grant')
  }
  assert.ok(server.events.some(({ event }) => event === 'reuse-detected'))
})

test('T14 of parallel redemptions exactly one succeeds', async () => {
  const code = await newCode()
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => redeem(server.issuer, code)))
  assert.equal(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
})

test('T15 T17 the code verifier', async () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const code = await newCode(pkce)
  for (const code_verifier of [
    undefined,
    challenge,
    `${verifier}x`,
    verifier.slice(1),
    'é'.repeat(43),
    'x'.repeat(129),
  ])
    assertError(await redeem(server.issuer, code, { code_verifier }), 'invalid_grant', code_verifier)
  assert.is((await redeem(server.issuer, code, { code_verifier: verifier })).status, 200)
  // A verifier outside the grammar is refused even where it would match.
  const short = 'x'.repeat(42)
  const weak = { ...pkce, code_challenge: createHash('sha256').update(short).digest('base64url') }
  assertError(await redeem(server.issuer, await newCode(weak), { code_verifier: short }), 'invalid_grant')
})

test('T16 a verifier without a challenge means that somebody took the challenge away', async () => {
  assertError(
    await redeem(server.issuer, await newCode(), { code_verifier: 'x'.repeat(43) }),
    'invalid_grant',
  )
})

test('T18 a used code stays used across a restart, an unused one stays good', async () => {
  const [used, unused] = [await newCode(), await newCode()]
  assert.is((await redeem(server.issuer, used)).status, 200)
  await server.restart()
  assertError(await redeem(server.issuer, used), 'invalid_grant')
  assert.is((await redeem(server.issuer, unused)).status, 200)
})

test('K7 revocation', async () => {
  const revoke = (form: Record<string, string | undefined>, headers = {}) =>
    postToken(server.issuer, form, headers, '/oauth2/revoke')
  const first = await connect(server, browser)
  assertError(await revoke({ token: first.refresh, client_secret: 'x' }), 'invalid_client', '', 401)
  assertError(await revoke({}), 'invalid_request')
  assert.is((await revoke({ token: 'unknown' })).status, 200)
  const asOther = { client_id: 'other', client_secret: OTHER_SECRET }
  assert.is((await revoke({ token: first.refresh, ...asOther })).status, 200)
  assert.is((await userInfo(server.issuer, first.access)).status, 200, 'of another client')
  assert.is((await revoke({ token: first.refresh, token_type_hint: 'access_token' })).status, 200)
  assert.is((await userInfo(server.issuer, first.access)).status, 401)
  assertError(await refreshWith(server.issuer, first.refresh), 'invalid_grant')

  const second = await connect(server, browser)
  assert.is((await revoke({ token: second.access })).status, 200)
  assertError(await refreshWith(server.issuer, second.refresh), 'invalid_grant')
})
