/** Checklist 1.1 (discovery) and K5 (published keys). */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { exchanged } from '../http/exchanges.ts'
import { type Running, start } from './harness.ts'

const test = suite('discovery')
rememberPasswords(test)
let server: Running
test.before(async () => {
  server = await start()
})
test.after(() => server.close())

test('D1 D2 D4 D5 D8 the members of the specification, of the issuer; parameters are refused by name', () =>
  exchanged(
    'discovery',
    async ({ method, target, headers }) => {
      const answer = await fetch(server.issuer + target, { method, headers })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    },
    {
      of: import.meta.url,
      shown: ['content-type'],
      settle: (text) => text.replaceAll(server.issuer, 'ISSUER'),
    },
  ))

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

test('K5 the key set has no private members', async () => {
  const { keys } = (await (await fetch(`${server.issuer}/oauth2/jwks`)).json()) as {
    keys: Record<string, string>[]
  }
  assert.is(keys.length, 1)
  assert.equal(Object.keys(keys[0]!).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  assert.is(keys[0]!.use, 'sig')
  assert.is(keys[0]!.alg, 'RS256')
})
