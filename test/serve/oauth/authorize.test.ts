/** Checklist 1.2 (before anything may redirect) and 1.3 (errors by redirect). */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ANN,
  authorizeUrl,
  Browser,
  OTHER_REDIRECT_URI,
  REDIRECT_URI,
  type Running,
  readPage,
  redeem,
  start,
} from './harness.ts'

const test = suite('authorize')
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

const ask = (url: string) => fetch(url, { redirect: 'manual' })
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

async function assertDirectPage(url: string, what: string): Promise<void> {
  const answer = await ask(url)
  assert.is(answer.status, 400, what)
  assert.is(answer.headers.get('location'), null, what)
  assert.match(answer.headers.get('content-type')!, /^text\/html/, what)
  assert.is(answer.headers.get('cache-control'), 'no-store', what)
}

/** The parameters that the client is called back with. */
async function errorOf(url: string, redirectUri = REDIRECT_URI): Promise<URLSearchParams> {
  const answer = await ask(url)
  assert.is(answer.status, 303, `${url}: ${await answer.clone().text()}`)
  const location = answer.headers.get('location')!
  assert.ok(location.startsWith(redirectUri), location)
  assert.is(answer.headers.get('cache-control'), 'no-store')
  assert.is(answer.headers.get('referrer-policy'), 'no-referrer')
  const parameters = new URL(location).searchParams
  assert.is(parameters.get('iss'), server.issuer, 'D6')
  return parameters
}

const checkError = async (parameters: Record<string, string | undefined>, error: string) => {
  const answer = await errorOf(authorizeUrl(server.issuer, parameters))
  assert.is(answer.get('error'), error, JSON.stringify(parameters))
  assert.is(answer.get('state'), 's1')
}

/** Whether a request without a session leads to the login page. */
const assertAccepted = async (url: string) => {
  const answer = await ask(url)
  assert.match(answer.headers.get('location') ?? '', /^\/oauth2\/login\?request=[\w.-]+$/, url)
}

test('A1 client_id missing, unknown, twice', async () => {
  const { issuer } = server
  await assertDirectPage(authorizeUrl(issuer, { client_id: undefined }), 'missing')
  await assertDirectPage(authorizeUrl(issuer, { client_id: 'nobody' }), 'unknown')
  await assertDirectPage(authorizeUrl(issuer, { client_id: '__proto__' }), 'prototype')
  await assertDirectPage(`${authorizeUrl(issuer)}&client_id=reports`, 'twice')
})

test('A2 redirect_uri missing, not registered, of another client, twice', async () => {
  const { issuer } = server
  await assertDirectPage(authorizeUrl(issuer, { redirect_uri: undefined }), 'missing')
  await assertDirectPage(authorizeUrl(issuer, { redirect_uri: 'https://evil.example/' }), 'unregistered')
  await assertDirectPage(authorizeUrl(issuer, { redirect_uri: OTHER_REDIRECT_URI }), 'another client')
  await assertDirectPage(`${authorizeUrl(issuer)}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`, 'twice')
})

test('A3 A6 every variant of a registered redirect URI is refused', async () => {
  for (const redirect_uri of [
    'https://client.example/callback/',
    'https://client.example/callback?a=b',
    'https://client.example/callback?',
    'https://client.example/callback#x',
    'https://CLIENT.example/callback',
    'https://client.example/Callback',
    'HTTPS://client.example/callback',
    'https://client.example:443/callback',
    'https://client.example/%63allback',
    'https://client.example%2Fcallback',
    'https://client.example/x/../callback',
    'https://client.example/%2e/callback',
    'https://client.example//callback',
    'https://user@client.example/callback',
    'https://client.example@evil.example/callback',
    'https://evil.client.example/callback',
    'https://client.example.evil.example/callback',
    'https://client.example./callback',
    'https://client.example/callback/more',
    'http://client.example/callback',
    'https:\\\\client.example\\callback',
    'https://сlient.example/callback',
    'https://client.example/callback\r\nX: y',
    'https://client.example/callback\0',
    ' https://client.example/callback',
    'https://client.example/callback ',
    'javascript:alert(1)',
    '//client.example/callback',
  ])
    await assertDirectPage(authorizeUrl(server.issuer, { redirect_uri }), JSON.stringify(redirect_uri))
  for (const redirect_uri of ['https://other.example/cb', 'https://other.example/cb?tenant=2'])
    await assertDirectPage(authorizeUrl(server.issuer, { client_id: 'other', redirect_uri }), redirect_uri)
})

test('A4 on a registered loopback address only the port may differ', async () => {
  for (const redirect_uri of ['http://127.0.0.1/native', 'http://127.0.0.1:51004/native'])
    await assertAccepted(authorizeUrl(server.issuer, { redirect_uri }))
  for (const redirect_uri of [
    'http://127.0.0.1:51004/native/x',
    'http://127.0.0.1:99999/native',
    'http://127.0.0.1:/native',
    'http://127.0.0.2/native',
    'http://localhost:51004/native',
    'http://[::1]:51004/native',
    'https://127.0.0.1:51004/native',
    'http://127.0.0.1:51004@evil.example/native',
    'http://127.0.0.1:1#/native',
  ])
    await assertDirectPage(authorizeUrl(server.issuer, { redirect_uri }), redirect_uri)
})

