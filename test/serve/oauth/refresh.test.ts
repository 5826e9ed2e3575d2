/** Checklist 1.5, R1–R8: refresh families. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { openGrants } from '../../../serve/oauth/tokens/grants.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import {
  ACCESS_YAML,
  Browser,
  connect,
  DAY_MS,
  OTHER_SECRET,
  type Running,
  refreshWith,
  start,
  type TokenAnswer,
  userInfo,
} from './harness.ts'

const test = suite('refresh')
rememberPasswords(test)
let server: Running
let browser: Browser
test.before(async () => {
  server = await start()
  browser = new Browser(server.issuer)
})
test.after(() => server.close())
test.before.each(() => server.setAccess(ACCESS_YAML))

const refresh = (token: string, more: Record<string, string | undefined> = {}) =>
  refreshWith(server.issuer, token, more)
const next = async (token: string): Promise<string> => {
  const { status, body } = await refresh(token)
  assert.is(status, 200, JSON.stringify(body))
  return body.refresh_token
}
const assertDead = ({ status, body }: TokenAnswer, what = '') =>
  assert.equal([status, body.error], [400, 'invalid_grant'], what)

test('R1 another client learns nothing and ends nothing', async () => {
  const { refresh: first } = await connect(server, browser)
  const asOther = { client_id: 'other', client_secret: OTHER_SECRET }
  const second = await next(first)
  const third = await next(second)
  assertDead(await refresh(first, asOther), 'a reused one')
  assertDead(await refresh(third, asOther))
  await next(third)
})

test('R2 narrower for the access token only, never wider', async () => {
  const { refresh: first } = await connect(server, browser, { scope: 'openid read:company' })
  const narrow = await refresh(first, { scope: 'openid' })
  assert.is(narrow.body.scope, 'openid')
  const info = await (await userInfo(server.issuer, narrow.body.access_token)).json()
  assert.equal((info as Record<string, unknown>).CompanyDetails, [])
  for (const scope of ['openid email', 'openid unknown', 'openid "']) {
    const wider = await refresh(narrow.body.refresh_token, { scope })
    assert.equal([wider.status, wider.body.error], [400, 'invalid_scope'], scope)
  }
  const again = await refresh(narrow.body.refresh_token)
  assert.is(again.body.scope, 'openid read:company')
})

test('R3 every answer has a refresh token', async () => {
  let { refresh: token } = await connect(server, browser)
  for (let i = 0; i < 5; i++) {
    const following = await next(token)
    assert.is.not(following, token)
    token = following
  }
  const empty = await refresh('')
  assert.equal([empty.status, empty.body.error], [400, 'invalid_request'])
})

test('R4 whoever is gone from access.yaml is gone', async () => {
  const cases: [string, string][] = [
    ['user removed', ACCESS_YAML.replace('- id: ann', '- id: anna')],
    ['user disabled', ACCESS_YAML.replace('firstName: Ann', 'firstName: Ann\n    disabled: true')],
    ['password changed', ACCESS_YAML.replace('$scrypt$ln=17', '$scrypt$ln=18')],
  ]
  for (const [what, yaml] of cases) {
    server.setAccess(ACCESS_YAML)
    const { access, refresh: token } = await connect(server, browser)
    assert.is((await userInfo(server.issuer, access)).status, 200, what)
    server.setAccess(yaml)
    assert.is((await userInfo(server.issuer, access)).status, 401, what)
    assertDead(await refresh(token), what)
  }
  server.setAccess(ACCESS_YAML)
  const { access, refresh: token } = await connect(server, browser)
  server.setAccess(ACCESS_YAML.replace('name: Other', 'name: Other\n    disabled: true'))
  assert.is((await userInfo(server.issuer, access)).status, 200, 'another client disabled')
  server.setAccess(ACCESS_YAML.replace('allowLoopbackPort: true', 'disabled: true'))
  assert.is((await userInfo(server.issuer, access)).status, 401, 'client disabled')
  assert.is((await refresh(token)).status, 401)
})

test('R4 C4 a company taken away is gone at once, and back with it', async () => {
  const { access } = await connect(server, browser)
  const companies = async () =>
    (
      (await (await userInfo(server.issuer, access)).json()) as { CompanyDetails: { Id: string }[] }
    ).CompanyDetails.map(({ Id }) => Id)
  assert.equal(await companies(), ['acme', 'beta'])
  server.setAccess(ACCESS_YAML.replace('[beta, acme, gone]', '[beta, secret]'))
  assert.equal(await companies(), ['beta'], 'a new company was not consented to')
  server.setAccess('users: [')
  assert.equal(await companies(), ['beta'], 'the last good version')
  server.setAccess(ACCESS_YAML)
  assert.equal(await companies(), ['acme', 'beta'])
})

test('R5 a family ends when unused for 90 days, and after a year, whatever happens', async () => {
  const start = server.clock.now
  const idle = (await connect(server, browser)).refresh
  let used = (await connect(server, browser)).refresh
  let previous = used
  for (let day = 0; day + 60 < 365; day += 60) {
    server.clock.now = start + (day + 60) * DAY_MS
    previous = used
    used = await next(used)
  }
  assertDead(await refresh(idle), 'idle')
  server.clock.now = start + 364 * DAY_MS
  await next(used)
  assert.ok(server.events.some(({ event }) => event === 'grant-ends-soon'))
  server.clock.now = start + 365 * DAY_MS
  assertDead(await refresh(used), 'absolute')
  assertDead(await refresh(previous), 'the predecessor too')
})

test('S7 a clock far ahead, at one start or two, erases nothing that a right clock would keep', async () => {
  const { refresh: token } = await connect(server, browser)
  for (const days of [200, 400]) {
    server.clock.now += days * DAY_MS
    await server.restart()
    await server.restart()
    server.clock.now -= days * DAY_MS
    await server.restart()
  }
  await next(token)
  assert.is((await browser.request('/account')).status, 200, 'the session too')
})

test('S7 what two looks a week apart found to be long over is forgotten', async () => {
  const mine = new Browser(server.issuer)
  await connect(server, mine)
  const known = async (): Promise<number> => {
    const grants = await openGrants(server.state, createAccess(join(server.folder, 'access.yaml')))
    const count = (await grants.list()).length
    await grants.close()
    return count
  }
  const start = server.clock.now
  const before = await known()
  for (const [days, expected] of [
    [121, before],
    [127, before],
    [129, 0],
  ] as const) {
    server.clock.now = start + days * DAY_MS
    await server.restart()
    assert.is(await known(), expected, `after ${days} days`)
  }
  server.clock.now = start
})

test('S7 a clock that was behind ends nothing when it is right again', async () => {
  const { refresh: token } = await connect(server, browser)
  server.clock.now -= 200 * DAY_MS
  const { body } = await refresh(token)
  assert.is((await userInfo(server.issuer, body.access_token)).status, 200)
  const second = body.refresh_token
  server.clock.now += 200 * DAY_MS
  const third = await next(second)
  server.clock.now += 89 * DAY_MS
  await next(third)
  server.clock.now -= 89 * DAY_MS
})

test('R7 a lost answer: the old token works again, however late, and leads to the same successor', async () => {
  let { refresh: token } = await connect(server, browser)
  for (const delay of [0, 61_000, 25 * 3_600_000]) {
    const lost = await next(token)
    server.clock.now += delay
    assert.is(await next(token), lost, String(delay))
    await server.restart()
    assert.is(await next(token), lost, `restart ${delay}`)
    token = lost
  }
})

test('R8 reuse: the predecessor of a used token, and any older one, ends the family', async () => {
  for (const back of [2, 3, 5]) {
    const { access, refresh: first } = await connect(server, browser)
    const tokens = [first]
    for (let i = 0; i < 6; i++) tokens.push(await next(tokens[i]!))
    assertDead(await refresh(tokens[6 - back]!))
    for (const token of tokens) assertDead(await refresh(token))
    assert.is((await userInfo(server.issuer, access)).status, 401)
  }
})

test('R8 owner and thief who refresh in turn are not noticed; without the secret of the client a token is nothing', async () => {
  let { refresh: token } = await connect(server, browser)
  for (const [who, status] of [
    [{ client_secret: undefined }, 401],
    [{ client_secret: 'guessed' }, 401],
    [{ client_id: 'other', client_secret: OTHER_SECRET }, 400],
  ] as const)
    assert.is((await refresh(token, who)).status, status)
  for (let turn = 0; turn < 5; turn++) {
    const [owner, thief] = [await next(token), await next(token)]
    assert.is(owner, thief)
    token = owner
  }
})

test('R8 twenty at once, and two workers: one successor, one live head', async () => {
  const { refresh: token } = await connect(server, browser)
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(token)))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.is(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
  await next(answers[0]!.body.refresh_token)
  assertDead(await refresh(token))
})

test('R6 a token that this server did not issue', async () => {
  const { refresh: token } = await connect(server, browser)
  const [grant, , mac] = token.split('.')
  for (const forged of [
    `${grant}.1.${mac}`,
    `${grant}.00.${mac}`,
    `${grant}.-1.${mac}`,
    `${grant}.0.${'A'.repeat(43)}`,
    `${grant}.0.${mac} `,
    `${'A'.repeat(43)}.0.${mac}`,
    'x',
  ])
    assertDead(await refresh(forged), forged)
  await next(token)
})
