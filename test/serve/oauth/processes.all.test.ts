/** Several processes on one state: keys, refresh families, codes and revocation, and what a kill -9 leaves. */
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { rotateKeys } from '../../../serve/oauth/keys/key-rotation.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { isShared, onFiles, soon, storedIn } from '../../support/state.ts'
import {
  ACCESS_YAML,
  authorizeUrl,
  Browser,
  connect,
  redeem,
  refreshWith,
  start,
  userInfo,
} from './harness.ts'
import { beginSecond } from './second.ts'

const test = suite('processes')
rememberPasswords(test)
test('K5 of processes that start at once one makes the keys, and all use them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-oauth-'))
  writeFileSync(join(folder, 'access.yaml'), ACCESS_YAML, { mode: 0o600 })
  const started = await Promise.all([1, 2].map(() => beginSecond({ folder, issuer: 'http://127.0.0.1:1' })))
  const sets = await Promise.all(started.map(async ({ url }) => (await fetch(`${url}/oauth2/jwks`)).text()))
  assert.is(new Set(sets).size, 1)
  await Promise.all(started.map(({ kill }) => kill()))
  const oauth = join(folder, '.tieout/oauth')
  if (!isShared) assert.equal(readdirSync(oauth).sort(), ['keys.json', 'state'], 'no litter')
})

test('S10 compromised keys end in every process at once', async () => {
  const server = await start()
  const { url, kill } = await beginSecond(server)
  try {
    const { access, refresh } = await connect(server, new Browser(server.issuer))
    for (const address of [server.issuer, url]) assert.is((await userInfo(address, access)).status, 200)
    await rotateKeys(server.state, Date.now(), { longestTokenSeconds: 900, compromised: true })
    for (const address of [server.issuer, url]) {
      await soon(async () => assert.is((await userInfo(address, access)).status, 401))
      assert.is((await refreshWith(address, refresh)).body.error, 'invalid_grant')
    }
  } finally {
    await kill()
    await server.close()
  }
})

onFiles(test)('R7 keys and state are readable by their owner only', async () => {
  const server = await start()
  try {
    const oauth = join(server.folder, '.tieout/oauth')
    const mode = (path: string) => (statSync(join(oauth, path)).mode & 0o777).toString(8)
    for (const folder of ['.', 'state']) assert.is(mode(folder), '700', folder)
    for (const file of ['keys.json', 'state/data.mdb', 'state/lock.mdb']) assert.is(mode(file), '600', file)
  } finally {
    await server.close()
  }
})

test('R7 no code, token or session is stored in the clear', async () => {
  const server = await start()
  try {
    const browser = new Browser(server.issuer)
    const { code, access, refresh } = await connect(server, browser)
    const stored = await storedIn(server.state)
    assert.ok(stored.includes('reports'))
    for (const secret of [code, access, refresh.split('.')[2]!, ...browser.cookies.values()])
      assert.not.ok(stored.includes(secret), secret)
  } finally {
    await server.close()
  }
})

test('R8 T14 T18 two processes agree on families, codes and revocation, one killed on the way', async () => {
  const server = await start()
  const { url, kill } = await beginSecond(server)
  try {
    const browser = new Browser(server.issuer)
    const { refresh } = await connect(server, browser)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => refreshWith(i % 2 ? url : server.issuer, refresh)),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    assert.is(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)

    const next = answers[0]!.body.refresh_token
    await refreshWith(url, next)
    assert.is((await refreshWith(server.issuer, refresh)).body.error, 'invalid_grant')
    for (const { body } of answers)
      await soon(async () => assert.is((await userInfo(url, body.access_token)).status, 401))

    const callback = await browser.allow(authorizeUrl(server.issuer))
    const code = callback.searchParams.get('code')!
    const both = await Promise.all([redeem(url, code), redeem(server.issuer, code)])
    assert.equal(both.map(({ status }) => status).sort(), [200, 400])

    const last = (await browser.allow(authorizeUrl(server.issuer))).searchParams.get('code')!
    const { status, body } = await redeem(url, last)
    await kill()
    assert.is(status, 200)
    assert.is((await refreshWith(server.issuer, body.refresh_token)).status, 200, 'promised, so it is there')
    assert.is((await redeem(server.issuer, last)).body.error, 'invalid_grant')
  } finally {
    await kill()
    await server.close()
  }
})
