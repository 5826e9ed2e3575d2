/** HTTP itself: HEAD, OPTIONS, validators, codings, targets, limits, headers, the access log (H1–H9). */
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { OPERATIONS } from '../../../builder/contract/operations.ts'
import { inCoding, preferredCoding } from '../../../serve/http/forms.ts'
import type { AccessEntry } from '../../../serve/http/request/request-context.ts'
import { suite } from '../../suite.ts'
import { publish } from '../companies/fixture.ts'
import { raw, rawStatus } from './client.ts'
import { type Stand, stand } from './stand.ts'

const protocol = suite<{ it: Stand }>('protocol')
protocol.before(async (context) => {
  context.it = await stand()
})
protocol.after(async ({ it }) => it.close())

const CHART = '/companies/acme/chart-of-accounts'

/** Head and body of an answer as bytes, without fetch's own decoding. */
async function exchange(
  port: number,
  target: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: Map<string, string>; body: Buffer }> {
  const lines = Object.entries({ Host: 'x', Authorization: 'Bearer owner', Connection: 'close', ...headers })
  const text = await raw(
    port,
    `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  const cut = text.indexOf('\r\n\r\n')
  const [first = '', ...rest] = text.slice(0, cut).split('\r\n')
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(
      rest.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    ),
    body: Buffer.from(text.slice(cut + 4), 'latin1'),
  }
}

protocol('H3: HEAD is GET without its body, for answers and for problems', async ({ it }) => {
  for (const target of [
    CHART,
    '/companies/acme/info',
    `${CHART}?limit=0`,
    '/companies/other/info',
    '/healthz',
  ]) {
    const get = await exchange(it.port, target)
    const head = await exchange(it.port, target, {}, 'HEAD')
    assert.is(head.status, get.status)
    assert.is(head.body.length, 0)
    for (const name of ['content-length', 'content-type', 'etag', 'vary', 'snapshot-id', 'cache-control'])
      assert.is(head.headers.get(name), get.headers.get(name), `${target} ${name}`)
    assert.is(Number(get.headers.get('content-length')), get.body.length)
  }
})

protocol('H3: OPTIONS names the methods of every path and needs no token', async ({ it }) => {
  for (const { path, method } of Object.values(OPERATIONS).filter(({ tag }) => tag !== 'OAuth')) {
    const target = path.replace(/\{\w+\}/g, 'x')
    const { status, headers } = await it.ask(target, { method: 'OPTIONS', token: null })
    assert.is(status, 204)
    assert.is(headers.get('allow'), method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS')
    assert.is(headers.get('access-control-allow-origin'), null)
  }
})

protocol('H4 U8: an ETag is strong, belongs to the coding, and If-None-Match gives 304', async ({ it }) => {
  const tags = new Set<string>()
  for (const coding of ['identity', 'gzip', 'br']) {
    const { headers } = await exchange(it.port, CHART, { 'Accept-Encoding': coding })
    const etag = headers.get('etag')!
    assert.match(etag, /^"[0-9a-f]{32}(-br|-gzip)?"$/)
    tags.add(etag)
    for (const [given, status] of [
      [etag, 304],
      ['*', 304],
      [`W/${etag}`, 304],
      [`"a", "b,c" , ${etag}`, 304],
      ['"a"', 200],
      [etag.slice(1, -1), 200],
      ['', 200],
    ] as const) {
      const again = await exchange(it.port, CHART, { 'Accept-Encoding': coding, 'If-None-Match': given })
      assert.is(again.status, status, given)
      if (status === 200) continue
      assert.is(again.body.length, 0)
      assert.is(again.headers.get('etag'), etag)
      assert.is(again.headers.get('cache-control'), 'private, no-cache')
      assert.is(again.headers.get('vary'), 'Authorization, Accept-Encoding')
      assert.is(again.headers.get('snapshot-id'), headers.get('snapshot-id'))
      assert.is(again.headers.get('content-type'), undefined)
    }
  }
  assert.is(tags.size, 3)
  const body = JSON.stringify({
    NonFinancialIds: ['units'],
    StartDate: '2024-01-01',
    EndDate: '2024-01-31',
  })
  const posted = await it.ask('/companies/acme/non-financial', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'If-None-Match': '*' },
    body,
  })
  assert.is(posted.status, 200)
})

protocol('H4: equal figures keep their ETag in a new snapshot', async ({ it }) => {
  const path = '/companies/bare/info'
  const before = await it.ask(path)
  publish(it.root, { id: 'bare', bare: true, bases: ['ACCRUAL'], accounts: 2, revision: 2 })
  it.advance(3 * 60 * 60)
  const after = await it.ask(path, { headers: { 'If-None-Match': before.headers.get('etag')! } })
  assert.is(after.status, 304)
  assert.is.not(after.headers.get('snapshot-id'), before.headers.get('snapshot-id'))
})

protocol('H6: codings: the bytes are the plain ones, small bodies stay plain', async ({ it }) => {
  const plain = await exchange(it.port, CHART)
  assert.is(plain.headers.get('content-encoding'), undefined)
  const gzip = await exchange(it.port, CHART, { 'Accept-Encoding': 'gzip' })
  assert.is(gzip.headers.get('content-encoding'), 'gzip')
  assert.equal(gunzipSync(gzip.body), plain.body)
  const br = await exchange(it.port, CHART, { 'Accept-Encoding': 'gzip, br' })
  assert.is(br.headers.get('content-encoding'), 'br')
  assert.equal(brotliDecompressSync(br.body), plain.body)
  assert.ok(br.body.length < plain.body.length / 3)
  const small = await exchange(it.port, '/companies/acme/info', { 'Accept-Encoding': 'br' })
  assert.is(small.headers.get('content-encoding'), undefined)
})

protocol('H6: the coding is chosen by weight', async () => {
  const table: [string | undefined, string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['br', 'br'],
    ['BR', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', 'identity'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0, *', 'gzip'],
    ['identity;q=0', 'identity'],
    ['identity;q=1, br;q=0.5', 'identity'],
    ['identity;q=0.5, *;q=0.6', 'br'],
    ['br;q=x', 'identity'],
    ['br ; q=0.8 , gzip ; q=0.9', 'gzip'],
    ['zstd, deflate', 'identity'],
    [',,;q=1', 'identity'],
  ]
  for (const [accepted, coding] of table) assert.is(preferredCoding(accepted), coding, accepted)
  assert.is((await inCoding(Buffer.alloc(1023), 'br')).coding, 'identity')
  assert.is((await inCoding(Buffer.alloc(1024), 'br')).coding, 'br')
})

protocol(
  'H2 H18: a malformed target is 400 and ends no process; an absolute one counts with its host',
  async ({ it }) => {
    for (const target of ['/%E0%A4%A', '/companies/%/info', '/%2', '/a%00b', '/companies/%0d%0a/info', '*'])
      assert.is(await rawStatus(it.port, target, 'owner'), 400, target)
    for (const [target, status] of [
      ['http://any/companies/acme/info', 200],
      ['HTTPS://any:8443/companies/acme/info?SnapshotId=', 200],
      ['http://any?x=1', 404],
      ['http://user@any/companies/acme/info', 400],
      ['http:///companies/acme/info', 400],
      ['ftp://any/companies/acme/info', 400],
    ] as const)
      assert.is(await rawStatus(it.port, target, 'owner'), status, target)
    assert.is(await rawStatus(it.port, '/companies/acme/info?x=%', 'owner'), 400)
    assert.is(await rawStatus(it.port, '/companies/acme/info#x', 'owner'), 400)
    assert.is(await rawStatus(it.port, '/companies/acme/info', 'owner', 'BREW'), 400)
    assert.is(await rawStatus(it.port, `/${'x'.repeat(20_000)}`, 'owner'), 431)
    assert.is((await it.ask('/healthz')).status, 200)
  },
)

protocol('U7: two credentials, two lengths, no host: refused', async ({ it }) => {
  const request = (...lines: string[]): Promise<string> =>
    raw(it.port, ['GET /companies/acme/info HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'))
  const bearer = 'Authorization: Bearer owner'
  assert.match(await request('Host: x', bearer, 'Authorization: Bearer second'), /^HTTP\/1.1 400 /)
  assert.match(await request(bearer), /^HTTP\/1.1 400 /)
  assert.match(await request('Host: x', bearer, 'Content-Length: 1', 'Content-Length: 2'), /^HTTP\/1.1 400 /)
  assert.match(
    await request('Host: x', bearer, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    /^HTTP\/1.1 400 /,
  )
})

protocol('S12: two Host headers are 400, for probes and what lies ready too', async ({ it }) => {
  for (const path of ['/companies/acme/info', '/companies/acme/info', '/healthz', '/openapi.json'])
    for (const [hosts, status] of [
      [['Host: x'], 200],
      [['Host: x', 'Host: y'], 400],
      [['Host: x', 'host: x'], 400],
    ] as const) {
      const lines = [
        `GET ${path} HTTP/1.1`,
        ...hosts,
        'Authorization: Bearer owner',
        'Connection: close',
        '',
        '',
      ]
      const answer = await raw(it.port, lines.join('\r\n'))
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), `${path} ${hosts.join()}`)
      if (status === 400) assert.match(answer, 'Host: is given more than once')
    }
})

protocol(
  'H13: what node:http would refuse by itself is a problem with its line in the log, in turn',
  async ({ it }) => {
    const before = it.entries.length
    const first = 'GET /companies/acme/info HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n'
    const expects = (value: string): string => `GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: ${value}\r\n\r\n`
    const last = 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'
    const text = await raw(it.port, first + expects('zzz') + expects('100-CONTINUE') + last)
    assert.equal(
      [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status)),
      [200, 417, 100, 200, 400],
    )
    assert.match(text, '"code":"expectation-failed"')
    assert.match(text, 'Host: is missing')
    assert.equal(
      it.entries.slice(before).map(({ status }) => status),
      [200, 417, 200, 400],
    )
  },
)

protocol('S11: the line of each request says from which address it came', async ({ it }) => {
  const before = it.entries.length
  await it.ask('/companies/acme/info', { headers: { 'X-Forwarded-For': '192.0.2.1' } })
  await it.ask('/companies/acme/info')
  await it.ask('/nothing')
  assert.equal(
    it.entries.slice(before).map(({ address, status }) => [address, status]),
    [
      ['127.0.0.1', 200],
      ['127.0.0.1', 200],
      ['127.0.0.1', 404],
    ],
    'no proxy is trusted',
  )
})

protocol(
  'H8: a body without a stated length is cut off at the limit, and the connection closed',
  async ({ it }) => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const text = await raw(
      it.port,
      `POST /companies/acme/non-financial HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
    )
    assert.match(text, /^HTTP\/1.1 413 /)
    assert.match(text, /\r\nConnection: close\r\n/i)
  },
)

