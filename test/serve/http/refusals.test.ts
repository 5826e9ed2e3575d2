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
  assert.is((await it.ask('/openapi.json', { method: 'POST' })).status, 405)
  assert.is((await it.ask('/companies/acme/info?x=1', { method: 'DELETE' })).status, 405)
  assert.is((await it.ask('/companies/acme/info', { method: 'DELETE', token: null })).status, 401)
})

/** [route, query, what must be named] */
const MALFORMED: readonly (readonly [string, string, readonly string[]])[] = [
  ['info', 'x=1', ['x']],
  ['info', 'SnapshotId=a&SnapshotId=a', ['SnapshotId']],
  ['info', 'limit=1', ['limit']],
  ...['chart-of-accounts', 'budgets', 'classes', 'departments', 'non-financial-list'].flatMap((route) => [
    [route, 'limit=0', ['limit']] as const,
    [route, 'limit=1001', ['limit']] as const,
    [route, 'limit=-1&offset=1.5', ['limit', 'offset']] as const,
    [route, 'limit=1e2', ['limit']] as const,
    [route, 'limit=%205', ['limit']] as const,
    [route, 'limit=', ['limit']] as const,
    [route, 'limit=1&limit=2', ['limit']] as const,
    [route, 'offset=99999999999999999999', ['offset']] as const,
    [route, 'page=1', ['page']] as const,
    [route, '%zz=1', ['query']] as const,
  ]),
  ...['profit-loss', 'balance-sheet', 'cash-flow-statement'].flatMap((route) => [
    [route, '', ['StartDate', 'EndDate', 'AccountingBasis']] as const,
    [route, `${STATEMENT}&basis=cash`, ['basis']] as const,
    [route, `${RANGE}&AccountingBasis=accrual`, ['AccountingBasis']] as const,
    [route, `${STATEMENT}&ClassId=a&ClassId=`, ['ClassId']] as const,
    [route, 'StartDate=2024-02-30&EndDate=2024-03-31&AccountingBasis=CASH', ['StartDate']] as const,
    [route, 'StartDate=2024-04-01&EndDate=2024-03-31&AccountingBasis=CASH', ['EndDate']] as const,
    [route, `${STATEMENT}&limit=1&offset=0`, ['limit', 'offset']] as const,
  ]),
  ['snapshots', 'limit=1', ['limit']],
  ['snapshots/2025-06-r1-abcdef/tie-outs', 'SnapshotId=x', ['SnapshotId']],
]

