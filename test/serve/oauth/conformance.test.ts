/**
 * Tests under the names of the OpenID Foundation's conformance modules (basic OP and FAPI 2), as far as they apply to a
 * server that issues no ID token. README.md says which do not, and why.
 */
import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ANN,
  authorizeUrl,
  Browser,
  connect,
  OTHER_SECRET,
  postToken,
  REDIRECT_URI,
  type Running,
  readPage,
  redeem,
  refreshWith,
  start,
  type TokenAnswer,
  userInfo,
} from './harness.ts'

const test = suite('conformance')
rememberPasswords(test)
let server: Running
/** Signed in as Ann. */
let browser: Browser
test.before(async () => {
  server = await start()
  browser = new Browser(server.issuer)
  await browser.toConsent(authorizeUrl(server.issuer))
})
test.after(() => server.close())

type Parameters = Record<string, string | undefined>
const url = (parameters: Parameters = {}) => authorizeUrl(server.issuer, parameters)
/** Consent, code, tokens, user info. */
async function complete(parameters: Parameters = {}): Promise<Record<string, unknown>> {
  const callback = await browser.allow(url(parameters))
  assert.is(callback.searchParams.get('iss'), server.issuer)
  const { status, body } = await redeem(server.issuer, callback.searchParams.get('code')!)
  assert.is(status, 200)
  return (await userInfo(server.issuer, body.access_token)).json() as Promise<Record<string, unknown>>
}
const errorOf = async (parameters: Parameters, from = new Browser(server.issuer)) => {
  const answer = await from.request(url(parameters))
  return new URL(answer.headers.get('location')!, server.issuer).searchParams.get('error')
}
async function assertStaysHere(parameters: Parameters): Promise<void> {
  const answer = await browser.request(url(parameters))
  assert.equal([answer.status, answer.headers.get('location')], [400, null])
}
/** AbstractOIDCCAuthCodeReuse: 400, JSON, exactly this error, a description without line breaks. */
function assertRefused({ status, headers, body }: TokenAnswer, error = 'invalid_grant'): void {
  assert.equal([status, body.error], [400, error])
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.not.match(body.error_description, /[\r\n\t]/)
}
const newCode = async (parameters: Parameters = {}) =>
  (await browser.allow(url(parameters))).searchParams.get('code')!

test('oidcc-server', async () => {
  assert.is((await complete()).sub, ANN.id)
})

test('oidcc-response-type-missing', async () => {
  assert.is(await errorOf({ response_type: undefined }), 'invalid_request')
})

test('oidcc-userinfo-get', async () => {
  const { access } = await connect(server, browser)
  const answer = await userInfo(server.issuer, access)
  assert.match(answer.headers.get('content-type')!, /^application\/json/)
  assert.is(((await answer.json()) as { sub: string }).sub, ANN.id)
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
  assert.is((await complete({ nonce: undefined })).sub, ANN.id)
})

for (const [module, scope] of [
  ['oidcc-scope-profile', 'openid profile'],
  ['oidcc-scope-email', 'openid email'],
  ['oidcc-scope-address', 'openid address'],
  ['oidcc-scope-phone', 'openid phone'],
  ['oidcc-scope-all', 'openid profile email address phone'],
  ['oidcc-ensure-other-scope-order-succeeds', 'email openid'],
] as const)
  test(module, async () => {
    const info = await complete({ scope })
    const { Id: _id, sub: _sub, CompanyDetails: _companies, ...claims } = info as Record<string, unknown>
    assert.equal(claims, { FirstName: 'Ann', LastName: 'Åkesson', Email: ANN.email })
  })

for (const [module, parameters] of [
  ['oidcc-display-page', { display: 'page' }],
  ['oidcc-display-popup', { display: 'popup' }],
  ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
  ['oidcc-id-token-hint', { id_token_hint: 'eyJhbGciOiJub25lIn0.e30.' }],
  ['oidcc-login-hint', { login_hint: 'bob@example.com' }],
  ['oidcc-ui-locales', { ui_locales: 'se' }],
  ['oidcc-claims-locales', { claims_locales: 'se' }],
  ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
  ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
  ['oidcc-max-age-10000', { max_age: '10000' }],
] as const)
  test(module, async () => {
    assert.is((await complete(parameters)).sub, ANN.id)
  })

test('oidcc-prompt-login', async () => {
  server.clock.now += 1000
  const answer = await browser.request(url({ prompt: 'login' }))
  const page = await readPage(await browser.follow(answer))
  assert.match(page.action!, /login$/)
})

test('oidcc-prompt-none-not-logged-in', async () => {
  assert.is(await errorOf({ prompt: 'none' }), 'login_required')
})

test('oidcc-prompt-none-logged-in', async () => {
  // Consent is asked each time, and cannot be without a page.
  assert.is(await errorOf({ prompt: 'none' }, browser), 'consent_required')
})

test('oidcc-max-age-1', async () => {
  server.clock.now += 2000
  const answer = await browser.request(url({ max_age: '1' }))
  assert.match(answer.headers.get('location')!, /\/oauth2\/login\?/)
})

for (const [module, delay] of [
  ['oidcc-codereuse', 0],
  ['AttemptReuseAuthorizationCodeAfterOneSecond', 1000],
  ['oidcc-codereuse-30seconds', 30_000],
] as const)
  test(module, async () => {
    const { code, access } = await connect(server, browser)
    server.clock.now += delay
    assertRefused(await redeem(server.issuer, code))
    assert.is((await userInfo(server.issuer, access)).status, 401)
  })

