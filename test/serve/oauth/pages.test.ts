/** Checklist 1.4: the login and consent pages, as an attacker and as a person. */

import * as assert from 'uvu/assert'
import { KEYS } from '../../../serve/oauth/keys/key-record.ts'
import { PAGE_STYLE } from '../../../serve/pages/style.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ACCESS_YAML,
  ACME,
  ANN,
  authorizeUrl,
  Browser,
  DAY_MS,
  OTHER_REDIRECT_URI,
  PASSWORD,
  type Page,
  REDIRECT_URI,
  type Running,
  readPage,
  redeem,
  start,
  userInfo,
} from './harness.ts'

const test = suite('pages')
rememberPasswords(test)
let server: Running
test.before(async () => {
  server = await start()
})
test.after(() => server.close())
test.before.each(() => server.setAccess(ACCESS_YAML))

const newBrowser = () => new Browser(server.issuer)
const toLogin = async (browser: Browser): Promise<Page> =>
  readPage(await browser.follow(await browser.request(authorizeUrl(server.issuer))))

async function assertRefused(answer: Response, status: number, what = ''): Promise<void> {
  assert.is(answer.status, status, what)
  assert.is(answer.headers.get('location'), null, what)
  assert.match(answer.headers.get('content-type')!, /^text\/html/, what)
}

test('L3 an unknown user and a wrong password get the same answer', async () => {
  const answers = []
  for (const email of ['ann@example.com', 'who@example.com']) {
    const browser = newBrowser()
    const login = await toLogin(browser)
    const answer = await browser.post(login.action!, { ...login.hidden, email, password: 'no' })
    const text = (await answer.text())
      .replaceAll(email, '')
      .replace(/name="(request|csrf)" value="[\w.-]+"/g, '')
    answers.push([answer.status, text, answer.headers.get('location'), browser.cookies.has('tieout-session')])
  }
  assert.equal(answers[0], answers[1])
  assert.is(answers[0]![0], 400)
  const logged = JSON.stringify(server.events.filter(({ event }) => event === 'login-failed'))
  assert.not.match(logged, /who@example/)
})

test('L4 the password counts exactly as typed', async () => {
  for (const password of [`${PASSWORD} `, PASSWORD.toUpperCase()]) {
    const browser = newBrowser()
    const login = await toLogin(browser)
    await assertRefused(
      await browser.post(login.action!, { ...login.hidden, email: ANN.email, password }),
      400,
    )
  }
})

test('L5 after some failures the next try has to wait, unless it comes from elsewhere', async () => {
  const browser = newBrowser()
  const login = await toLogin(browser)
  const attempt = (password: string, from: string) =>
    browser.post(
      login.action!,
      { ...login.hidden, email: 'bob@example.com', password },
      { 'x-forwarded-for': from },
    )
  for (let i = 0; i < 5; i++) await assertRefused(await attempt('no', '192.0.2.1'), 400)
  const slowed = await attempt(PASSWORD, '192.0.2.1')
  await assertRefused(slowed, 429)
  assert.is(slowed.headers.get('retry-after'), '10')
  assert.match(await slowed.text(), /Wait 10 seconds/)
  assert.is((await attempt(PASSWORD, '192.0.2.2')).status, 303)
})

test('L6 what a client itself wrote into X-Forwarded-For does not free it from waiting', async () => {
  const browser = newBrowser()
  const login = await toLogin(browser)
  const statuses = []
  for (let i = 0; i < 6; i++) {
    const headers = { 'x-forwarded-for': `203.0.113.${i}, 192.0.2.9` }
    const form = { ...login.hidden, email: 'bob@example.com', password: 'no' }
    statuses.push((await browser.post(login.action!, form, headers)).status)
  }
  assert.equal(statuses, [400, 400, 400, 400, 400, 429])
})

