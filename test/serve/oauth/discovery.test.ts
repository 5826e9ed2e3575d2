/** Checklist 1.1 (discovery) and K5 (published keys). */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { type Running, start } from './harness.ts'

const test = suite('discovery')
rememberPasswords(test)
let server: Running
test.before(async () => {
  server = await start()
})
test.after(() => server.close())

test('D1 D2 exactly the seven members of the specification, built from the issuer and not from Host', async () => {
  const answer = await fetch(`${server.issuer}/auth/oauth-discovery`, { headers: { host: 'evil.example' } })
  assert.is(answer.status, 200)
  assert.match(answer.headers.get('content-type')!, /^application\/json/)
  const document = (await answer.json()) as Record<string, unknown>
  const seven = {
    issuer: server.issuer,
    authorization_endpoint: `${server.issuer}/oauth2/authorize`,
    token_endpoint: `${server.issuer}/oauth2/token`,
    grant_types_supported: ['authorization_code', 'refresh_token'],
    response_types_supported: ['code'],
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'read:company'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  }
  assert.equal(document, seven)
})

const wellKnown = async (): Promise<Record<string, unknown>> =>
  (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json() as Promise<
    Record<string, unknown>
  >

test('D3 every URL begins with the issuer and is answered', async () => {
  const urls = Object.entries(await wellKnown()).filter(([member]) => /_(endpoint|uri)$/.test(member))
  assert.is(urls.length, 5)
  for (const [member, url] of urls) {
    assert.ok(String(url).startsWith(server.issuer), member)
    assert.is.not((await fetch(String(url), { redirect: 'manual' })).status, 404, member)
  }
})

test('D4 D5 the same members at the well-known address, with only true additions', async () => {
  const own = (await (await fetch(`${server.issuer}/auth/oauth-discovery`)).json()) as object
  const mirror = await wellKnown()
  assert.equal({ ...mirror, ...own }, mirror)
  assert.equal(mirror.code_challenge_methods_supported, ['S256'])
  assert.is(mirror.authorization_response_iss_parameter_supported, true)
})

test('D4 the same bytes where OpenID Connect looks, below the path of the issuer', async () => {
  const mirror = await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)
  const openId = await fetch(`${server.issuer}/.well-known/openid-configuration`)
  assert.equal([openId.status, await openId.text()], [200, await mirror.text()])
  const below = await start('https://books.example/tieout')
  const paths = below.oauth.routes.map(({ path }) => path)
  await below.close()
  assert.ok(paths.includes('/tieout/.well-known/openid-configuration'))
  assert.ok(paths.includes('/.well-known/oauth-authorization-server/tieout'))
})

test('D8 parameters are refused by name', async () => {
  for (const path of [
    '/auth/oauth-discovery',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/oauth2/jwks',
  ]) {
    const answer = await fetch(`${server.issuer}${path}?resource=x`)
    assert.is(answer.status, 400, path)
    assert.equal(await answer.json(), {
      error: 'invalid_request',
      error_description: 'parameters that are not known here: resource',
    })
    assert.is((await fetch(`${server.issuer}${path}?`)).status, 200, path)
  }
})

test('D7 ETag, 304, HEAD, short max-age', async () => {
  const url = `${server.issuer}/auth/oauth-discovery`
  const first = await fetch(url)
  const etag = first.headers.get('etag')!
  assert.ok(etag)
  assert.match(first.headers.get('cache-control')!, /max-age=(\d{1,3}|[12]\d{3}|3[0-5]\d\d|3600)$/)
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await fetch(url, { headers: { 'if-none-match': known } })
    assert.is(again.status, 304, known)
    assert.is(again.headers.get('etag'), etag)
    assert.is(await again.text(), '')
  }
  const head = await fetch(url, { method: 'HEAD' })
  assert.is(head.headers.get('content-length'), first.headers.get('content-length'))
  assert.is(head.headers.get('etag'), etag)
})

test('D8 POST is 405', async () => {
  assert.is((await fetch(`${server.issuer}/auth/oauth-discovery`, { method: 'POST' })).status, 405)
})

test('K5 the key set has no private members', async () => {
  const { keys } = (await (await fetch(`${server.issuer}/oauth2/jwks`)).json()) as {
    keys: Record<string, string>[]
  }
  assert.is(keys.length, 1)
  assert.equal(Object.keys(keys[0]!).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  assert.is(keys[0]!.use, 'sig')
  assert.is(keys[0]!.alg, 'RS256')
})
