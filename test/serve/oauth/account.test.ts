/** Checklist L13 (grants are listed and revoked, consent is never remembered) and L8 for the account page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { hashPassword } from '../../../builder/system/password.ts'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { openGrants } from '../../../serve/oauth/tokens/grants.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { soon, storedIn } from '../../support/state.ts'
import {
  ACCESS_YAML,
  ANN,
  authorizeUrl,
  Browser,
  connect,
  DAY_MS,
  OTHER_REDIRECT_URI,
  OTHER_SECRET,
  PASSWORD,
  PASSWORD_HASH,
  type Running,
  readPage,
  redeem,
  refreshWith,
  start,
  userInfo,
} from './harness.ts'

const test = suite('account')
rememberPasswords(test)
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
  const grants = valuesOf(page, 'grant')
  assert.is(grants.length, 2)
  const grant = grants[1]
  const answer = await browser.post('/account/end-access', {
    csrf: valuesOf(page, 'csrf')[0]!,
    grant: grant!,
  })
  assert.is(answer.status, 303)
  const after = await account(browser, ANN.email, answer.headers.get('location')!)
  assert.match(after, /The access of Reports &amp; &lt;Friends&gt; has ended/)
  assert.is(valuesOf(after, 'grant').length, 1)
  assert.is((await userInfo(server.issuer, access)).status, 401)
  assert.is((await refreshWith(server.issuer, refresh)).body.error, 'invalid_grant')
  assert.is((await userInfo(server.issuer, kept.access)).status, 200)
})

test('L13 grants stand by application, the newest first, with their time; all of one end at once', async () => {
  const browser = new Browser(server.issuer)
  server.clock.now = Date.UTC(2025, 2, 3, 9, 5)
  const first = await connect(server, browser)
  server.clock.now = Date.UTC(2025, 2, 3, 9, 30)
  const second = await connect(server, browser, { scope: 'openid' })
  server.clock.now = Date.UTC(2025, 2, 3, 9, 40)
  const others = { client_id: 'other', redirect_uri: OTHER_REDIRECT_URI }
  const back = await browser.allow(authorizeUrl(server.issuer, others))
  const other = await redeem(server.issuer, back.searchParams.get('code')!, {
    ...others,
    client_secret: OTHER_SECRET,
  })
  const page = await account(browser)
  assert.equal(
    [...page.matchAll(/<h3 id="application-\d">([^<]*)<\/h3>/g)].map((match) => match[1]),
    ['Other', 'Reports &amp; &lt;Friends&gt;'],
  )
  assert.equal(
    [...page.matchAll(/<dt>Given<\/dt><dd><time [^>]*>([^<]*)</g)].map((match) => match[1]),
    ['3 March 2025, 09:40 UTC', '3 March 2025, 09:30 UTC', '3 March 2025, 09:05 UTC'],
  )
  assert.equal(valuesOf(page, 'client'), ['reports'], 'where there are several')
  const answer = await browser.post('/account/end-access', {
    csrf: valuesOf(page, 'csrf')[0]!,
    client: 'reports',
  })
  const after = await account(browser, ANN.email, answer.headers.get('location')!)
  assert.match(after, /The access of Reports &amp; &lt;Friends&gt; has ended/)
  for (const { access } of [first, second]) assert.is((await userInfo(server.issuer, access)).status, 401)
  assert.is((await userInfo(server.issuer, other.body.access_token)).status, 200)
  assert.is(valuesOf(after, 'grant').length, 1)

  const bob = new Browser(server.issuer)
  const csrf = valuesOf(await account(bob, 'bob@example.com'), 'csrf')[0]!
  await bob.post('/account/end-access', { csrf, client: 'other' })
  assert.is((await userInfo(server.issuer, other.body.access_token)).status, 200, 'another person’s')
})

const NEXT = 'a longer secret than before'
const changePassword = async (browser: Browser, form: Record<string, string>, headers = {}) => {
  const csrf = valuesOf(await account(browser), 'csrf')[0]!
  return browser.post(
    '/account/password',
    { csrf, current: PASSWORD, new: NEXT, again: NEXT, ...form },
    headers,
  )
}
const canSignIn = async (password: string): Promise<boolean> => {
  const page = await new Browser(server.issuer).toConsent(authorizeUrl(server.issuer), ANN.email, password)
  return page.action!.endsWith('/oauth2/consent')
}

test('L1 L13 people change their password: they are signed out elsewhere, applications go on', async () => {
  const browser = new Browser(server.issuer)
  const { access, refresh } = await connect(server, browser)
  const elsewhere = new Browser(server.issuer)
  await account(elsewhere)
  const yaml = readFileSync(join(server.folder, 'access.yaml'), 'utf8')
  const changed = await changePassword(browser, {})
  assert.is(changed.headers.get('location'), '/account?done=password')
  assert.match(await account(browser, ANN.email, '/account?done=password'), /Your password is changed/)
  assert.match((await elsewhere.request('/account')).headers.get('location')!, '/oauth2/login')
  assert.equal([await canSignIn(PASSWORD), await canSignIn(NEXT)], [false, true])
  assert.is((await userInfo(server.issuer, access)).status, 200)
  assert.is((await refreshWith(server.issuer, refresh)).status, 200)
  await server.restart()
  assert.equal([await canSignIn(PASSWORD), await canSignIn(NEXT)], [false, true])
  assert.is(
    readFileSync(join(server.folder, 'access.yaml'), 'utf8'),
    yaml,
    'the operator’s file is left alone',
  )
  const stored = await storedIn(server.state)
  assert.not.match(stored, NEXT)
  assert.match(stored, '$scrypt$ln=17,r=8,p=1$')

  // The operator's word is the last one: it ends all that was before.
  const other = await hashPassword('the operator gave me this one')
  server.setAccess(ACCESS_YAML.replace(PASSWORD_HASH, other))
  assert.equal([await canSignIn(NEXT), await canSignIn('the operator gave me this one')], [false, true])
  assert.match((await browser.request('/account')).headers.get('location')!, '/oauth2/login')
  assert.is((await userInfo(server.issuer, access)).status, 401)
})

test('L5 L8 a new password needs the present one, typed from our page, and is no short one', async () => {
  const browser = new Browser(server.issuer)
  const elsewhere = new Browser(server.issuer)
  await account(elsewhere)
  for (const [form, headers, status, said] of [
    [{ csrf: 'x' }, {}, 403, /not sent from this page/],
    [{}, { origin: 'https://evil.example' }, 403, /not sent from this page/],
    [{ new: 'elevenchars', again: 'elevenchars' }, {}, 400, /12 characters or more/],
    [{ new: '', again: '' }, {}, 400, /12 characters or more/],
    [{ again: `${NEXT}!` }, {}, 400, /typed in two ways/],
    [{ current: 'guessed' }, {}, 400, /present password is another one/],
  ] as const) {
    const answer = await changePassword(browser, form, headers)
    const text = await answer.text()
    assert.is(answer.status, status, JSON.stringify(form))
    assert.match(text, said)
    assert.not.match(text, NEXT)
  }
  let answer = await changePassword(browser, { current: 'guessed' })
  for (let i = 0; i < 6 && answer.status === 400; i++)
    answer = await changePassword(browser, { current: 'guessed' })
  assert.is(answer.status, 429, 'guessing is slowed down as on the sign-in page')
  assert.ok(Number(answer.headers.get('retry-after')) > 0)
  assert.is((await elsewhere.request('/account')).status, 200, 'nobody was signed out')
  const nobody = await new Browser(server.issuer).post('/account/password', { new: NEXT, again: NEXT })
  assert.is(nobody.headers.get('location'), '/account')
})

test('L7 L13 other sessions are counted, and ended from here', async () => {
  const [browser, second, third, bob] = [1, 2, 3, 4].map(() => new Browser(server.issuer))
  assert.match(await account(browser!), /on this browser only/)
  await account(bob!, 'bob@example.com')
  await account(second!)
  assert.match(await account(browser!), /on another browser/)
  await account(third!)
  const page = await account(browser!)
  assert.match(page, /on 2 other browsers/)
  assert.is((await browser!.post('/account/end-sessions', { csrf: 'x' })).status, 403)
  const csrf = valuesOf(page, 'csrf')[0]!
  const ended = await browser!.post('/account/end-sessions', { csrf })
  assert.match(
    await account(browser!, ANN.email, ended.headers.get('location')!),
    /signed out everywhere else/,
  )
  for (const other of [second!, third!])
    assert.match((await other.request('/account')).headers.get('location')!, '/oauth2/login')
  for (const still of [browser!, bob!]) assert.is((await still.request('/account')).status, 200)
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
  const grants = await openGrants(server.state, users)
  try {
    const [first, second] = await grants.list()
    assert.equal([first!.status, second!.status], ['active', 'revoked'])
    assert.equal(first!.companies, ['acme', 'beta'])
    assert.equal([first!.userId, first!.clientId], ['ann', 'reports'])
    assert.is((await userInfo(server.issuer, access)).status, 200)
    await grants.revoke(first!.id)
    const isRefused = async () => assert.is((await userInfo(server.issuer, access)).status, 401)
    await soon(isRefused)
    assert.is((await grants.list())[0]!.status, 'revoked')
  } finally {
    await grants.close()
  }
  server.clock.now += 1000
  await connect(server, browser)
  server.setAccess(ACCESS_YAML.replace('- id: ann', '- id: anna'))
  const without = await openGrants(server.state, createAccess(`${server.folder}/access.yaml`))
  assert.is((await without.list()).at(-1)!.status, 'withdrawn')
  await without.close()
})
