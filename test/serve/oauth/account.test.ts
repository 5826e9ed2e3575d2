/** Checklist L13 (grants are listed and revoked, consent is never remembered) and L8 for the account page. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createAccess } from '../../../builder/workspace/access.ts'
import { openGrants } from '../../../serve/oauth/grants.ts'
import {
  ACCESS_YAML,
  ANN,
  authorizeUrl,
  Browser,
  connect,
  DAY_MS,
  PASSWORD,
  type Running,
  readPage,
  redeem,
  refreshWith,
  start,
  userInfo,
} from './harness.ts'

const test = suite('account')
let server: Running
test.before.each(async () => {
  server = await start()
})
test.after.each(() => server.close())

/** Signs in where asked, and gives the text of the page that comes last. */
async function account(browser: Browser, email = ANN.email, path = '/account'): Promise<string> {
  const answer = await browser.follow(await browser.request(path))
  const page = await readPage(answer)
  if (!page.action?.endsWith('/oauth2/login')) return page.text
  assert.match(page.text, /see who has access in your name/)
  const form = { ...page.hidden, email, password: PASSWORD }
  return (await readPage(await browser.follow(await browser.post(page.action, form)))).text
}
const valuesOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map((match) => match[1]!)

test('L13 the account page lists who has access, to what, since when and how long', async () => {
  const browser = new Browser(server.issuer)
  server.clock.now = Date.UTC(2025, 2, 3, 23, 59)
  const { refresh } = await connect(server, browser)
  server.clock.now = Date.UTC(2025, 3, 30)
  await refreshWith(server.issuer, refresh)
  const text = await account(browser)
  for (const expected of [
    'Ann Åkesson',
    ANN.email,
    'Reports &amp; &lt;Friends&gt;',
    'Acme Trading, Béta &lt;AB&gt;',
    '3 March 2025',
    '30 April 2025',
    '3 March 2026',
    '29 July 2025',
    'See your name',
  ])
    assert.ok(text.includes(expected), `${expected}\n${text}`)
  assert.not.match(text, /<script|\sstyle=|\son\w+=|<Friends/)
})

test('L13 a user ends a grant; its tokens are refused at once', async () => {
  const browser = new Browser(server.issuer)
  const { access, refresh } = await connect(server, browser)
  server.clock.now += 1000
  const kept = await connect(server, browser, { scope: 'openid' })
  const page = await account(browser)
  const [grant] = valuesOf(page, 'grant')
  assert.is(valuesOf(page, 'grant').length, 2)
  const answer = await browser.post('/account/end-access', {
    csrf: valuesOf(page, 'csrf')[0]!,
    grant: grant!,
  })
  assert.is(answer.status, 303)
  const after = await account(browser, ANN.email, answer.headers.get('location')!)
  assert.match(after, /The access of <strong>Reports &amp; &lt;Friends&gt;<\/strong> has ended/)
  assert.is(valuesOf(after, 'grant').length, 1)
  assert.is((await userInfo(server.issuer, access)).status, 401)
  assert.is((await refreshWith(server.issuer, refresh)).body.error, 'invalid_grant')
  assert.is((await userInfo(server.issuer, kept.access)).status, 200)
})