test('L7 the session is a new secret at each sign-in, hidden from scripts', async () => {
  const browser = newBrowser()
  browser.cookies.set('tieout-session', 'p'.repeat(43))
  const login = await toLogin(browser)
  assert.match(login.action!, /login$/, 'a planted id is nobody')
  const answer = await browser.post(login.action!, { ...login.hidden, email: ANN.email, password: PASSWORD })
  const [cookie] = answer.headers.getSetCookie()
  assert.match(cookie!, /^tieout-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const first = browser.cookies.get('tieout-session')
  assert.is.not(first, 'p'.repeat(43))

  const consent = await browser.toConsent(authorizeUrl(server.issuer))
  const logoutForm = { ...consent.hidden }
  const loggedOut = await browser.post('/oauth2/logout', logoutForm)
  assert.match(loggedOut.headers.get('location')!, /login\?request=/)
  browser.cookies.set('tieout-session', first!)
  assert.match((await toLogin(browser)).action!, /login$/, 'the old id is dead')
})

test('L7 a session ends when unused, after half a day, and with a new password', async () => {
  const browser = newBrowser()
  await browser.toConsent(authorizeUrl(server.issuer))
  assert.match((await toLogin(browser)).action!, /consent$/)
  for (let minutes = 0; minutes < 12 * 60 - 25; minutes += 25) {
    server.clock.now += 25 * 60_000
    assert.match((await toLogin(browser)).action!, /consent$/, `${minutes} minutes`)
  }
  server.clock.now += 25 * 60_000
  assert.match((await toLogin(browser)).action!, /login$/, 'absolute')

  await browser.toConsent(authorizeUrl(server.issuer))
  server.clock.now += 31 * 60_000
  assert.match((await toLogin(browser)).action!, /login$/, 'idle')

  await browser.toConsent(authorizeUrl(server.issuer))
  server.setAccess(ACCESS_YAML.replace('$scrypt$ln=17', '$scrypt$ln=18'))
  assert.match((await toLogin(browser)).action!, /login$/, 'password')
})

test('L8 forms from elsewhere do nothing', async () => {
  const browser = newBrowser()
  const login = await toLogin(browser)
  const credentials = { email: ANN.email, password: PASSWORD }
  const post = (form: Record<string, string>, headers = {}, from = browser) =>
    from.post(login.action!, { ...credentials, ...form }, headers)
  await assertRefused(await post({ request: login.hidden.request! }), 403, 'no token')
  await assertRefused(await post({ ...login.hidden, csrf: 'x' }), 403, 'wrong token')
  await assertRefused(await post(login.hidden, { origin: 'https://evil.example' }), 403, 'origin')
  await assertRefused(await post(login.hidden, { 'sec-fetch-site': 'cross-site' }), 403, 'fetch metadata')
  await assertRefused(await post(login.hidden, { 'sec-fetch-site': 'same-site' }), 403, 'a neighbour')
  await assertRefused(await post(login.hidden, {}, newBrowser()), 403, 'another browser')
  const other = newBrowser()
  const theirs = await toLogin(other)
  await assertRefused(await post({ ...login.hidden, csrf: theirs.hidden.csrf! }), 403, 'token of another')
  assert.is(
    (await post(login.hidden, { origin: 'null', 'sec-fetch-site': 'same-origin' })).status,
    303,
    'as browsers send it',
  )

  const consent = await browser.toConsent(authorizeUrl(server.issuer))
  const allow = { decision: 'allow', company: 'acme' }
  await assertRefused(
    await browser.post(consent.action!, { request: consent.hidden.request!, ...allow }),
    403,
  )
  await assertRefused(
    await browser.post(consent.action!, { ...consent.hidden, ...allow }, { origin: 'https://evil.example' }),
    403,
  )
  // The login page's token is for nobody; the consent page's is for whoever saw it.
  await assertRefused(await browser.post(consent.action!, { ...login.hidden, ...allow }), 403)
})

test('L8 the principal may not change between the page and the answer', async () => {
  const browser = newBrowser()
  const anns = await browser.toConsent(authorizeUrl(server.issuer))
  await browser.post('/oauth2/logout', anns.hidden)
  await browser.toConsent(authorizeUrl(server.issuer), 'bob@example.com')
  await assertRefused(
    await browser.post(anns.action!, { ...anns.hidden, decision: 'allow', company: 'acme' }),
    403,
  )
})

test('L9 the form decides nothing but the choice, once', async () => {
  const browser = newBrowser()
  const consent = await browser.toConsent(authorizeUrl(server.issuer, { scope: 'read:company' }))
  const form: [string, string][] = [
    ...Object.entries(consent.hidden),
    ['decision', 'allow'],
    ['company', 'acme'],
    ['company', 'secret'],
    ['company', 'gone'],
    ['client_id', 'other'],
    ['redirect_uri', OTHER_REDIRECT_URI],
    ['scope', 'openid email'],
    ['user', 'bob'],
  ]
  const answer = await browser.post(consent.action!, form)
  const callback = new URL(answer.headers.get('location')!)
  assert.ok(callback.href.startsWith(REDIRECT_URI))
  const { body } = await redeem(server.issuer, callback.searchParams.get('code')!)
  assert.is(body.scope, 'read:company')
  const info = (await (await userInfo(server.issuer, body.access_token)).json()) as Record<string, unknown>
  assert.equal(info.CompanyDetails, [ACME])
  await assertRefused(await browser.post(consent.action!, form), 400, 'a replay')
})

test('L9 two answers at once: one counts', async () => {
  const browser = newBrowser()
  const consent = await browser.toConsent(authorizeUrl(server.issuer))
  const answers = await Promise.all(
    [1, 2, 3].map(() =>
      browser.post(consent.action!, { ...consent.hidden, decision: 'allow', company: 'acme' }),
    ),
  )
  assert.equal(answers.map(({ status }) => status).sort(), [303, 400, 400])
})

test('L10 two tabs do not mix', async () => {
  const browser = newBrowser()
  const otherUrl = authorizeUrl(server.issuer, {
    client_id: 'other',
    redirect_uri: OTHER_REDIRECT_URI,
    state: 'tab2',
  })
  const tab1 = await toLogin(browser)
  const tab2 = await readPage(await browser.follow(await browser.request(otherUrl)))
  const credentials = { email: ANN.email, password: PASSWORD }
  const consent2 = await readPage(
    await browser.follow(await browser.post(tab2.action!, { ...tab2.hidden, ...credentials })),
  )
  const consent1 = await readPage(
    await browser.follow(await browser.post(tab1.action!, { ...tab1.hidden, ...credentials })),
  )
  const allow = async (page: Page) =>
    (await browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })).headers.get(
      'location',
    )!
  assert.ok((await allow(consent2)).startsWith(`${OTHER_REDIRECT_URI}&code=`))
  assert.ok((await allow(consent1)).startsWith(`${REDIRECT_URI}?code=`))
})

