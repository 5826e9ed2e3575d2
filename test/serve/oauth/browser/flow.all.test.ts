/**
 * The whole flow in real Chromium, which holds the content security policy against the redirect that follows consent
 * (checklist L11, finding 9). Pictures of every page are kept under test/output/pages.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { alike } from '../../../seed.ts'
import { suite } from '../../../suite.ts'
import { missing, newWindow, openBrowser, pictureAt } from '../../../support/chromium.ts'
import { rememberPasswords } from '../../../support/passwords.ts'
import {
  ACCESS_YAML,
  ANN,
  authorizeUrl,
  PASSWORD,
  type Running,
  redeem,
  start,
  userInfo,
} from '../harness.ts'

const test = suite('chromium')
rememberPasswords(test)
let server: Running
/** The client, on an origin of its own. */
let client: Server
let redirectUri: string
let browser: Browser

if (missing !== null) process.stdout.write(`chromium: skipped, ${missing}\n`)
else {
  test.before(async () => {
    ;[server, browser] = await Promise.all([start(), openBrowser()])
    client = createServer((_req, res) => res.setHeader('Content-Type', 'text/html').end('<h1>Connected</h1>'))
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve))
    redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/native`
  })
  test.after(async () => {
    await browser.close()
    client.closeAllConnections()
    await new Promise((resolve) => client.close(resolve))
    await server.close()
  })
}
/** uvu's own skip counts them. */
const browserTest = missing === null ? test : test.skip

/** Messages of Chromium about policies that were not kept, and about anything else that went wrong. */
const complaints: string[] = []

async function open(options: Parameters<typeof newWindow>[1] = {}): Promise<Page> {
  const page = await (await newWindow(browser, options)).newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return page
}
const close = (page: Page): Promise<void> => page.context().close()
const begin = (page: Page, more: Record<string, string> = {}) =>
  page.goto(authorizeUrl(server.issuer, { redirect_uri: redirectUri, ...more }))
const picture = (page: Page, name: string) => page.screenshot({ path: pictureAt(name), fullPage: true })

/** Refuses what would scroll sideways, or reach out of its card. */
async function assertFits(page: Page, what: string): Promise<void> {
  const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
  assert.ok((wider as number) <= 0, `${what} is ${wider} pixels too wide`)
}

async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail address').fill(ANN.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** What the client was called back with, and that its tokens work. */
async function assertConnected(page: Page, companies: readonly string[]): Promise<void> {
  await page.waitForURL(`${redirectUri}?**`)
  assert.is(await page.getByRole('heading').textContent(), 'Connected')
  const { searchParams } = new URL(page.url())
  assert.is(searchParams.get('state'), 's1')
  const { status, body } = await redeem(server.issuer, searchParams.get('code')!, {
    redirect_uri: redirectUri,
  })
  assert.is(status, 200)
  const info = (await (await userInfo(server.issuer, body.access_token)).json()) as {
    CompanyDetails: { Id: string }[]
  }
  assert.equal(
    info.CompanyDetails.map(({ Id }) => Id),
    companies,
  )
}

/** Each width once, and each look, in three days. */
for (const [look, form, width, height] of alike([
  ['light', 'wide', 1100, 900],
  ['dark', 'middle', 800, 900],
  ['light', 'narrow', 360, 740],
] as const))
  browserTest(`L11 L12 sign-in, consent and account, ${look} and ${form}`, async () => {
    const at = `${look}-${form}`
    const page = await open({ colorScheme: look, viewport: { width, height } })
    await begin(page)
    await assertFits(page, 'login')
    await picture(page, `${at}-1-login`)
    await signIn(page, 'wrong')
    assert.match((await page.getByRole('alert').textContent())!, /do not match/)
    await picture(page, `${at}-2-login-refused`)
    await signIn(page)
    await page.waitForURL('**/oauth2/consent?**')
    await assertFits(page, 'consent')
    await picture(page, `${at}-3-consent`)
    await page.getByRole('button', { name: 'Allow' }).click()
    assert.match((await page.getByRole('alert').textContent())!, /at least one company/)
    await picture(page, `${at}-4-consent-without-company`)
    await page.getByLabel('Acme Trading').check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await assertConnected(page, ['acme'])

    await page.goto(`${server.issuer}/account`)
    await assertFits(page, 'account')
    await page.getByText('Change your password').click()
    await page.getByLabel('Present password').fill('wrong')
    await page.getByLabel('New password, 12').fill('a longer secret than before')
    await page.getByLabel('New password again').fill('a longer secret than before')
    await page.getByRole('button', { name: 'Change the password' }).click()
    assert.match((await page.getByRole('alert').textContent())!, /present password is another one/)
    await assertFits(page, 'account, password')
    await page.getByText('End access').first().click()
    await picture(page, `${at}-5-account`)
    await page.getByRole('button', { name: /^End access now/ }).click()
    assert.match((await page.getByRole('status').textContent())!, /has ended/)
    await picture(page, `${at}-6-account-ended`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/oauth2/login?**')
    await page.goto(`${server.issuer}/oauth2/authorize`)
    await assertFits(page, 'problem')
    await picture(page, `${at}-7-problem`)
    await close(page)
  })

browserTest('L12 by keyboard alone, without scripts, every stop is seen', async () => {
  const page = await open({ javaScriptEnabled: false })
  await begin(page)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  // The cursor is in the first field, a moment after the page is there.
  await page.locator('input[type=email]:focus').waitFor()
  await page.keyboard.type(ANN.email)
  assert.is(await page.locator('input[type=email]').inputValue(), ANN.email)
  await press('Tab')
  await page.keyboard.type(PASSWORD)
  await press('Enter')
  await page.waitForURL('**/oauth2/consent?**')
  // Use another account, Acme, Béta, your account, Allow, Deny.
  await press('Tab', 'Tab', 'Space')
  await picture(page, 'keyboard-1-company')
  assert.ok(await page.getByLabel('Acme Trading').isChecked())
  // Enter on the checkbox allows, as it would on the button.
  await press('Enter')
  await assertConnected(page, ['acme'])
  await close(page)
})

browserTest('L12 a screen reader is told headings, labels, groups and problems', async () => {
  const page = await open()
  await begin(page)
  assert.match(
    await page.locator('body').ariaSnapshot(),
    /heading "Sign in" \[level=1\][\s\S]*textbox "E-mail address"[\s\S]*textbox "Password"[\s\S]*button "Sign in"/,
  )
  await signIn(page)
  await page.waitForURL('**/oauth2/consent?**')
  const consent = await page.locator('body').ariaSnapshot()
  assert.match(
    consent,
    /heading "Allow Reports & <Friends> to read your data\?" \[level=1\][\s\S]*region "It will be able to"[\s\S]*group "Companies"[\s\S]*checkbox "Acme Trading"[\s\S]*checkbox "Béta <AB>"[\s\S]*button "Allow"[\s\S]*button "Deny"/,
    consent,
  )
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.waitForURL(`${redirectUri}?**`)
  assert.is(new URL(page.url()).searchParams.get('error'), 'access_denied')
  await close(page)
})

browserTest('L12 many companies with long names', async () => {
  const names = Array.from({ length: 40 }, (_, i) => `company-${i}`)
  server.setAccess(ACCESS_YAML.replace('[beta, acme, gone]', `[beta, acme, ${names.join(', ')}]`))
  const page = await open({ viewport: { width: 360, height: 740 } })
  await begin(page)
  await signIn(page)
  await page.waitForURL('**/oauth2/consent?**')
  await assertFits(page, 'consent')
  await close(page)
  server.setAccess(ACCESS_YAML)
})

browserTest('L11 a page in a frame stays empty', async () => {
  const page = await open()
  await page.goto(redirectUri)
  await page.setContent(`<iframe src="${server.issuer}/account" width="600" height="400"></iframe>`)
  await page.waitForTimeout(300)
  const frames = page.frames().filter((frame) => frame !== page.mainFrame())
  for (const frame of frames) assert.not.match(await frame.content(), /Sign in/)
  assert.ok(complaints.some((text) => /frame-ancestors|X-Frame-Options/i.test(text)))
  await close(page)
})

browserTest('L11 nothing else was held against the content security policy', () => {
  const others = complaints.filter(
    (text) => !/frame-ancestors|X-Frame-Options|favicon|status of (400|404)/i.test(text),
  )
  assert.equal(others, [])
})