test('L8 L13 nobody else ends it: no token, another site, another user, no session', async () => {
  const ann = new Browser(server.issuer)
  const { access } = await connect(server, ann)
  const page = await account(ann)
  const [grant] = valuesOf(page, 'grant')
  const [csrf] = valuesOf(page, 'csrf')
  const post = (browser: Browser, form: Record<string, string>, headers = {}) =>
    browser.post('/account/end-access', form, headers)
  assert.is((await post(ann, { grant: grant! })).status, 403)
  assert.is((await post(ann, { grant: grant!, csrf: 'x' })).status, 403)
  assert.is((await post(ann, { grant: grant!, csrf: csrf! }, { origin: 'https://evil.example' })).status, 403)
  assert.is((await post(ann, { grant: grant!, csrf: csrf! }, { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.is(
    (await ann.request(`/account/end-access?grant=${grant}&csrf=${csrf}`)).status,
    405,
    'a link does nothing',
  )

  const bob = new Browser(server.issuer)
  const bobs = await account(bob, 'bob@example.com')
  assert.match(bobs, /No application has access in your name/)
  assert.is((await post(bob, { grant: grant!, csrf: csrf! })).status, 403)
  const own = valuesOf(bobs, 'csrf')[0]!
  const ignored = await post(bob, { grant: grant!, csrf: own })
  assert.is(ignored.headers.get('location'), '/account')
  assert.not.match(await account(bob, '', `/account?ended=${grant}`), /Reports/)
  await post(new Browser(server.issuer), { grant: grant!, csrf: csrf! })
  assert.is((await userInfo(server.issuer, access)).status, 200)
})

test('L7 signing out ends the session, not the access', async () => {
  const browser = new Browser(server.issuer)
  const { access } = await connect(server, browser)
  const session = browser.cookies.get('tieout-session')!
  const page = await account(browser)
  assert.is((await browser.post('/account/sign-out', { csrf: 'x' })).status, 403)
  const answer = await browser.post('/account/sign-out', { csrf: valuesOf(page, 'csrf')[0]! })
  assert.is(answer.status, 303)
  browser.cookies.set('tieout-session', session)
  const next = await readPage(await browser.follow(await browser.request('/account')))
  assert.match(next.action!, /login$/)
  assert.is((await userInfo(server.issuer, access)).status, 200)
})

test('L11 the account page cannot be framed, kept, or sent elsewhere', async () => {
  const browser = new Browser(server.issuer)
  await account(browser)
  const { headers } = await browser.request('/account')
  assert.is(
    headers.get('content-security-policy'),
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  )
  assert.is(headers.get('cache-control'), 'no-store')
})

test('L13 consent is never remembered: the page is shown each time, whatever was granted before', async () => {
  const browser = new Browser(server.issuer)
  await connect(server, browser)
  for (const scope of ['openid profile email read:company', 'openid']) {
    const page = await browser.toConsent(authorizeUrl(server.issuer, { scope }))
    assert.match(page.action!, /\/oauth2\/consent$/)
  }
})

test('L13 what ended otherwise is not listed as access', async () => {
  const browser = new Browser(server.issuer)
  const { code } = await connect(server, browser)
  await redeem(server.issuer, code)
  assert.match(await account(browser), /No application has access/)
  await connect(server, browser)
  server.clock.now += 91 * DAY_MS
  assert.match(await account(browser), /No application has access/)
})

test('L13 the operator lists and revokes in the state that a server runs on', async () => {
  const browser = new Browser(server.issuer)
  const { access } = await connect(server, browser)
  server.clock.now += 1000
  const other = await connect(server, browser)
  await redeem(server.issuer, other.code)
  const users = createAccess(`${server.folder}/access.yaml`)
  const grants = openGrants(`${server.folder}/.tieout`, users)
  try {
    const [first, second] = grants.list()
    assert.equal([first!.status, second!.status], ['active', 'revoked'])
    assert.equal(first!.companies, ['acme', 'beta'])
    assert.equal([first!.userId, first!.clientId], ['ann', 'reports'])
    assert.is((await userInfo(server.issuer, access)).status, 200)
    await grants.revoke(first!.id)
    assert.is((await userInfo(server.issuer, access)).status, 401)
    assert.is(grants.list()[0]!.status, 'revoked')
  } finally {
    await grants.close()
  }
  server.clock.now += 1000
  await connect(server, browser)
  server.setAccess(ACCESS_YAML.replace('- id: ann', '- id: anna'))
  const without = openGrants(`${server.folder}/.tieout`, createAccess(`${server.folder}/access.yaml`))
  assert.is(without.list().at(-1)!.status, 'withdrawn')
  await without.close()
})

test.run()
