/** What was checked before a write may be over when it is done: each is looked at again inside the write. */

import * as assert from 'uvu/assert'
import { hashPassword } from '../../../builder/system/password.ts'
import { secretHash } from '../../../builder/workspace/access/access-edit.ts'
import { answerRequest, changePassword, noteSessionUse } from '../../../serve/oauth/people/sessions.ts'
import { GRANTS, PASSWORDS, SESSIONS } from '../../../serve/oauth/state/records.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ACCESS_YAML,
  ANN,
  authorizeUrl,
  Browser,
  connect,
  PASSWORD,
  PASSWORD_HASH,
  type Running,
  readPage,
  redeem,
  refreshWith,
  SECRET,
  start,
} from './harness.ts'

const test = suite('meanwhile')
rememberPasswords(test)
let server: Running
test.before.each(async () => {
  server = await start()
})
test.after.each(() => server.close())

/**
 * Sends requests while nothing can be written, each when the one before has come as far as its write, lets `meanwhile`
 * happen, and gives their answers.
 */
async function whileWritesWait<T>(
  requests: readonly (() => Promise<T>)[],
  meanwhile: () => void = () => {},
): Promise<T[]> {
  const { store } = server.oauth
  const { write } = store
  let arrived = () => {}
  let goOn = () => {}
  let last: Promise<unknown> = new Promise<void>((resolve) => {
    goOn = resolve
  })
  store.write = (action) => {
    const mine = last.then(() => write(action))
    last = mine.catch(() => {})
    arrived()
    return mine
  }
  const answers: Promise<T>[] = []
  for (const request of requests) {
    const written = new Promise<void>((resolve) => {
      arrived = resolve
    })
    answers.push(request())
    await written
  }
  meanwhile()
  goOn()
  const all = await Promise.all(answers)
  store.write = write
  return all
}

async function loginPage(browser: Browser, path = '/account') {
  return readPage(await browser.follow(await browser.request(path)))
}
async function signIn(browser: Browser, password = PASSWORD): Promise<Response> {
  const page = await loginPage(browser)
  return browser.post(page.action!, { ...page.hidden, email: ANN.email, password })
}
const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.request('/account')).status === 200

test('M1 a sign-in with the old password that is under way when it is changed gives no session', async () => {
  const owner = new Browser(server.issuer)
  await signIn(owner)
  const page = await readPage(await owner.request('/account'))
  const csrf = page.hidden.csrf!
  const form = { csrf, current: PASSWORD, new: 'another long password', again: 'another long password' }
  const thief = new Browser(server.issuer)
  const login = await loginPage(thief)
  const asThief = { ...login.hidden, email: ANN.email, password: PASSWORD }
  const [changed, signedIn] = await whileWritesWait([
    () => owner.post('/account/password', form),
    () => thief.post(login.action!, asThief),
  ])
  assert.match(changed!.headers.get('location') ?? '', 'done=password')
  assert.is(signedIn!.status, 400)
  assert.match(await signedIn!.text(), /do not match/)
  assert.equal([await isSignedIn(thief), await isSignedIn(owner)], [false, true])
  assert.is(server.events.filter(({ event }) => event === 'login').length, 1)
})

test('M1 of two who change a password at once, each knowing the present one, the first wins', async () => {
  const [one, two] = [new Browser(server.issuer), new Browser(server.issuer)]
  for (const browser of [one, two]) await signIn(browser)
  const change = async (browser: Browser, next: string): Promise<() => Promise<Response>> => {
    const { csrf } = (await readPage(await browser.request('/account'))).hidden
    const form = { csrf: csrf!, current: PASSWORD, new: next, again: next }
    return () => browser.post('/account/password', form)
  }
  const [first, second] = await whileWritesWait([
    await change(one, 'the first one of both'),
    await change(two, 'the second one of both'),
  ])
  assert.match(first!.headers.get('location') ?? '', 'done=password')
  assert.not.match(second!.headers.get('location') ?? '', 'done=password')
  assert.equal([await isSignedIn(one), await isSignedIn(two)], [true, false])
  assert.is((await signIn(new Browser(server.issuer), 'the second one of both')).status, 400)
  assert.is((await signIn(new Browser(server.issuer), 'the first one of both')).status, 303)
})

test('M1 a user who is disabled, or whom the operator gave another password, is not signed in', async () => {
  const other = await hashPassword('what the operator chose')
  for (const yaml of [
    ACCESS_YAML.replace('- id: ann', '- id: ann\n    disabled: true'),
    ACCESS_YAML.replace(PASSWORD_HASH, other),
  ]) {
    const browser = new Browser(server.issuer)
    const page = await loginPage(browser)
    const form = { ...page.hidden, email: ANN.email, password: PASSWORD }
    const [answer] = await whileWritesWait([() => browser.post(page.action!, form)], () =>
      server.setAccess(yaml),
    )
    assert.is(answer!.status, 400)
    assert.is((await server.oauth.store.all(SESSIONS)).length, 0)
    server.setAccess(ACCESS_YAML)
  }
})

test('M1 nobody consents who was signed out meanwhile; the request can still be answered', async () => {
  const browser = new Browser(server.issuer)
  const page = await browser.toConsent(authorizeUrl(server.issuer))
  const elsewhere = new Browser(server.issuer)
  await signIn(elsewhere)
  const { csrf } = (await readPage(await elsewhere.request('/account'))).hidden
  const [ended, allowed] = await whileWritesWait([
    () => elsewhere.post('/account/end-sessions', { csrf: csrf! }),
    () => browser.post(page.action!, { ...page.hidden, decision: 'allow', company: 'acme' }),
  ])
  assert.match(ended!.headers.get('location') ?? '', 'done=sessions')
  assert.match(allowed!.headers.get('location') ?? '', '/oauth2/login?request=')
  assert.not.ok(server.events.some(({ event }) => event === 'consent'))
  const again = await browser.allow(authorizeUrl(server.issuer))
  assert.ok(again.searchParams.get('code'))
})

test('M1 a secret that is replaced while a code or a refresh token is redeemed counts no more', async () => {
  const browser = new Browser(server.issuer)
  const { refresh } = await connect(server, browser)
  const code = (await browser.allow(authorizeUrl(server.issuer))).searchParams.get('code')!
  const [redeemed, refreshed] = await whileWritesWait(
    [() => redeem(server.issuer, code), () => refreshWith(server.issuer, refresh)],
    () => server.setAccess(ACCESS_YAML.replace(secretHash(SECRET), secretHash('the next one'))),
  )
  assert.equal([redeemed!.body.error, refreshed!.body.error], ['invalid_grant', 'invalid_grant'])
  assert.is((await server.oauth.store.all(GRANTS)).length, 1)
  server.setAccess(ACCESS_YAML)
  assert.is((await redeem(server.issuer, code)).status, 200, 'the code was not used up')
  assert.is((await refreshWith(server.issuer, refresh)).status, 200)
})

test('M1 a session that has ended is not brought back, and nothing is stored in its name', async () => {
  const { store } = server.oauth
  await noteSessionUse(store, 'gone', 1)
  const own = { hash: 'hash', replaces: 'mark' }
  assert.is(await changePassword(store, 'ann', own, 'gone', () => true), false)
  const request = { requestId: 'r', expiresAt: server.clock.now + 1000, code: null }
  assert.is(await answerRequest(store, request, 'gone', () => true), 'signed-out')
  for (const kind of [SESSIONS, PASSWORDS]) assert.is((await store.all<unknown>(kind)).length, 0, kind.name)
})
