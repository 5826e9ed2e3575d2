/** Responses kept in memory: they are the bytes that would be made, and nobody gets one that they may not have. */
import { rmSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { ARROW_STREAM } from '../../../builder/contract/operations.ts'
import { suite } from '../../suite.ts'
import { publish } from '../companies/fixture.ts'
import { raw } from './client.ts'
import { type Stand, stand } from './stand.ts'

const cache = suite<{ it: Stand }>('responses kept in memory')
cache.before.each(async (context) => {
  // Nothing is looked at again while a test runs, unless it moves the clock.
  context.it = await stand(undefined, { recheckMs: 120_000 })
})
cache.after.each(async ({ it }) => it.close())

const PL = '/companies/acme/profit-loss?StartDate=2024-01-01&EndDate=2024-03-31&AccountingBasis=ACCRUAL'

/** All bytes of an answer but those that are its own: id, date, how many requests are left and for how long. */
async function bytesOf(it: Stand, headers: readonly string[] = [], target = PL): Promise<string> {
  const lines = ['Host: x', 'Authorization: Bearer owner', ...headers, 'Connection: close']
  const text = await raw(it.port, `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return text
    .replace(/^Request-Id: [0-9a-f-]{36}\r$/m, 'Request-Id: own\r')
    .replace(/^Date: .*\r$/m, 'Date: own\r')
    .replace(/^RateLimit: "grant";r=\d+;t=\d+\r$/m, 'RateLimit: own\r')
}

const wasCached = (it: Stand): boolean | null => it.entries.at(-1)!.cached

cache('what is kept is what was made, in each form and coding', async ({ it }) => {
  for (const headers of [
    [],
    ['Accept-Encoding: gzip, br'],
    ['Accept-Encoding: gzip'],
    [`Accept: ${ARROW_STREAM}`],
    [`Accept: ${ARROW_STREAM}`, 'Accept-Encoding: br'],
  ]) {
    const made = await bytesOf(it, headers)
    assert.match(made, /^HTTP\/1\.1 200 /)
    assert.is(wasCached(it), false)
    assert.is(await bytesOf(it, headers), made)
    assert.is(wasCached(it), true)
  }
})

cache('two ids of a request are none', async ({ it }) => {
  await bytesOf(it, ['Request-Id: one'])
  assert.is(it.entries.at(-1)!.requestId, 'one')
  await bytesOf(it, ['Request-Id: one', 'Request-Id: two'])
  assert.match(it.entries.at(-1)!.requestId, /^[0-9a-f-]{36}$/)
})

cache('who may not see the company learns nothing from what is kept for others', async ({ it }) => {
  await it.ask(PL)
  const refused = async (token: string, path: string) => {
    const { status, json, headers } = await it.ask(path, { token })
    assert.is(headers.get('ratelimit'), null)
    return { status, json }
  }
  const none = PL.replace('acme', 'none')
  for (const token of ['stranger', 'nobody'])
    assert.equal(await refused(token, PL), await refused(token, none))
  assert.is((await it.ask(PL, { token: 'profile' })).status, 403)
  assert.is((await it.ask(PL, { token: 'unknown' })).status, 401)
  assert.is((await it.ask(PL, { token: null })).status, 401)
})

cache('what is withdrawn is withdrawn from the next answer on', async ({ it }) => {
  await it.ask(PL)
  const { owner } = it.grants
  it.grants.owner = { ...owner!, companies: ['bare'] }
  assert.is((await it.ask(PL)).status, 404)
  it.grants.owner = { ...owner!, scopes: new Set(['openid']) }
  assert.is((await it.ask(PL)).status, 403)
  delete it.grants.owner
  assert.is((await it.ask(PL)).status, 401)
  it.grants.owner = owner!
  assert.is((await it.ask(PL)).status, 200)
  assert.is(wasCached(it), true)
})

cache('a company that is taken away is gone', async ({ it }) => {
  await it.ask(PL)
  rmSync(`${it.root}/acme`, { recursive: true })
  it.advance(121)
  assert.is((await it.ask(PL)).status, 404)
  assert.is((await it.ask(PL)).status, 404)
})

const syncs = suite('responses kept in memory, while something is published')

syncs('a sync keeps its snapshot, and who begins then reads the new one', async () => {
  const it = await stand(undefined, { recheckMs: 6000 })
  const idOf = async (token: string) => (await it.ask(PL, { token })).headers.get('snapshot-id')
  const old = await idOf('owner')
  const next = publish(it.root, { id: 'acme', revision: 2, shift: 100, accounts: 250 })
  it.advance(7)
  assert.is(await idOf('owner'), old)
  assert.is(wasCached(it), true)
  assert.is(await idOf('second'), next)
  assert.is(wasCached(it), false)
  it.advance(11)
  assert.is(await idOf('owner'), next)
  assert.is(wasCached(it), true)
  await it.close()
})