test('A7 a malformed query stays here', async () => {
  await assertDirectPage(`${server.issuer}/oauth2/authorize?client_id=%E0%A4%A`, 'bad escape')
  await assertDirectPage(`${server.issuer}/oauth2/authorize`, 'nothing')
  await assertDirectPage(`${authorizeUrl(server.issuer)}&x=%ff`, 'not UTF-8')
})

test('B1 response types other than code', async () => {
  await checkError({ response_type: undefined }, 'invalid_request')
  await checkError({ response_type: '' }, 'invalid_request')
  for (const response_type of ['token', 'id_token', 'code token', 'code id_token', 'none', 'CODE'])
    await checkError({ response_type }, 'unsupported_response_type')
})

test('B2 a parameter twice', async () => {
  for (const pair of [
    'response_type=code',
    'scope=openid',
    'nonce=1&nonce=2',
    'response_mode=query&response_mode=query',
    'code_challenge_method=S256&code_challenge_method=S256',
    `code_challenge=${CHALLENGE}&code_challenge=${CHALLENGE}`,
  ]) {
    const answer = await errorOf(`${authorizeUrl(server.issuer)}&${pair}`)
    assert.is(answer.get('error'), 'invalid_request', pair)
  }
  const twoStates = await errorOf(`${authorizeUrl(server.issuer)}&state=s2`)
  assert.is(twoStates.get('error'), 'invalid_request')
  assert.is(twoStates.get('state'), null, 'neither of two')
})

test('B3 unknown and empty parameters are ignored', async () => {
  await assertAccepted(
    `${authorizeUrl(server.issuer)}&nonce=n&display=popup&ui_locales=sv&claims_locales=sv&acr_values=1&login_hint=x&login_hint=y&foo=bar&foo=baz&prompt=&code_challenge=&id_token_hint=eyJhbGciOiJub25lIn0.e30.&claims=%7B%7D`,
  )
})

test('B4 B5 unknown scopes are left out, order does not matter, malformed ones are refused', async () => {
  const code = (
    await browser.allow(authorizeUrl(server.issuer, { scope: 'read:company address openid' }))
  ).searchParams.get('code')!
  assert.is((await redeem(server.issuer, code)).body.scope, 'openid read:company')
  await checkError({ scope: 'address offline_access' }, 'invalid_scope')
  for (const scope of ['openid "', 'openid\nread:company', 'openid\\', 'openid  email', ' openid', 'é'])
    await checkError({ scope }, 'invalid_scope')
})

test('B4 without a scope everything is asked for', async () => {
  const code = (await browser.allow(authorizeUrl(server.issuer, { scope: undefined }))).searchParams.get(
    'code',
  )!
  assert.is((await redeem(server.issuer, code)).body.scope, 'openid profile email phone read:company')
})

test('B6 D6 deny', async () => {
  const page = await browser.toConsent(authorizeUrl(server.issuer))
  const answer = await browser.post(page.action!, { ...page.hidden, decision: 'deny' })
  const parameters = new URL(answer.headers.get('location')!).searchParams
  assert.equal(
    [parameters.get('error'), parameters.get('state'), parameters.get('iss'), parameters.get('code')],
    ['access_denied', 's1', server.issuer, null],
  )
})

