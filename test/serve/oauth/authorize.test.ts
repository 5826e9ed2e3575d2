/** Checklist 1.2 (before anything may redirect) and 1.3 (errors by redirect). */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { exchanged } from '../http/exchanges.ts'
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

/** A good request, changed: `name=value`, `-name` for none, `+name=value` for one more; texts in quotes may hold escapes. */
function changed(changes: string): string {
  const parameters: Record<string, string | undefined> = {}
  let more = ''
  for (const change of changes.split('; ')) {
    const [, sign, name = '', value = ''] = /^([-+]?)(\w+)=?(.*)$/s.exec(change)!
    if (sign === '+') more += `&${name}=${value}`
    else parameters[name] = sign === '-' ? undefined : unquoted(value)
  }
  return authorizeUrl(server.issuer, parameters) + more
}
const unquoted = (text: string): string =>
  text.startsWith('"')
    ? text
        .slice(1, -1)
        .replace(/\\([nr0\\])/g, (_, each: string) => ({ n: '\n', r: '\r', 0: '\0' })[each] ?? each)
    : text

/** Without a session. */
const exchange = (name: string): Promise<void> =>
  exchanged(
    name,
    async ({ method, target }) => {
      const [, changes] = /^authorize (.*)$/s.exec(target) ?? []
      const url = changes === undefined ? server.issuer + target : changed(changes)
      const answer = await fetch(url, { method, redirect: 'manual' })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    },
    {
      of: import.meta.url,
      shown: ['content-type', 'cache-control', 'referrer-policy', 'location'],
      settle: (text) =>
        text
          .replaceAll(server.issuer, 'ISSUER')
          .replaceAll(encodeURIComponent(server.issuer), 'ISSUER')
          .replace(/(?<=login\?request=)[\w.-]+/g, 'SEALED'),
    },
  )

test('A1 A2 A3 A4 A6 A7 where client or redirect URI cannot be trusted, nothing leads away', () =>
  exchange('before-redirects'))
test('B1 B2 B3 B4 B5 B7 B8 B9 B10 B11 B12 B16 B18 D6 what is asked wrongly is told to the client', () =>
  exchange('errors-by-redirect'))

test('B4 B5 unknown scopes are left out, and order does not matter', async () => {
  const code = (
    await browser.allow(authorizeUrl(server.issuer, { scope: 'read:company address openid' }))
  ).searchParams.get('code')!
  assert.is((await redeem(server.issuer, code)).body.scope, 'openid read:company')
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
})

test('a request ends after ten minutes', async () => {
  const page = await browser.toConsent(authorizeUrl(server.issuer))
  server.clock.now += 10 * 60 * 1000
  const answer = await browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })
  assert.is(answer.status, 400)
  assert.is(answer.headers.get('location'), null)
})
