/** S8: every posting is a scope of its own, which the operator allows a client and the user ticks; nothing else gives it. */

import * as assert from 'uvu/assert'
import type { Grant } from '../../../serve/oauth/tokens/grant.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ACCESS_YAML,
  authorizeUrl,
  Browser,
  connect,
  type Page,
  type Running,
  redeem,
  refreshWith,
  start,
} from './harness.ts'

const ALLOWED = ACCESS_YAML.replace('    name: Reports', '    allowLedger: true\n    name: Reports')
const LEDGER = 'read:company read:ledger'

const test = suite('ledger scope')
rememberPasswords(test)
let server: Running
let browser: Browser
test.before(async () => {
  server = await start()
  browser = new Browser(server.issuer)
})
test.before.each(() => server.setAccess(ALLOWED))
test.after(() => server.close())

const grantOf = (access: string): Promise<Grant> =>
  server.oauth.authenticate({
    url: '/',
    headers: {},
    rawHeaders: ['Authorization', `Bearer ${access}`],
  } as never)
const scopesOf = async (access: string): Promise<string[]> => [...(await grantOf(access)).scopes]

const pageFor = (scope: string | undefined): Promise<Page> =>
  browser.toConsent(authorizeUrl(server.issuer, { scope }))

async function answer(page: Page, more: [string, string][]) {
  const form: [string, string][] = [
    ...Object.entries(page.hidden),
    ['decision', 'allow'],
    ['company', 'acme'],
    ...more,
  ]
  const location = (await browser.post(page.action!, form)).headers.get('location')!
  return (await redeem(server.issuer, new URL(location).searchParams.get('code')!)).body
}

const BOX = /<input type="checkbox" name="ledger" value="yes">/

test('S8 a client that may ask gets it where the user ticks it, and not otherwise', async () => {
  const page = await pageFor(LEDGER)
  assert.match(page.text, BOX)
  assert.match(page.text, 'every posting')
  const without = await answer(page, [])
  assert.is(without.scope, 'read:company')
  assert.equal(await scopesOf(without.access_token), ['read:company'])
  const given = await answer(await pageFor(LEDGER), [['ledger', 'yes']])
  assert.is(given.scope, LEDGER)
  assert.equal(await scopesOf(given.access_token), LEDGER.split(' '))
  const consents = server.events.filter(({ event }) => event === 'consent').slice(-2)
  assert.equal(
    consents.map(({ scopes }) => scopes),
    [['read:company'], LEDGER.split(' ')],
  )
})

test('S8 a tick that was not offered gives nothing', async () => {
  for (const [yaml, scope] of [
    [ALLOWED, 'read:company'],
    [ALLOWED, undefined],
    [ACCESS_YAML, LEDGER],
  ] as const) {
    server.setAccess(yaml)
    const page = await pageFor(scope)
    assert.not.match(page.text, BOX)
    const body = await answer(page, [['ledger', 'yes']])
    assert.not.match(body.scope, 'ledger')
    assert.not((await scopesOf(body.access_token)).includes('read:ledger'))
  }
})

test('S8 it is nothing without the figures', async () => {
  const refused = await browser.request(authorizeUrl(server.issuer, { scope: 'read:ledger' }))
  assert.match(refused.headers.get('location')!, 'error=invalid_scope')
  const page = await pageFor('openid read:ledger')
  assert.not.match(page.text, BOX)
})

test('S8 what the operator takes away is gone at once, and back with it', async () => {
  const given = await answer(await pageFor(LEDGER), [['ledger', 'yes']])
  server.setAccess(ACCESS_YAML)
  assert.equal(await scopesOf(given.access_token), ['read:company'])
  const refreshed = (await refreshWith(server.issuer, given.refresh_token)).body
  assert.is(refreshed.scope, 'read:company')
  server.setAccess(ALLOWED)
  assert.equal(await scopesOf(given.access_token), LEDGER.split(' '))
  const again = (await refreshWith(server.issuer, refreshed.refresh_token)).body
  assert.is(again.scope, LEDGER)
})

test('S8 a grant from before there was this scope keeps the figures that its consent named, and no more', async () => {
  server.setAccess(ACCESS_YAML)
  const { access, refresh } = await connect(server, browser, { scope: 'openid read:company' })
  server.setAccess(ALLOWED)
  assert.equal(await scopesOf(access), ['openid', 'read:company'])
  const wider = await refreshWith(server.issuer, refresh, { scope: 'read:company read:ledger' })
  assert.is(wider.body.error, 'invalid_scope')
  assert.is((await refreshWith(server.issuer, refresh)).body.scope, 'openid read:company')
})
