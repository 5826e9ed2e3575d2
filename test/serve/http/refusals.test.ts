/**
 * What every route refuses, and in which order. The routes come from the contract's own table, so a new one cannot
 * miss the company check; the inputs come from the security checklist (C1–C7, H8, H9).
 */

import * as assert from 'uvu/assert'
import { OPERATIONS } from '../../../builder/contract/operations.ts'
import { Problem } from '../../../builder/contract/problem.ts'
import { suite } from '../../suite.ts'
import type { Ask, Reply } from './client.ts'
import { rawStatus } from './client.ts'
import { type Exchange, exchanged } from './exchanges.ts'
import { type Stand, stand } from './stand.ts'

const refusals = suite<{ it: Stand }>('refusals')
refusals.before(async (context) => {
  context.it = await stand()
})
refusals.after(async ({ it }) => it.close())

const RANGE = 'StartDate=2024-01-01&EndDate=2024-03-31'
const STATEMENT = `${RANGE}&AccountingBasis=ACCRUAL`
const BODY = { NonFinancialIds: ['units'], StartDate: '2024-01-01', EndDate: '2024-03-31' }
const post = (body: unknown, headers: Record<string, string> = {}): Ask => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** A good request for every company route of the contract. */
const ROUTES = Object.values(OPERATIONS)
  .filter(({ path }) => path.includes('{CompanyId}'))
  .map(({ path, method, tag, ...operation }) => ({
    method,
    ofLedger: 'ofLedger' in operation,
    at: (company: string, snapshot = 'x') =>
      path
        .replace('{CompanyId}', company)
        .replace('{SnapshotId}', snapshot)
        .replace('{Path}', 'statements/profit-loss/accrual/actuals/all/all.json'),
    query: tag === 'Statements' ? `?${STATEMENT}` : '',
    ask: (method === 'POST' ? post(BODY) : {}) as Ask,
  }))
assert.is(ROUTES.length, 15)

/** Everything that a client can tell two answers apart by, but the time and the request's own id. */
/** All but what is each answer's own, and whether its connection ends, which only the body of the request decides. */
const OWN = ['date', 'request-id', 'connection', 'keep-alive']
const visible = ({ status, headers, text }: Reply): unknown => [
  status,
  text,
  [...headers].filter(([name]) => !OWN.includes(name)),
]

