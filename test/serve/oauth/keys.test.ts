/** Checklist K5: rotation of the signing key under a running server, and the modes of the files it lies in. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProtectedHeader, type JWK } from 'jose'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listKeys, rotateKeys } from '../../../serve/oauth/key-rotation.ts'
import { Browser, connect, type Running, refreshWith, start, userInfo } from './harness.ts'

const test = suite('keys')
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
  rotateKeys(folder(), server.clock.now, { longestTokenSeconds: 900, compromised })
const MINUTE_MS = 60_000

test('K5 a new key is published for longer than anybody keeps the old set, then signs; the old one ends after its last token', async () => {
  const { access: old, refresh } = await connect(server, browser)
  const rotated = await rotate()
  assert.is(rotated.outcome, 'rotated')
  const [first, next] = await published()
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
    listKeys(folder(), server.clock.now)!.map(({ status }) => status),
    ['ended', 'signing'],
  )
  await server.restart()
  assert.equal(await published(), [next!])
  assert.is((await refreshWith(server.issuer, tokens.refresh_token)).status, 200)

  assert.is((await rotate()).outcome, 'rotated')
  assert.equal(
    listKeys(folder(), server.clock.now)!.map(({ kid, status }) => [kid === next, status]),
    [
      [true, 'signing'],
      [false, 'announced'],
    ],
    'what has ended is not kept',
  )
})

test('K5 keys that others have seen end at once; clients refresh and go on', async () => {
  const { access, refresh } = await connect(server, browser)
  assert.is((await userInfo(server.issuer, access)).status, 200, 'known to the server by now')
  await rotate()
  assert.is((await rotate(true)).outcome, 'rotated')
  assert.is((await userInfo(server.issuer, access)).status, 401)
  const { body } = await refreshWith(server.issuer, refresh)
  assert.is((await userInfo(server.issuer, body.access_token)).status, 200)
  assert.equal(await published(), [kidOf(body.access_token)])
})

test('K5 no restart, no clock set back, and no broken file locks out', async () => {
  const { access } = await connect(server, browser)
  await rotate()
  server.clock.now -= 3 * 3600_000
  const before = await connect(server, browser)
  assert.is((await userInfo(server.issuer, before.access)).status, 200)
  server.clock.now += 3 * 3600_000
  const path = join(folder(), 'keys.json')
  const good = readFileSync(path, 'utf8')
  writeFileSync(path, '{')
  assert.is((await userInfo(server.issuer, access)).status, 200)
  assert.ok(server.events.some(({ event }) => event === 'keys-unreadable'))
  const refused = await server.restart().catch((problem: Error) => problem)
  assert.match((refused as Error).message, /keys\.json cannot be read or is damaged; restore it/)
  writeFileSync(path, good)
  await server.restart()
  assert.is((await userInfo(server.issuer, access)).status, 200)
})

test('K5 R7 open files and folders are closed when the server starts, and it says so', async () => {
  const state = join(server.folder, '.tieout')
  const mode = (path: string) => (statSync(join(state, path)).mode & 0o777).toString(8)
  for (const path of ['.', 'oauth', 'oauth/state']) chmodSync(join(state, path), 0o755)
  for (const path of ['oauth/keys.json', 'oauth/state/data.mdb']) chmodSync(join(state, path), 0o644)
  await server.restart()
  for (const path of ['.', 'oauth', 'oauth/state']) assert.is(mode(path), '700', path)
  for (const path of ['oauth/keys.json', 'oauth/state/data.mdb']) assert.is(mode(path), '600', path)
  assert.equal(
    server.events.filter(({ event }) => event === 'mode-mended').map(({ file, mode }) => [file, mode]),
    [
      ['.tieout', '755'],
      ['.tieout/oauth', '755'],
      ['.tieout/oauth/state', '755'],
      ['.tieout/oauth/keys.json', '644'],
      ['.tieout/oauth/state/data.mdb', '644'],
    ],
  )
})

test.run()
