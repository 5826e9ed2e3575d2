/** Checklist L2: many sign-ins at once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { authorizeUrl, Browser, readPage, start, userInfo } from './harness.ts'

const test = suite('sign-in load')

test('L2 twenty sign-ins at once: two hash at a time, and data is answered meanwhile', async () => {
  const server = await start()
  try {
    const token = await server.oauth.issueDemoToken('ann', 'reports', ['acme'], 60)
    const browsers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
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
    }
    for (const { status } of await answers) assert.is(status, 400)
    // One hash takes a large part of a second: behind twenty of them only a handful would have been answered.
    assert.ok(answered > 40, `${answered} answers meanwhile`)
  } finally {
    await server.close()
  }
})

test.run()