refusals('C2: every company route × every kind of token', async ({ it }) => {
  // The ageing is computed, and not read from a file.
  const ageing = { CompanyId: 'acme', Currency: 'USD', AccountingBasis: 'ACCRUAL', AsOf: '2025-06-30' }
  it.answerAdhoc(async () => Buffer.from(JSON.stringify({ ...ageing, Ages: ['Current'], Data: [] })))
  for (const { at, query, ask, ofLedger } of ROUTES) {
    const snapshot = (await it.ask('/companies/acme/snapshots')).json.Data[0].SnapshotId
    const path = `${at('acme', snapshot)}${query}`
    const table: [token: string | null, status: number, code: string | null][] = [
      ['owner', 200, null],
      // A token of the same user without the right to entries.
      ofLedger ? ['again', 403, 'insufficient-scope'] : ['again', 200, null],
      [null, 401, 'unauthorized'],
      ['expired', 401, 'unauthorized'],
      ['profile', 403, 'insufficient-scope'],
      ['stranger', 404, 'not-found'],
      ['nobody', 404, 'not-found'],
    ]
    for (const [token, status, code] of table) {
      const reply = await it.ask(path, { ...ask, token })
      assert.is(reply.status, status, `${path} as ${token}`)
      if (code !== null) assert.is(reply.json.code, code)
      const challenge = reply.headers.get('www-authenticate')
      if (status === 401 || status === 403) assert.match(challenge ?? '', /^Bearer realm="/)
      else assert.is(challenge, null)
    }
    const bare = await it.ask(path, { ...ask, token: null })
    assert.not.match(bare.headers.get('www-authenticate') ?? '', 'error=')
  }
})

refusals(
  'C1: a company unseen, unknown or unpublished: the same bytes, before anything else is read',
  async ({ it }) => {
    for (const { at, query, ask } of ROUTES) {
      const expected = visible(await it.ask(at('nowhere')))
      // `other` exists but is not granted; `ghost` is granted but was never published.
      for (const company of ['other', 'ghost', 'nowhere', 'x'.repeat(2000), 'Acme', 'acme%2e', 'acme%20'])
        for (const variant of [query, '', '?limit=-1', `?${STATEMENT}&ClassId=nope`, '?SnapshotId=x'])
          for (const request of [
            ask,
            { ...ask, headers: { ...ask.headers, 'If-None-Match': '*' } },
            { method: 'DELETE' },
            { method: 'POST', body: 'x'.repeat(70_000), headers: { 'Content-Type': 'text/plain' } },
          ])
            if (company.length < 100 || request === ask)
              assert.equal(visible(await it.ask(`${at(company)}${variant}`, request)), expected, company)
    }
    const reasons = new Set(it.entries.map((entry) => entry.reason))
    assert.ok(reasons.has('company-not-granted') && reasons.has('company-not-published'))
  },
)

refusals('C3 H1: ids of a company that are no ids never reach a file', async ({ it }) => {
  const corpus = [
    '..',
    '%2e%2e',
    '..%2f..%2fetc%2fpasswd',
    '%252e%252e%252f',
    '..%5c',
    '..;',
    '%c0%ae%c0%ae',
    'acme%00',
    '%00',
    'acme.',
    'C:',
    'acme::$DATA',
    'acme%0d%0aX:%20y',
    '__proto__',
    'constructor',
    'toString',
    '%F0%9F%98%80',
    'аcme',
    'acme%2Finfo%3F',
    'acme%2F..%2Facme',
    encodeURIComponent('acme\u200b'),
    'x'.repeat(10_000),
  ]
  for (const id of corpus) {
    const target = `/companies/${Buffer.from(id).toString('latin1')}/info`
    const status = await rawStatus(it.port, target, 'owner')
    assert.ok(status === 404 || status === 400, `${id} ${status}`)
  }
  for (const target of [
    '/companies/acme/../acme/info',
    '/companies//info',
    '//companies/acme/info',
    '/companies/acme//info',
    '/companies/acme/info/',
    '/companies/acme/INFO',
    '/Companies/acme/info',
    '/companies/acme/info%2F',
    '/companies/acme/inf%6f%2f',
    '/companies/acme',
    '/companies',
    '/',
    '//',
    '/companies/acme/manifest.json',
    '/companies/acme/snapshots/..%2f..%2fother%2f/tie-outs',
    '/companies/acme/snapshots/../tie-outs',
  ])
    assert.is(await rawStatus(it.port, target, 'owner'), 404, target)
})

refusals('H3: a method that a route does not have is 405 with Allow', async ({ it }) => {
  for (const { at, method } of ROUTES)
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      if (other === method) continue
      const reply = await it.ask(at('acme'), { method: other })
      assert.is(reply.status, 405, `${other} ${at('acme')}`)
      assert.is(reply.headers.get('allow'), method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS')
    }
})

const asked = (it: Stand) => async (exchange: Exchange) => it.ask(exchange.target, asAsk(exchange))
const asAsk = ({ method, token, headers, body }: Exchange): Ask => ({
  method,
  headers,
  ...(token === undefined ? {} : { token }),
  ...(body === undefined ? {} : { body }),
})

refusals('H9: a malformed parameter is a 400 that names it, before ids are looked up', ({ it }) =>
  exchanged('parameters', asked(it)),
)
refusals('H8: a metrics body is refused by type, size and content, in this order', ({ it }) =>
  exchanged('metrics-bodies', asked(it)),
)
refusals('C5: an unknown id is a 404 that names it; ids of another company are unknown', async ({ it }) => {
  await exchanged('ids', asked(it))
  const other = (await it.ask('/companies/other/snapshots', { token: 'stranger' })).json.Data[0].SnapshotId
  const borrowed = await it.ask(`/companies/acme/info?SnapshotId=${other}`)
  assert.is(borrowed.json.code, 'unknown-snapshot')
  assert.is((await it.ask(`/companies/acme/snapshots/${other}/tie-outs`)).json.code, 'unknown-snapshot')
})

refusals(
  'H9: ten thousand problems of one request are counted; the first twenty are named',
  async ({ it }) => {
    const names = Array.from({ length: 10_000 }, (_, i) => i.toString(36).padStart(3, '0'))
    const metrics = '/companies/acme/non-financial'
    const keys = Object.fromEntries(names.slice(0, 5000).map((name) => [name, 1]))
    const table: [string, Ask, number, string][] = [
      [metrics, post({ ...BODY, NonFinancialIds: names }), 404, '… and 9,980 more'],
      [metrics, post({ ...BODY, ...keys }), 400, '… and 4,980 more'],
      [metrics, post(`{${names.slice(0, 3000).map((name) => `"${name}":1,"${name}":1`)}}`), 400, 'more'],
      [metrics, post({ ...BODY, ['x'.repeat(60_000)]: 1 }), 400, 'xxx…'],
      [`/openapi.json?${names.slice(0, 100).join('&')}`, {}, 400, '… and 80 more'],
      [`/openapi.json?${names.slice(0, 3900).join('&')}`, {}, 400, 'query: holds more than 100 parameters'],
      [`/companies/acme/info?${'a&'.repeat(7000)}`, {}, 400, 'query: holds more than 100 parameters'],
    ]
    for (const [path, ask, status, told] of table) {
      const { status: given, json, text } = await it.ask(path, ask)
      assert.is(given, status, told)
      assert.ok(json.detail.includes(told), json.detail.slice(-100))
      assert.ok(json.errors.length <= 20)
      assert.ok(text.length < 5000, `${text.length} bytes`)
    }
  },
)

refusals(
  'pages of origins that are named may read, and `_` is no mistake where the settings say so',
  async () => {
    const it = await stand(undefined, { origins: ['https://app.example'], ignoredParameters: ['_'] })
    const ask = async (origin: string, path = '/companies/acme/info', method = 'GET') => {
      const { status, headers } = await it.ask(path, { method, headers: { Origin: origin } })
      return [status, headers.get('access-control-allow-origin')]
    }
    for (const _ of [1, 2]) {
      assert.equal(await ask('https://app.example'), [200, 'https://app.example'])
      assert.equal(await ask('https://evil.example'), [200, null])
      assert.equal(await ask('null'), [200, null])
    }
    assert.equal(await ask('https://app.example', '/companies/acme/info', 'OPTIONS'), [
      204,
      'https://app.example',
    ])
    assert.equal(await ask('https://app.example', '/companies/acme/info?x=1'), [400, 'https://app.example'])
    assert.equal(await ask('https://evil.example', '/companies/acme/info', 'OPTIONS'), [204, null])
    const { headers } = await it.ask('/companies/acme/info', { headers: { Origin: 'https://app.example' } })
    assert.match(headers.get('vary') ?? '', /Origin/)
    assert.match(headers.get('access-control-expose-headers') ?? '', /Snapshot-Id/)
    assert.is(headers.get('access-control-allow-credentials'), null)
    for (const [query, status] of [
      ['_=1764300000', 200],
      ['SnapshotId=&_=1&_=2', 200],
      ['__=1', 400],
      ['x=1&_=1', 400],
    ] as const)
      assert.is((await it.ask(`/companies/acme/info?${query}`)).status, status, query)
    await it.close()
  },
)

refusals('H19: an overloaded engine is 503 with Retry-After', async ({ it }) => {
  it.answerAdhoc(async () => {
    throw new Problem('overloaded', 'Too many.', { headers: { 'Retry-After': '5' } })
  })
  const reply = await it.ask(
    '/companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-01-31&AccountingBasis=ACCRUAL',
  )
  assert.is(reply.status, 503)
  assert.is(reply.json.code, 'overloaded')
  assert.is(reply.headers.get('retry-after'), '5')
})

refusals('H16: an unexpected error stays inside', async ({ it }) => {
  it.answerAdhoc(async () => {
    throw new Error('SELECT secret FROM /var/books')
  })
  const reply = await it.ask(
    '/companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-01-31&AccountingBasis=CASH',
  )
  assert.is(reply.status, 500)
  assert.is(reply.json.code, 'internal')
  assert.not.match(reply.text, 'secret')
  const entry = it.entries.find(({ requestId }) => requestId === reply.headers.get('request-id'))
  assert.match(entry?.reason ?? '', 'secret')
})
