/** Checklist L2: many sign-ins at once. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as assert from 'uvu/assert'
import { verifyPassword } from '../../../builder/system/password.ts'
import { suite } from '../../suite.ts'
import { ANN, authorizeUrl, Browser, PASSWORD, readPage, start, userInfo } from './harness.ts'

const test = suite('sign-in load')

test('L2 six sign-ins at once: two hash at a time, and data is answered meanwhile', async () => {
  const server = await start()
  try {
    const token = await server.oauth.issueDemoToken('ann', 'reports', ['acme'], 60)
    const browsers = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const browser = new Browser(server.issuer)
        const page = await readPage(await browser.follow(await browser.request(authorizeUrl(server.issuer))))
        const form = { ...page.hidden, email: `someone${i}@example.com`, password: 'x' }
        return () => browser.post(page.action!, form, { 'x-forwarded-for': `198.51.100.${i}` })
      }),
    )
    let signingIn = true
    const answers = Promise.all(browsers.map((post) => post())).finally(() => {
      signingIn = false
    })
    let answered = 0
    while (signingIn) {
      assert.is((await userInfo(server.issuer, token)).status, 200)
      answered++
      await pause(2)
    }
    for (const { status } of await answers) assert.is(status, 400)
    // One hash takes a large part of a second: behind six of them only a handful would have been answered.
    assert.ok(answered > 20, `${answered} answers meanwhile`)
  } finally {
    await server.close()
  }
})

const setScrypt = (scrypt: unknown): void => {
  Object.assign(crypto, { scrypt })
  syncBuiltinESMExports()
}

/** As many passwords as may wait are hashed, and none of them is done before `work` is: the queue is the server's own. */
async function whileBusy(work: () => Promise<void>): Promise<void> {
  const { scrypt } = crypto
  let finish = (): void => {}
  const worked = new Promise<void>((resolve) => {
    finish = resolve
  })
  setScrypt((...[, , length, , done]: Parameters<typeof scrypt>) =>
    worked.then(() => done(null, Buffer.alloc(length))),
  )
  const others = Array.from({ length: 34 }, () => verifyPassword('x', undefined))
  try {
    await work()
  } finally {
    finish()
    await Promise.all(others)
    setScrypt(scrypt)
  }
}

test('S6 whoever is told "busy" ten times signs in as soon as there is time', async () => {
  const server = await start()
  try {
    const browser = new Browser(server.issuer)
    const page = await readPage(await browser.follow(await browser.request(authorizeUrl(server.issuer))))
    const signIn = () => browser.post(page.action!, { ...page.hidden, email: ANN.email, password: PASSWORD })
    await whileBusy(async () => {
      for (let i = 0; i < 10; i++) {
        const busy = await signIn()
        assert.is(busy.status, 503)
        assert.is(busy.headers.get('retry-after'), '5')
      }
    })
    assert.is((await signIn()).status, 303)
  } finally {
    await server.close()
  }
})

/** Bytes that are in use once what is not has been collected. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('L5 sign-ins that are told "busy" leave nothing behind, whatever they name and wherever they are from', async () => {
  const server = await start()
  try {
    const browser = new Browser(server.issuer)
    const page = await readPage(await browser.follow(await browser.request(authorizeUrl(server.issuer))))
    const signIn = async (i: number): Promise<void> => {
      const form = { ...page.hidden, email: `${i}${'x'.repeat(12_000)}@example.com`, password: 'x' }
      const headers = { 'x-forwarded-for': `198.51.100.${i % 60}` }
      const answer = await browser.post(page.action!, form, headers)
      await answer.text()
      assert.is(answer.status, 503)
    }
    let kept = 0
    await whileBusy(async () => {
      for (let i = 0; i < 20; i++) await signIn(i)
      const before = bytesInUse()
      for (let i = 20; i < 420; i += 20)
        await Promise.all(Array.from({ length: 20 }, (_, n) => signIn(i + n)))
      kept = bytesInUse() - before
    })
    // They name 9.6 MB of accounts, each with and without its address.
    assert.ok(kept < 4e6, `${kept} bytes are kept`)
  } finally {
    await server.close()
  }
})