test('oidcc-ensure-registered-redirect-uri', () =>
  assertStaysHere({ redirect_uri: 'https://evil.example/cb' }))
test('oidcc-ensure-redirect-uri-in-authorization-request', () => assertStaysHere({ redirect_uri: undefined }))
test('oidcc-redirect-uri-query-added', () => assertStaysHere({ redirect_uri: `${REDIRECT_URI}?foo=bar` }))
test('oidcc-redirect-uri-query-mismatch', () =>
  assertStaysHere({ client_id: 'other', redirect_uri: 'https://other.example/cb?tenant=2' }))
test('oidcc-redirect-uri-reg-frag', () => assertStaysHere({ redirect_uri: `${REDIRECT_URI}#foobar` }))

test('oidcc-redirect-uri-query-ok', async () => {
  const callback = await browser.allow(
    url({ client_id: 'other', redirect_uri: 'https://other.example/cb?tenant=1' }),
  )
  assert.is(callback.searchParams.get('tenant'), '1')
})

test('oidcc-server-client-secret-post', async () => {
  assert.is((await redeem(server.issuer, await newCode())).status, 200)
})

test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async () => {
  assert.is(await errorOf({ request_uri: 'https://client.example/request.jwt' }), 'request_uri_not_supported')
})

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
  assert.is(await errorOf({ request: 'eyJhbGciOiJub25lIn0.e30.' }), 'request_not_supported')
})

test('oidcc-ensure-request-object-with-redirect-uri', async () => {
  // The redirect URI of the query counts, and the request object is refused there.
  const answer = await browser.request(url({ request: 'eyJhbGciOiJub25lIn0.e30.' }))
  assert.ok(answer.headers.get('location')!.startsWith(REDIRECT_URI))
})

test('oidcc-refresh-token', async () => {
  const { refresh } = await connect(server, browser)
  assert.match(refresh, /^[\x20-\x7e]+$/)
  const next = await refreshWith(server.issuer, refresh)
  assert.is((await userInfo(server.issuer, next.body.access_token)).status, 200)
  const asOther = { client_id: 'other', client_secret: OTHER_SECRET }
  assertRefused(await refreshWith(server.issuer, next.body.refresh_token, asOther))
  assert.is((await refreshWith(server.issuer, next.body.refresh_token)).status, 200)
})

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const PKCE = {
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}
test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
  assert.is((await redeem(server.issuer, await newCode(PKCE), { code_verifier: VERIFIER })).status, 200)
})

test('EnsurePlainPKCERejected', async () => {
  assert.is(await errorOf({ code_challenge: VERIFIER, code_challenge_method: 'plain' }), 'invalid_request')
})

test('EnsurePKCECodeVerifierRequired', async () => {
  assertRefused(await redeem(server.issuer, await newCode(PKCE)))
})

test('IncorrectPKCECodeVerifierRejected', async () => {
  assertRefused(await redeem(server.issuer, await newCode(PKCE), { code_verifier: 'x'.repeat(43) }))
})

test('EnsurePKCERequired', async () => {
  assert.is(await errorOf({ client_id: 'strict' }), 'invalid_request')
})

test('UserRejectsAuthentication', async () => {
  const page = await browser.toConsent(url())
  const answer = await browser.post(page.action!, { ...page.hidden, decision: 'deny' })
  assert.is(new URL(answer.headers.get('location')!).searchParams.get('error'), 'access_denied')
})

test('EnsureAuthorizationRequestWithoutStateSuccess', async () => {
  assert.is((await browser.allow(url({ state: undefined }))).searchParams.get('state'), null)
})

test('EnsureAuthorizationRequestWithLongState', async () => {
  const state = 'x'.repeat(4096)
  assert.is((await browser.allow(url({ state }))).searchParams.get('state'), state)
})

test('EnsureAuthorizationRequestWithLongNonce', async () => {
  assert.is((await complete({ nonce: 'x'.repeat(4096) })).sub, ANN.id)
})

for (const response_type of ['token', 'code id_token'])
  test(`EnsureResponseType ${response_type} Fails`, async () => {
    assert.is(await errorOf({ response_type }), 'unsupported_response_type')
  })

test('EnsureClientIdInTokenEndpoint', async () => {
  const code = await newCode()
  const { status, body } = await redeem(server.issuer, code, { client_id: undefined })
  assert.equal([status, body.error], [401, 'invalid_client'])
})

test('EnsureAuthorizationCodeIsBoundToClient', async () => {
  const asOther = { client_id: 'other', client_secret: OTHER_SECRET }
  assertRefused(await redeem(server.issuer, await newCode(), asOther))
})

test('AttemptToUseExpiredAuthCode', async () => {
  const code = await newCode()
  server.clock.now += 61_000
  assertRefused(await redeem(server.issuer, code))
})

test('AccessTokenTypeHeaderCaseSensitivity', async () => {
  const { access } = await connect(server, browser)
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const headers = { authorization: `${scheme} ${access}` }
    assert.is((await fetch(`${server.issuer}/oauth2/user-info`, { headers })).status, 200)
  }
})

test('oidcc-ensure-post-request-succeeds', async () => {
  // Answered with 405, as the interface has it: GET only.
  assert.is((await fetch(url(), { method: 'POST' })).status, 405)
})

test('RefreshToken EnsureGrantTypeIsNotGuessed', async () => {
  const { refresh } = await connect(server, browser)
  assertRefused(await postToken(server.issuer, { refresh_token: refresh }), 'invalid_request')
})

test.run()