test('L11 pages cannot be framed, scripted or sent elsewhere', async () => {
  const browser = newBrowser()
  const login = await toLogin(browser)
  const consent = await browser.toConsent(authorizeUrl(server.issuer))
  const problem = await readPage(await browser.request('/oauth2/authorize'))
  const account = await readPage(await browser.request('/account'))
  const policy =
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
  for (const [page, expected] of [
    [login, policy],
    [consent, `${policy} https://client.example`],
    [problem, policy],
    [account, policy],
  ] as const) {
    assert.is(page.headers.get('content-security-policy'), expected)
    assert.is(page.headers.get('x-frame-options'), 'DENY')
    assert.is(page.headers.get('x-content-type-options'), 'nosniff')
    assert.is(page.headers.get('referrer-policy'), 'no-referrer')
    assert.is(page.headers.get('cache-control'), 'no-store')
    assert.not.match(page.text, /<script|\sstyle=|\son\w+=|https?:/)
  }
  const style = /<link rel="stylesheet" href="([^"]+)">/.exec(login.text)![1]!
  const css = await browser.request(style)
  assert.is(css.status, 200)
  assert.match(css.headers.get('content-type')!, /^text\/css/)
})

test('L12 the consent page says who, where to, what, which companies and how long, escaped', async () => {
  const browser = newBrowser()
  const { text } = await browser.toConsent(authorizeUrl(server.issuer, { state: '"><script>x</script>' }))
  const end = new Date(server.clock.now + 365 * DAY_MS)
  const END = `${end.getUTCDate()} ${end.toLocaleDateString('en-GB', { month: 'long', timeZone: 'UTC' })} ${end.getUTCFullYear()}`
  for (const expected of [
    'Reports &amp; &lt;Friends&gt;',
    'client.example',
    'ann@example.com',
    'Acme Trading',
    'Béta &lt;AB&gt;',
    'See your name and your e-mail address',
    'You return to',
    END,
  ])
    assert.ok(text.includes(expected), expected)
  assert.not.match(text, /phone|secret|gone|<script|<Friends/)
  const order = ['Read the figures', 'See your name', 'Recognise you'].map((words) => text.indexOf(words))
  assert.equal(
    order,
    [...order].sort((a, b) => a - b),
    'what matters most comes first',
  )
  const all = await newBrowser().toConsent(authorizeUrl(server.issuer, { scope: undefined }))
  assert.not.match(all.text, /phone/, 'none is kept here')
  // Enter on a checkbox presses the first button of the form.
  assert.is(/name="decision" value="(\w+)"/.exec(text)![1], 'allow')
  const refused = newBrowser()
  const login = await toLogin(refused)
  const answer = await refused.post(login.action!, {
    ...login.hidden,
    email: '"><script>alert(1)</script>',
    password: 'x',
  })
  assert.not.match(await answer.text(), /<script/)
})

test('L12 no company chosen, and none to choose', async () => {
  const browser = newBrowser()
  const consent = await browser.toConsent(authorizeUrl(server.issuer))
  const again = await readPage(await browser.post(consent.action!, { ...consent.hidden, decision: 'allow' }))
  assert.is(again.status, 400)
  assert.match(again.text, /at least one company/)
  const second = await browser.post(again.action!, { ...again.hidden, decision: 'allow', company: 'beta' })
  assert.is(second.status, 303)

  const bob = newBrowser()
  const empty = await bob.toConsent(authorizeUrl(server.issuer), 'bob@example.com')
  assert.match(empty.text, /no company to share/)
  assert.not.match(empty.text, /value="allow"/)
  const withoutCompanies = await bob.toConsent(authorizeUrl(server.issuer, { scope: 'openid' }))
  assert.not.match(withoutCompanies.text, /<fieldset/)
  assert.match(withoutCompanies.text, /value="allow"/)
})