refusals('H9: a malformed parameter is a 400 that names it, before ids are looked up', async ({ it }) => {
  for (const [route, query, named] of MALFORMED)
    for (const more of ['', `${query ? '&' : ''}SnapshotId=2025-06-r9-abcdef`]) {
      if (more && (route.startsWith('snapshots') || query.includes('SnapshotId'))) continue
      const reply = await it.ask(`/companies/acme/${route}?${query}${more}`)
      assert.is(reply.status, 400, `${route} ${query}`)
      assert.is(reply.json.code, 'invalid-request')
      assert.equal(
        [...new Set(reply.json.errors.map((error: { parameter: string }) => error.parameter))].sort(),
        [...named].sort(),
        `${route} ${query}`,
      )
    }
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

refusals('H8: a metrics body is refused by type, size and content, in this order', async ({ it }) => {
  const path = '/companies/acme/non-financial'
  const table: [Ask, number, string][] = [
    [post(JSON.stringify(BODY) + ' '.repeat(70_000)), 413, 'payload-too-large'],
    [post('x'.repeat(70_000), { 'Content-Type': 'text/plain' }), 413, 'payload-too-large'],
    [post(BODY, { 'Content-Type': 'text/plain' }), 415, 'unsupported-media-type'],
    [post(BODY, { 'Content-Type': 'application/json; charset=iso-8859-1' }), 415, 'unsupported-media-type'],
    [post(BODY, { 'Content-Type': 'application/x-www-form-urlencoded' }), 415, 'unsupported-media-type'],
    [post(BODY, { 'Content-Encoding': 'gzip' }), 415, 'unsupported-media-type'],
    [{ method: 'POST' }, 415, 'unsupported-media-type'],
    [post(''), 400, 'invalid-request'],
    [post('{'), 400, 'invalid-request'],
    [post('['.repeat(60_000)), 400, 'invalid-request'],
    [post({ ...BODY, AccountingBasis: 'CASH' }), 400, 'invalid-request'],
    [post({ ...BODY, NonFinancialIds: ['units', 'units'] }), 400, 'invalid-request'],
    [post(`{"__proto__":{"NonFinancialIds":[]},${JSON.stringify(BODY).slice(1)}`), 400, 'invalid-request'],
    [
      post({ ...BODY, NonFinancialIds: ['nope'] }, { 'Content-Type': 'application/json; charset=us-ascii' }),
      404,
      'unknown-metric',
    ],
    [post({ ...BODY, NonFinancialIds: ['units', 'nope', '__proto__'] }), 404, 'unknown-metric'],
    [post({ ...BODY, BudgetId: 'nope' }), 404, 'unknown-budget'],
    [post({ ...BODY, ClassId: 'nope' }), 404, 'unknown-class'],
    [post({ ...BODY, DepartmentId: 'north' }), 404, 'unknown-department'],
  ]
  for (const [ask, status, code] of table) {
    const reply = await it.ask(path, ask)
    assert.is(reply.status, status, String(ask.body).slice(0, 200))
    assert.is(reply.json.code, code)
  }
  const both = await it.ask(`${path}?limit=1`, post({ ...BODY, x: 1 }))
  assert.equal(
    both.json.errors.map((error: { parameter: string }) => error.parameter),
    ['limit', 'x'],
  )
  const strangers = await it.ask(path, post({ ...BODY, NonFinancialIds: ['nope', 'units', 'NOPE'] }))
  assert.is(strangers.json.errors.length, 2)
  assert.match(strangers.json.detail, '"NOPE"')
  const every = { ClassId: 'c?', DepartmentId: 'd?', BudgetId: 'b?', NonFinancialIds: ['m?', 'units'] }
  const all = await it.ask(path, post({ ...BODY, ...every }))
  assert.is(all.json.code, 'unknown-budget')
  assert.equal(
    all.json.errors.map((error: { parameter: string }) => error.parameter),
    ['BudgetId', 'ClassId', 'DepartmentId', 'NonFinancialIds'],
  )
})

refusals('C5: an unknown id is a 404 that names it; ids of another company are unknown', async ({ it }) => {
  const at = (company: string, query: string) => `/companies/${company}/profit-loss?${STATEMENT}&${query}`
  const table: [string, string, string][] = [
    ['acme', 'BudgetId=nope', 'unknown-budget'],
    ['acme', 'BudgetId=actuals', 'unknown-budget'],
    ['acme', 'BudgetId=unassigned', 'unknown-budget'],
    ['acme', 'ClassId=all', 'unknown-class'],
    ['acme', 'ClassId=NORTH', 'unknown-class'],
    // These are those of another company that the token may see.
    ['bare', 'DepartmentId=ops', 'unknown-department'],
    ['bare', 'BudgetId=op%2025%2F%C3%B6', 'unknown-budget'],
    ['acme', 'ClassId=..%2F..%2Fother', 'unknown-class'],
    ['acme', 'ClassId=__proto__', 'unknown-class'],
    ['acme', 'DepartmentId=north', 'unknown-department'],
    ['bare', 'ClassId=north', 'unknown-class'],
    ['acme', 'SnapshotId=2025-06-r9-abcdef', 'unknown-snapshot'],
    ['acme', 'SnapshotId=..', 'unknown-snapshot'],
    ['acme', 'SnapshotId=..%2Fother', 'unknown-snapshot'],
    ['acme', 'SnapshotId=current.json', 'unknown-snapshot'],
  ]
  const several = await it.ask(at('acme', 'ClassId=c%3F&DepartmentId=d%3F'))
  assert.equal(
    [several.status, several.json.errors.map((error: { parameter: string }) => error.parameter)],
    [404, ['ClassId', 'DepartmentId']],
  )
  for (const [company, query, code] of table) {
    const reply = await it.ask(at(company, query))
    assert.is(reply.status, 404, query)
    assert.is(reply.json.code, code, query)
    assert.is(reply.json.errors.length, 1)
    assert.is(reply.json.errors[0].parameter, query.split('=')[0])
  }
  const other = (await it.ask('/companies/other/snapshots', { token: 'stranger' })).json.Data[0].SnapshotId
  const borrowed = await it.ask(`/companies/acme/info?SnapshotId=${other}`)
  assert.is(borrowed.json.code, 'unknown-snapshot')
  assert.is((await it.ask(`/companies/acme/snapshots/${other}/tie-outs`)).json.code, 'unknown-snapshot')
})

refusals(
  'a basis that the books do not have is 422 and says which they have, for actuals only',
  async ({ it }) => {
    const query = `${RANGE}&AccountingBasis=CASH`
    const reply = await it.ask(`/companies/bare/balance-sheet?${query}`)
    assert.is(reply.status, 422)
    assert.is(reply.json.code, 'basis-not-available')
    assert.match(reply.json.detail, 'ACCRUAL')
    // An unknown id is said first.
    assert.is(
      (await it.ask(`/companies/bare/balance-sheet?${query}&ClassId=nope`)).json.code,
      'unknown-class',
    )
  },
)

refusals('a wrong address is said to be none, to anybody; a slash at its end is named', async ({ it }) => {
  for (const [path, told] of [
    ['/companies/acme/info/', 'Leave out the "/"'],
    ['/companies/acme/infos', '/openapi.json lists'],
    ['/companies/acme/infos/', '/openapi.json lists'],
  ] as const)
    for (const token of ['owner', null]) {
      const { status, json } = await it.ask(path, { token })
      assert.equal([status, json.code], [404, 'not-found'])
      assert.match(json.detail, told)
    }
})

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