protocol(
  'H8 H13: a client that goes away in mid-body leaves an aborted line, not an error',
  async ({ it }) => {
    const socket = connect(it.port, '127.0.0.1')
    const gone = new Promise((resolve) => socket.once('close', resolve))
    socket.write(
      'POST /companies/acme/non-financial HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\nRequest-Id: gone\r\n' +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"Non',
      () => setImmediate(() => socket.destroy()),
    )
    await gone
    for (let i = 0; i < 100 && !it.entries.some(({ requestId }) => requestId === 'gone'); i++)
      await it.ask('/healthz')
    assert.is(it.entries.find(({ requestId }) => requestId === 'gone')?.aborted, true)
  },
)

protocol('H13: a safe Request-Id is kept, any other replaced', async ({ it }) => {
  const idOf = async (given: string) =>
    (await it.ask('/healthz', { headers: { 'Request-Id': given } })).headers.get('request-id')
  assert.is(await idOf('sync-2025.06_1'), 'sync-2025.06_1')
  for (const given of ['a b', 'x'.repeat(65), '<script>', 'a"b', 'é', ''])
    assert.match((await idOf(given)) ?? '', /^[0-9a-f-]{36}$/, given)
})

protocol('H17: every answer carries the headers of a closed API, and names no software', async ({ it }) => {
  for (const path of [CHART, '/nowhere', '/healthz', '/openapi.json', '/companies/other/info']) {
    const { headers } = await it.ask(path)
    assert.is(headers.get('x-content-type-options'), 'nosniff')
    assert.is(headers.get('referrer-policy'), 'no-referrer')
    for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'set-cookie'])
      assert.is(headers.get(name), null, name)
  }
})