test('L7 behind a proxy: https cookies pinned to the host, addresses below the issuer’s path', async () => {
  const proxied = await start('https://books.example/tieout')
  try {
    const browser = new Browser(proxied.address)
    // What the proxy does: it takes the prefix off.
    const strip = (url: string) => url.replace(/^\/tieout/, '')
    const begun = await browser.request(
      strip(new URL(authorizeUrl(proxied.issuer)).href.replace('https://books.example', '')),
    )
    const next = begun.headers.get('location')!
    assert.match(next, /^\/tieout\/oauth2\/login\?/)
    const login = await readPage(await browser.request(strip(next)))
    assert.is(login.action, '/tieout/oauth2/login')
    assert.match(login.text, /href="\/tieout\/oauth2\/style\.css/)
    const answer = await browser.post(
      strip(login.action!),
      { ...login.hidden, email: ANN.email, password: PASSWORD },
      { origin: 'https://books.example' },
    )
    assert.is(answer.status, 303)
    for (const cookie of [...begun.headers.getSetCookie(), ...answer.headers.getSetCookie()])
      assert.match(
        cookie,
        /^__Host-tieout-(browser|session)=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      )
    const metadata = await fetch(`${proxied.address}/.well-known/oauth-authorization-server/tieout`)
    const { issuer, token_endpoint } = (await metadata.json()) as Record<string, string>
    assert.equal(
      [issuer, token_endpoint],
      ['https://books.example/tieout', 'https://books.example/tieout/oauth2/token'],
    )
  } finally {
    await proxied.close()
  }
})

test('L14 A7 an unforeseen failure shows a code and the request, and nothing of the inside', async () => {
  const broken = await start()
  try {
    const begun = await fetch(authorizeUrl(broken.issuer), { redirect: 'manual' })
    const { store } = broken.oauth
    const { get } = store
    store.get = async (kind, key) => {
      if (kind.name !== KEYS.name) throw new Error('a page of lmdb in /tmp is missing')
      return get(kind, key)
    }
    const session = { headers: { cookie: `tieout-session=${'s'.repeat(43)}` } }
    for (const path of [begun.headers.get('location')!, '/account']) {
      const page = await readPage(await fetch(broken.issuer + path, { ...session, redirect: 'manual' }))
      assert.is(page.status, 500, path)
      assert.match(page.text, /Something went wrong/)
      assert.match(page.text, /Code: <code>server_error<\/code><br>Request: <code>request-1<\/code>/)
      assert.not.match(page.text, /Error|\bat \w+|\.ts|lmdb|node_modules|\/tmp/)
    }
    assert.ok(
      broken.events.some(({ event }) => event === 'server_error'),
      'the log has it',
    )
  } finally {
    await broken.close()
  }
})

/** WCAG 2.2: relative luminance, and the contrast of two colours. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [r, g, blue] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
      number,
      number,
      number,
    ]
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue
  }
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

test('L12 text and controls stand out enough, light and dark', () => {
  const themes = [...PAGE_STYLE.matchAll(/:root \{([^}]*)\}/g)].map(
    ([, body]) =>
      new Map([...body!.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map((match) => [match[1]!, match[2]!])),
  )
  assert.is(themes.length, 2)
  for (const theme of themes)
    for (const [front, back, least] of [
      ['text', 'card', 7],
      ['text', 'soft', 7],
      ['text', 'page', 7],
      ['quiet', 'card', 4.5],
      ['accent', 'card', 4.5],
      ['accent-strong', 'card', 4.5],
      ['on-accent', 'accent', 4.5],
      ['on-accent', 'accent-strong', 4.5],
      ['problem', 'card', 4.5],
      ['problem', 'problem-soft', 4.5],
      ['field', 'card', 3],
    ] as const) {
      const ratio = contrast(theme.get(front)!, theme.get(back)!)
      assert.ok(ratio >= least, `${front} on ${back}: ${ratio.toFixed(2)}`)
    }
})

test('L14 K9 nothing secret was logged by all of this', () => {
  const log = JSON.stringify(server.events)
  assert.ok(server.events.length > 20)
  // A token is two texts that begin with eyJ; an id that is random may hold these letters too.
  assert.not.match(log, /correct horse|scrypt|a-secret|tieout-session|eyJ[\w-]+\.eyJ/)
})
