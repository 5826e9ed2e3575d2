/** What anybody can ask for without a password leaves no trace on the disk; what is under way travels sealed. */

import * as assert from 'uvu/assert'
import { digest } from '../../../serve/oauth/keys/secret.ts'
import { withServerKeys } from '../../../serve/oauth/state/server-state.ts'
import { times } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { onFiles, storedIn } from '../../support/state.ts'
import { ANN, authorizeUrl, Browser, PASSWORD, type Running, readPage, redeem, start } from './harness.ts'

const test = suite('anonymous')
rememberPasswords(test)
let server: Running
test.before(async () => {
  server = await start()
})
test.after(() => server.close())

/** lmdb writes into its file at once: whatever was stored shows. */
const stored = async (): Promise<string> => digest(await storedIn(server.state))

/** Every page and form that can be reached without a password. */
async function visit(): Promise<void> {
  const browser = new Browser(server.issuer)
  const { issuer } = server
  for (const url of ['/account', authorizeUrl(issuer), authorizeUrl(issuer, { prompt: 'none' })]) {
    const page = await readPage(await browser.follow(await browser.request(url)))
    if (page.action?.endsWith('/oauth2/login') !== true) continue
    const { request } = page.hidden
    assert.is((await browser.request(`/oauth2/consent?request=${request}`)).status, 303)
    assert.is((await browser.post('/oauth2/consent', { ...page.hidden, decision: 'allow' })).status, 303)
    browser.cookies.set('tieout-session', 's'.repeat(43))
    await browser.post('/oauth2/logout', page.hidden)
    await browser.post('/account/sign-out', page.hidden)
    await browser.post('/account/end-access', { ...page.hidden, grant: 'g' })
  }
}

test('S3 nothing anonymous is stored', async () => {
  const browser = new Browser(server.issuer)
  const login = await readPage(await browser.follow(await browser.request(authorizeUrl(server.issuer))))
  const before = await stored()
  for (let i = 0; i < 20; i++) await visit()
  const wrong = await browser.post(login.action!, { ...login.hidden, email: ANN.email, password: 'wrong' })
  assert.is(wrong.status, 400)
  assert.is(await stored(), before)
  // The look at it is a real one: a right password shows.
  await browser.post(login.action!, { ...login.hidden, email: ANN.email, password: PASSWORD })
  assert.is.not(await stored(), before)
})

// What travels sealed comes to no store.
onFiles(test)('S3 ten thousand requests under way keep nobody from signing in', async () => {
  const before = process.memoryUsage().rss
  const browser = new Browser(server.issuer)
  for (let i = 0; i < times(1_250); i++)
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const answer = await fetch(authorizeUrl(server.issuer), { redirect: 'manual' })
        await answer.arrayBuffer()
        if (answer.status !== 303) throw new Error(`${answer.status}`)
      }),
    )
  const callback = await browser.allow(authorizeUrl(server.issuer))
  assert.is((await redeem(server.issuer, callback.searchParams.get('code')!)).status, 200)
  // Client and server are both in this process.
  assert.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024)
})

test('S3 Allow that is sent again, also to another process and after a restart, makes no second code', async () => {
  const browser = new Browser(server.issuer)
  const page = await browser.toConsent(authorizeUrl(server.issuer))
  const allow = () => browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })
  const codes = () => server.events.filter(({ event }) => event === 'consent').length
  const before = codes()
  assert.is((await allow()).status, 303)
  assert.is((await allow()).status, 400)
  await server.restart()
  assert.is((await allow()).status, 400)
  assert.is((await browser.request(`/oauth2/consent?request=${page.hidden.request}`)).status, 400)
  assert.is(codes(), before + 1)
  // Purged only when it could not be used any more, whatever the clock says at that moment.
  server.clock.now += 11 * 60 * 1000
  await server.restart()
  server.clock.now -= 11 * 60 * 1000
  assert.is((await allow()).status, 400)
  assert.is(codes(), before + 1)
})

test('L9 S3 a sealed request that was changed, cut, or made elsewhere opens nothing', async () => {
  const browser = new Browser(server.issuer)
  const page = await readPage(await browser.follow(await browser.request(authorizeUrl(server.issuer))))
  const sealed = page.hidden.request!
  const look = async (request: string) =>
    (await browser.request(`/oauth2/login?request=${encodeURIComponent(request)}`)).status
  assert.is(await look(sealed), 200)
  for (let at = 0; at < sealed.length - 1; at += 7) {
    const other = sealed[at] === 'A' ? 'B' : 'A'
    assert.is(await look(sealed.slice(0, at) + other + sealed.slice(at + 1)), 400, `at ${at}`)
  }
  const unsealed = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  for (const text of ['', 'x', '....', sealed.slice(0, -1), `${sealed}.`, `${unsealed}.e30.`])
    assert.is(await look(text), 400, text)
  // It says nothing to whoever reads the address.
  assert.not.match(
    Buffer.from(sealed.split('.')[3]!, 'base64url').toString('latin1'),
    /reports|client\.example/,
  )
})

test('S10 a sealed request ends with the secret that sealed it', async () => {
  const browser = new Browser(server.issuer)
  const page = await browser.toConsent(authorizeUrl(server.issuer))
  await withServerKeys(server.state, async (place) => {
    const { keys } = (await place.read())!
    await place.replace(null, { ...keys, pages: Buffer.alloc(32, 7).toString('base64url') })
  })
  await server.restart()
  const answer = await browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' })
  assert.is(answer.status, 400)
})
