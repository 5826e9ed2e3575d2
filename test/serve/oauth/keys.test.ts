/** Checklist K5: rotation of the signing key under a running server, and the modes of the files it lies in. */
import { chmodSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProtectedHeader, type JWK } from 'jose'
import * as assert from 'uvu/assert'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { listKeys, rotateKeys } from '../../../serve/oauth/keys/key-rotation.ts'
import { openGrants } from '../../../serve/oauth/tokens/grants.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { onFiles, soon } from '../../support/state.ts'
import {
  ANN,
  assertUnavailable,
  authorizeUrl,
  Browser,
  connect,
  PASSWORD,
  type Running,
  readPage,
  redeem,
  refreshWith,
  start,
  userInfo,
} from './harness.ts'

const test = suite('keys')
rememberPasswords(test)
let server: Running
let browser: Browser
const folder = () => join(server.folder, '.tieout/oauth')
test.before.each(async () => {
  server = await start()
  browser = new Browser(server.issuer)
})
test.after.each(() => server.close())

const kidOf = (token: string) => decodeProtectedHeader(token).kid!
const published = async (): Promise<string[]> => {
  const { keys } = (await (await fetch(`${server.issuer}/oauth2/jwks`)).json()) as { keys: JWK[] }
  for (const key of keys) assert.equal(Object.keys(key).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
  return keys.map(({ kid }) => kid!)
}
const rotate = (compromised = false) =>
  rotateKeys(server.state, server.clock.now, { longestTokenSeconds: 900, compromised })
const MINUTE_MS = 60_000

test('K5 a new key is published for longer than anybody keeps the old set, then signs; the old one ends after its last token', async () => {
  const { access: old, refresh } = await connect(server, browser)
  const rotated = await rotate()
  assert.is(rotated.outcome, 'rotated')
  const [first, next] = await soon(async () => {
    const both = await published()
    assert.is(both.length, 2)
    return both
  })
  assert.is(kidOf(old), first)
  assert.is((await rotate()).outcome, 'announced-already')

  server.clock.now += 60 * MINUTE_MS
  let tokens = (await refreshWith(server.issuer, refresh)).body
  assert.is(kidOf(tokens.access_token), first, 'as long as somebody may have the old set')
  server.clock.now += 10 * MINUTE_MS
  assert.is((await userInfo(server.issuer, tokens.access_token)).status, 200)
  tokens = (await refreshWith(server.issuer, tokens.refresh_token)).body
  assert.is(kidOf(tokens.access_token), next)
  server.clock.now += 5 * MINUTE_MS
  assert.equal(await published(), [first!, next!])
  server.clock.now += 16 * MINUTE_MS
  assert.equal(await published(), [next!])
  assert.equal(
    (await listKeys(server.state, server.clock.now))!.map(({ status }) => status),
    ['ended', 'signing'],
  )
  await server.restart()
  assert.equal(await published(), [next!])
  assert.is((await refreshWith(server.issuer, tokens.refresh_token)).status, 200)

  assert.is((await rotate()).outcome, 'rotated')
  assert.equal(
    (await listKeys(server.state, server.clock.now))!.map(({ kid, status }) => [kid === next, status]),
    [
      [true, 'signing'],
      [false, 'announced'],
    ],
    'what has ended is not kept',
  )
})

test('K5 S10 nothing that was made with keys that others have seen is accepted any more', async () => {
  const { access, refresh } = await connect(server, browser)
  assert.is((await userInfo(server.issuer, access)).status, 200, 'known to the server by now')
  const given = (await browser.allow(authorizeUrl(server.issuer))).searchParams.get('code')!
  const consent = await browser.toConsent(authorizeUrl(server.issuer))
  const stranger = new Browser(server.issuer)
  const signIn = await readPage(await stranger.follow(await stranger.request(authorizeUrl(server.issuer))))
  await rotate()
  assert.is((await rotate(true)).outcome, 'rotated')

  await soon(async () => assert.is((await userInfo(server.issuer, access)).status, 401))
  assert.is((await refreshWith(server.issuer, refresh)).body.error, 'invalid_grant')
  assert.is((await redeem(server.issuer, given)).body.error, 'invalid_grant', 'a code that is under way')
  const allowed = await browser.post(consent.action!, {
    ...consent.hidden,
    decision: 'allow',
    company: 'acme',
  })
  assert.is(allowed.status, 400)
  assert.match(await allowed.text(), 'expired_request')
  const signedIn = await stranger.post(signIn.action!, {
    ...signIn.hidden,
    email: ANN.email,
    password: PASSWORD,
  })
  assert.is(signedIn.status, 400)
  const account = await browser.request('/account')
  assert.match(account.headers.get('location')!, '/oauth2/login', 'the session has ended')

  const list = await openGrants(server.state, createAccess(join(server.folder, 'access.yaml')))
  assert.equal(
    (await list.list()).map(({ status }) => status),
    ['revoked'],
  )
  await list.close()
  const anew = await connect(server, browser)
  assert.is((await userInfo(server.issuer, anew.access)).status, 200)
  assert.equal(await published(), [kidOf(anew.access)])
})

onFiles(test)('K5 no keys that may have been withdrawn are used while the file cannot be read', async () => {
  const { access, refresh } = await connect(server, browser)
  assert.is((await userInfo(server.issuer, access)).status, 200)
  const path = join(folder(), 'keys.json')
  const old = readFileSync(path, 'utf8')
  await rotate(true)
  const rotated = readFileSync(path, 'utf8')
  // For a moment it cannot be read; then it can, and nothing shows that it is another version now.
  const { atime, mtime } = statSync(path)
  const tornUnchanged = rotated.replace('{', '!')
  writeFileSync(path, tornUnchanged)
  utimesSync(path, atime, mtime)
  for (const answer of [
    await userInfo(server.issuer, access),
    await userInfo(server.issuer, access),
    await fetch(`${server.issuer}/oauth2/jwks`),
  ]) {
    assert.is(answer.status, 503)
    assert.is(answer.headers.get('retry-after'), '10')
  }
  assertUnavailable(await refreshWith(server.issuer, refresh), 'refresh')
  assert.is(server.events.filter(({ event }) => event === 'keys-unreadable').length, 1, 'said once')
  writeFileSync(path, rotated)
  utimesSync(path, atime, mtime)
  assert.is((await userInfo(server.issuer, access)).status, 401)
  rmSync(path)
  assert.is((await userInfo(server.issuer, access)).status, 503)
  assert.is(server.events.filter(({ event }) => event === 'keys-unreadable').length, 2)
  writeFileSync(path, old)
  assert.is((await userInfo(server.issuer, access)).status, 401, 'its grant was ended')
})

onFiles(test)(
  'K5 no restart and no clock set back locks out; a broken file does until it is corrected',
  async () => {
    const { access } = await connect(server, browser)
    await rotate()
    server.clock.now -= 3 * 3600_000
    const before = await connect(server, browser)
    assert.is((await userInfo(server.issuer, before.access)).status, 200)
    server.clock.now += 3 * 3600_000
    const path = join(folder(), 'keys.json')
    const good = readFileSync(path, 'utf8')
    writeFileSync(path, '{')
    assert.is((await userInfo(server.issuer, access)).status, 503)
    assert.ok(server.events.some(({ event }) => event === 'keys-unreadable'))
    const refused = await server.restart().catch((problem: Error) => problem)
    assert.match((refused as Error).message, /keys\.json cannot be read or is damaged; restore it/)
    writeFileSync(path, good)
    await server.restart()
    assert.is((await userInfo(server.issuer, access)).status, 200)
  },
)

onFiles(test)('K5 R7 open files and folders are closed when the server starts, and it says so', async () => {
  const state = join(server.folder, '.tieout')
  const mode = (path: string) => (statSync(join(state, path)).mode & 0o777).toString(8)
  for (const path of ['.', 'oauth', 'oauth/state']) chmodSync(join(state, path), 0o755)
  for (const path of ['oauth/keys.json', 'oauth/state/data.mdb']) chmodSync(join(state, path), 0o644)
  await server.restart()
  for (const path of ['.', 'oauth', 'oauth/state']) assert.is(mode(path), '700', path)
  for (const path of ['oauth/keys.json', 'oauth/state/data.mdb']) assert.is(mode(path), '600', path)
  assert.equal(
    server.events.filter(({ event }) => event === 'mode-corrected').map(({ file, mode }) => [file, mode]),
    [
      ['.tieout', '755'],
      ['.tieout/oauth', '755'],
      ['.tieout/oauth/state', '755'],
      ['.tieout/oauth/keys.json', '644'],
      ['.tieout/oauth/state/data.mdb', '644'],
    ],
  )
})