protocol(
  'H13: the log has one line per request, with no query, token or path as asked for',
  async ({ it }) => {
    it.entries.length = 0
    const query = 'StartDate=2024-01-01&EndDate=2024-01-31&AccountingBasis=ACCRUAL'
    await it.ask(`/companies/acme/profit-loss?${query}`)
    await it.ask('/companies/secret-company/info?access_token=s3cret')
    await it.ask('/secret-path')
    const [statement, unseen, nowhere] = it.entries as [AccessEntry, AccessEntry, AccessEntry]
    assert.is(statement.route, '/companies/{CompanyId}/profit-loss')
    assert.is(statement.companyId, 'acme')
    assert.is(statement.clientId, 'c1')
    assert.is(statement.userId, 'u1')
    assert.match(statement.snapshotId ?? '', '2025-06-r1-')
    assert.is(statement.status, 200)
    assert.ok(statement.bytes > 0 && statement.ms > 0)
    assert.is(unseen.reason, 'company-not-granted')
    assert.is(unseen.companyId, null)
    assert.is(nowhere.route, null)
    assert.not.match(JSON.stringify(it.entries), /s3cret|secret|owner|StartDate/)
  },
)

protocol('H4 H5: dates and ranges are not offered, and asking for them changes nothing', async ({ it }) => {
  const plain = await exchange(it.port, CHART)
  assert.is(plain.headers.get('accept-ranges'), 'none')
  assert.is(plain.headers.get('last-modified'), undefined)
  for (const headers of [
    { 'If-Modified-Since': 'Fri, 31 Dec 9999 23:59:59 GMT' },
    { 'If-None-Match': '"x"', 'If-Modified-Since': 'Fri, 31 Dec 9999 23:59:59 GMT' },
    { Range: 'bytes=0-9' },
    { Range: 'bytes=0-9', 'If-Range': plain.headers.get('etag')! },
  ]) {
    const again = await exchange(it.port, CHART, headers as Record<string, string>)
    assert.is(again.status, 200)
    assert.equal(again.body, plain.body)
  }
  const both = {
    'If-None-Match': plain.headers.get('etag')!,
    'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT',
  }
  assert.is((await exchange(it.port, CHART, both)).status, 304)
})