test('B7 request objects', async () => {
  await checkError({ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported')
  await checkError({ request_uri: 'https://client.example/r' }, 'request_uri_not_supported')
})

test('B8 max_age: whoever signed in too long ago does it again', async () => {
  const mine = new Browser(server.issuer)
  const url = (max_age: string) => authorizeUrl(server.issuer, { max_age })
  await mine.toConsent(url('1'))
  server.clock.now += 60_000
  const next = async (max_age: string) => (await mine.request(url(max_age))).headers.get('location')!
  assert.match(await next('10000'), /^\/oauth2\/consent\?/)
  assert.match(await next('59'), /^\/oauth2\/login\?/)
  const stranger = new Browser(server.issuer)
  for (const max_age of ['-1', '1.5', 'x'])
    for (const who of [mine, stranger]) {
      const answer = await who.request(url(max_age))
      assert.match(answer.headers.get('location')!, /error=invalid_request/, max_age)
    }
})

test('B8 prompt', async () => {
  await checkError({ prompt: 'none' }, 'login_required')
  await checkError({ prompt: 'none login' }, 'invalid_request')
  const withSession = await browser.request(authorizeUrl(server.issuer, { prompt: 'none' }))
  assert.match(withSession.headers.get('location')!, /error=consent_required/)

  const url = authorizeUrl(server.issuer, { prompt: 'login' })
  server.clock.now += 1000
  const first = await browser.request(url)
  assert.match(first.headers.get('location')!, /^\/oauth2\/login\?/)
  // The consent page cannot be reached around it.
  const around = await browser.request(first.headers.get('location')!.replace('login', 'consent'))
  assert.match(around.headers.get('location')!, /^\/oauth2\/login\?/)
  server.clock.now += 1000
  const page = await browser.toConsent(url)
  assert.match(page.action!, /consent$/)
})

test('B9 response modes other than query', async () => {
  for (const response_mode of ['fragment', 'form_post', 'jwt'])
    await checkError({ response_mode }, 'invalid_request')
  await assertAccepted(authorizeUrl(server.issuer, { response_mode: 'query' }))
})

test('B10 B11 code challenges other than S256', async () => {
  await checkError({ code_challenge_method: 'S256' }, 'invalid_request')
  await checkError({ code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'invalid_request')
  await checkError({ code_challenge: CHALLENGE }, 'invalid_request')
  for (const code_challenge of [
    CHALLENGE.slice(1),
    `${CHALLENGE}x`,
    'x'.repeat(129),
    `${CHALLENGE.slice(1)}=`,
    `${CHALLENGE.slice(1)}+`,
  ])
    await checkError({ code_challenge, code_challenge_method: 'S256' }, 'invalid_request')
})

test('B12 a client may be made to send a code challenge', async () => {
  await checkError({ client_id: 'strict' }, 'invalid_request')
  await assertAccepted(
    authorizeUrl(server.issuer, {
      client_id: 'strict',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    }),
  )
})

test('B13 a long state is echoed whole or refused', async () => {
  const state = 'é+/ %"<'.repeat(450)
  const callback = await browser.allow(authorizeUrl(server.issuer, { state }))
  assert.is(callback.searchParams.get('state'), state)
  const refused = await errorOf(authorizeUrl(server.issuer, { state: 'x'.repeat(4097) }))
  assert.is(refused.get('error'), 'invalid_request')
  assert.is(refused.get('state')!.length, 4097)
  const longest = 'x'.repeat(4096)
  assert.is(
    (await browser.allow(authorizeUrl(server.issuer, { state: longest }))).searchParams.get('state'),
    longest,
  )
  assert.ok((await browser.allow(authorizeUrl(server.issuer, { nonce: longest }))).searchParams.get('code'))
  // Few enough characters, but too many bytes to travel with the browser.
  const bytes = `${'€'.repeat(1300)}${'x'.repeat(2500)}`
  assert.is((await errorOf(authorizeUrl(server.issuer, { state: bytes }))).get('error'), 'invalid_request')
})

test('B14 D6 no state, no state, and the issuer all the same', async () => {
  const callback = await browser.allow(authorizeUrl(server.issuer, { state: undefined }))
  assert.equal([...callback.searchParams.keys()].sort(), ['code', 'iss'])
  assert.is(callback.searchParams.get('iss'), server.issuer, 'D6')
})

test('B15 B17 every POST is followed by 303, nothing is stored on the way', async () => {
  const mine = new Browser(server.issuer)
  const begun = await mine.request(authorizeUrl(server.issuer))
  const login = await readPage(await mine.request(begun.headers.get('location')!))
  const signedIn = await mine.post(login.action!, { ...login.hidden, email: ANN.email, password: 'wrong' })
  assert.is(signedIn.headers.get('location'), null)
  const consent = await mine.toConsent(authorizeUrl(server.issuer))
  const answer = await mine.post(consent.action!, { ...consent.hidden, decision: 'allow', company: 'acme' })
  assert.is(answer.status, 303)
  for (const headers of [begun.headers, login.headers, signedIn.headers, consent.headers, answer.headers]) {
    assert.is(headers.get('cache-control'), 'no-store')
    assert.is(headers.get('referrer-policy'), 'no-referrer')
  }
})

test('B16 a query in the redirect URI stays', async () => {
  const url = authorizeUrl(server.issuer, { client_id: 'other', redirect_uri: OTHER_REDIRECT_URI })
  const callback = await browser.allow(url)
  assert.ok(callback.href.startsWith(`${OTHER_REDIRECT_URI}&code=`), callback.href)
  const refused = await errorOf(`${url}&response_mode=fragment`, OTHER_REDIRECT_URI)
  assert.is(refused.get('tenant'), '1')
})

test('B18 POST is 405', async () => {
  assert.is((await fetch(authorizeUrl(server.issuer), { method: 'POST', redirect: 'manual' })).status, 405)
})

test('a request ends after ten minutes', async () => {
  const page = await browser.toConsent(authorizeUrl(server.issuer))
  server.clock.now += 10 * 60 * 1000
  const answer = await browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })
  assert.is(answer.status, 400)
  assert.is(answer.headers.get('location'), null)
})
