/** However often one person allows access: what is kept of it ends, and nobody else notices. */

import * as assert from 'uvu/assert'
import { GRANTS, type GrantRecord } from '../../../serve/oauth/state/records.ts'
import { GRANTS_MAX } from '../../../serve/oauth/tokens/families.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { authorizeUrl, Browser, connect, type Running, refreshWith, start, userInfo } from './harness.ts'

const test = suite('many grants')
rememberPasswords(test)
let server: Running
test.before.each(async () => {
  server = await start()
})
test.after.each(() => server.close())

/** One second apart, oldest first. */
async function demoTokens(count: number, user = 'ann', client = 'reports'): Promise<string[]> {
  const tokens = []
  for (let i = 0; i < count; i++) {
    tokens.push(await server.oauth.issueDemoToken(user, client, ['acme'], 3600))
    server.clock.now += 1000
  }
  return tokens
}
const status = async (token: string): Promise<number> => (await userInfo(server.issuer, token)).status
const grants = async (): Promise<readonly GrantRecord[]> =>
  (await server.oauth.store.all(GRANTS)).map(({ record }) => record)

async function account(email: string) {
  const browser = new Browser(server.issuer)
  return { browser, text: await (await browser.signIn('/account', email)).text() }
}

test('H5 beyond a hundred grants of a person to a client the oldest gives way, and it is told', async () => {
  const [ofBob] = await demoTokens(1, 'bob')
  const [toOther] = await demoTokens(1, 'ann', 'other')
  const browser = new Browser(server.issuer)
  const { access, refresh } = await connect(server, browser)
  server.clock.now += 1000
  const [second, ...more] = await demoTokens(GRANTS_MAX - 1)
  assert.equal([await status(access), await status(second!)], [200, 200])
  const [newest] = await demoTokens(1)
  assert.equal([await status(access), await status(second!)], [401, 200], 'the oldest of them gave way')
  assert.is((await refreshWith(server.issuer, refresh)).body.error, 'invalid_grant')
  const told = server.events.filter(({ event }) => event === 'grant-displaced')
  assert.equal(
    told.map(({ user, client }) => [user, client]),
    [['ann', 'reports']],
  )
  // A code counts as much as any other way to a grant.
  const next = await connect(server, browser)
  assert.equal([await status(second!), await status(next.access)], [401, 200])
  for (const token of [ofBob!, toOther!, newest!, more.at(-1)!]) assert.is(await status(token), 200)
  assert.is((await grants()).length, GRANTS_MAX + 2)
})

test('H5 grants that have ended are not heaped up either, and none that lives gives way to them', async () => {
  const [living] = await demoTokens(1)
  for (let round = 0; round < 3; round++) {
    const tokens = await demoTokens(60)
    const { browser, text } = await account('ann@example.com')
    const csrf = /name="csrf" value="([^"]*)"/.exec(text)![1]!
    for (const { key, record } of await server.oauth.store.ofOwner(GRANTS, 'ann'))
      if (record.createdAt > server.clock.now - 60_500 && record.revokedAt === null)
        await browser.post('/account/end-access', { csrf, grant: key })
    assert.is(await status(tokens.at(-1)!), 401)
  }
  await demoTokens(1)
  assert.is(await status(living!), 200)
  assert.equal(
    (await grants()).filter(({ revokedAt }) => revokedAt !== null).length,
    GRANTS_MAX,
    'dead ones are kept up to the same number',
  )
})

test('H5 the account page shows 25 at a time, one person’s alone, and ends all of an application at once', async () => {
  await demoTokens(30, 'bob')
  await demoTokens(3, 'ann', 'other')
  await demoTokens(60)
  const shown = (text: string) => (text.match(/name="grant"/g) ?? []).length
  const { browser, text } = await account('ann@example.com')
  assert.is(shown(text), 25)
  assert.match(text, 'Page 1 of 3')
  assert.match(text, 'End all 60')
  assert.not.match(text, 'rel="prev"')
  const next = /<a href="([^"]*)" rel="next">/.exec(text)![1]!
  const second = await (await browser.request(next)).text()
  assert.is(shown(second), 25)
  const last = await (await browser.request('/account?page=3')).text()
  assert.is(shown(last), 13)
  assert.match(last, 'End all 3')
  assert.not.match(last, 'rel="next"')
  const ids = (page: string) => [...page.matchAll(/name="grant" value="([^"]*)"/g)].map((match) => match[1])
  assert.is(new Set([text, second, last].flatMap(ids)).size, 63)
  for (const [page, expected] of [
    ['99', 'Page 3 of 3'],
    ['0', 'Page 1 of 3'],
    ['-1', 'Page 1 of 3'],
    ['x', 'Page 1 of 3'],
  ] as const)
    assert.match(await (await browser.request(`/account?page=${page}`)).text(), expected, page)

  const csrf = /name="csrf" value="([^"]*)"/.exec(text)![1]!
  await browser.post('/account/end-access', { csrf, client: 'reports' })
  const after = await (await browser.request('/account')).text()
  assert.is(shown(after), 3)
  assert.not.match(after, 'Page ')
  assert.is(shown((await account('bob@example.com')).text), 25)
})

test('H5 who allows access all the time has to wait; others and later consents do not', async () => {
  const browser = new Browser(server.issuer)
  const allow = async (): Promise<Response> => {
    const page = await browser.toConsent(authorizeUrl(server.issuer))
    return browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })
  }
  for (let i = 0; i < 60; i++) assert.is((await allow()).status, 303, String(i))
  const refused = await allow()
  assert.is(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.match(await refused.text(), /very often/)
  assert.is(server.events.filter(({ event }) => event === 'consent').length, 60)
  const other = new Browser(server.issuer)
  const page = await other.toConsent(authorizeUrl(server.issuer, { scope: 'openid' }), 'bob@example.com')
  assert.is((await other.post(page.action!, { ...page.hidden, decision: 'allow' })).status, 303)
})