protocol('H6 H7: JSON says its type and charset, whatever is accepted', async ({ it }) => {
  for (const Accept of ['application/json', '*/*', 'text/html', 'image/png;q=0', ''])
    for (const path of [CHART, '/companies/acme/info', '/openapi.json']) {
      const { status, headers } = await exchange(it.port, path, {
        Accept,
        'Accept-Encoding': 'zstd, deflate',
      })
      assert.is(status, 200)
      assert.is(headers.get('content-type'), 'application/json; charset=utf-8')
      assert.is(headers.get('content-encoding'), undefined)
      assert.match(headers.get('vary') ?? '', 'Accept-Encoding')
    }
})

protocol('H13: nothing that a caller sends breaks a line of the log or forges one', async ({ it }) => {
  it.entries.length = 0
  const forged = '%0a{"event":"request","status":200}%0d%0a\u2028'
  for (const target of [`/companies/${forged}/info`, `/${forged}`, `/companies/acme/info?x=${forged}`])
    await exchange(it.port, target, { 'Request-Id': 'a"b', 'User-Agent': '{"event":"x"}', Referer: forged })
  await exchange(it.port, '/companies/acme/info', { Authorization: `Bearer ${'"\\'.repeat(9)}` })
  assert.is(it.entries.length, 4)
  for (const entry of it.entries) {
    const line = JSON.stringify(entry)
    assert.not.match(line, /[\n\r\u2028]/)
    assert.equal(JSON.parse(line), entry)
    assert.match(entry.requestId, /^[0-9a-f-]{36}$/)
    assert.not.match(line, 'event\\":')
  }
})

protocol('H13: a line says whether its answer lay ready', async ({ it }) => {
  it.entries.length = 0
  const path = '/companies/acme/balance-sheet?StartDate=2024-02-01&EndDate=2024-03-31&AccountingBasis=CASH'
  for (let i = 0; i < 2; i++) await it.ask(path)
  await it.ask('/companies/acme/snapshots')
  await it.ask('/healthz')
  assert.equal(
    it.entries.map(({ cached }) => cached),
    [false, true, null, null],
  )
})
