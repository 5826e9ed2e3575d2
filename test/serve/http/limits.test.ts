/** Slow, idle and oversized clients against short limits, and Host names (H8, H10, H18). */
import { connect, type Socket } from 'node:net'
import * as assert from 'uvu/assert'
import type { Limits } from '../../../serve/http/limits/limits.ts'
import { MOST_BODY_PIECES } from '../../../serve/http/request/request-body.ts'
import { suite } from '../../suite.ts'
import { raw } from './client.ts'
import { type Stand, stand } from './stand.ts'

const limits = suite('limits')

const SHORT: Partial<Limits> = {
  headersTimeout: 300,
  requestTimeout: 600,
  connectionsCheckingInterval: 50,
}

/** Sends one byte after another until the server ends the connection; gives what came back. */
const drip = (port: number, head: string, everyMs: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const drops = setInterval(() => socket.write('x'), everyMs)
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(drops)
      resolve(text)
    })
    socket.write(head)
  })

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

limits('H10: headers that come a byte at a time are ended with 408, and logged', async () => {
  const it = await stand(undefined, { limits: SHORT })
  assert.match(await drip(it.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', 20), /^HTTP\/1.1 408 /)
  assert.equal(it.refused, [
    { event: 'request-refused', status: 408, reason: 'ERR_HTTP_REQUEST_TIMEOUT', address: '127.0.0.1' },
  ])
  await it.close()
})

limits('H8 H10: a body that comes a byte at a time is ended, and its line says aborted', async () => {
  const it = await stand(undefined, { limits: SHORT })
  const head =
    'POST /companies/acme/non-financial HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n' +
    'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n'
  assert.match(await drip(it.port, head, 20), /^HTTP\/1.1 408 /)
  for (let i = 0; i < 100 && it.entries.length === 0; i++) await it.ask('/healthz')
  assert.is(it.entries[0]?.aborted, true)
  await it.close()
})

limits('H10: a thousand idle and half-begun connections starve nobody, and are ended', async () => {
  const it = await stand(undefined, { limits: { ...SHORT, headersTimeout: 3000, requestTimeout: 4000 } })
  const sockets = await Promise.all(
    Array.from(
      { length: 1000 },
      (_, i) =>
        new Promise<Socket>((resolve) => {
          const socket = connect(it.port, '127.0.0.1', () => resolve(socket))
          socket.on('error', () => {})
          socket.resume()
          if (i % 2 === 0) socket.write('GET /companies/acme/info HTTP/1.1\r\nHost: x\r\nX-Half: ')
        }),
    ),
  )
  const half = sockets.filter((_, i) => i % 2 === 0).map(closed)
  for (let i = 0; i < 20; i++) assert.is((await it.ask('/companies/acme/info')).status, 200)
  await Promise.all(half)
  for (const socket of sockets) socket.destroy()
  assert.is((await it.ask('/companies/acme/info')).status, 200)
  await it.close()
})

limits('H10: more connections than the limit are turned away, the others answered', async () => {
  const it = await stand(undefined, { limits: { maxConnections: 3 } })
  const sockets = Array.from({ length: 3 }, () => connect(it.port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once('connect', resolve))))
  const fourth = connect(it.port, '127.0.0.1')
  fourth.on('error', () => {})
  fourth.resume()
  await closed(fourth)
  const [first] = sockets as [Socket]
  const answer = new Promise<string>((resolve) => first.once('data', (chunk) => resolve(String(chunk))))
  first.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  assert.match(await answer, /^HTTP\/1.1 200 /)
  for (const socket of sockets) socket.destroy()
  await it.close()
})

limits('S1 H10: a client that stops reading its answer is cut off', async () => {
  const it = await stand([{ id: 'acme', accounts: 60_000 }], {
    limits: { unreadTimeout: 300, connectionsCheckingInterval: 50 },
  })
  const socket = connect(it.port, '127.0.0.1')
  socket.on('error', () => {})
  const get = '/companies/acme/chart-of-accounts?limit=1000'
  // Many answers in a row, none of them read.
  socket.pause()
  socket.write(`GET ${get} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n`.repeat(200))
  while (!it.entries.some((entry) => entry.aborted)) await new Promise((resolve) => setTimeout(resolve, 20))
  socket.destroy()
  await it.close()
})

limits('S2: after a 408 the connection is gone, also where the client keeps its side open', async () => {
  const it = await stand(undefined, { limits: SHORT })
  const socket = connect({ port: it.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const gone = new Promise<void>((resolve) => socket.once('error', () => resolve()))
  socket.write('POST /companies/acme/non-financial HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf')
  await new Promise<void>((resolve) => socket.once('end', () => resolve()))
  assert.match(text, /^HTTP\/1.1 408 /)
  // Writing to a connection that the other side has left fails in the end.
  const writing = setInterval(() => socket.write('x'), 50)
  await gone
  clearInterval(writing)
  await it.close()
})

limits('S1: requests sent ahead are answered in their order, one at a time; too many end it', async () => {
  const it = await stand(undefined, { limits: { mostPipelined: 5 } })
  let [atOnce, most] = [0, 0]
  it.answerAdhoc(async () => {
    most = Math.max(most, ++atOnce)
    await new Promise((resolve) => setTimeout(resolve, 5))
    atOnce--
    return Buffer.from('{}')
  })
  const get = (day: number): string =>
    `GET /companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-01-1${day}&AccountingBasis=CASH HTTP/1.1\r\n` +
    `Host: x\r\nRequest-Id: r${day}\r\nAuthorization: Bearer owner\r\n\r\n`
  const five = Array.from({ length: 5 }, (_, i) => get(i)).join('')
  const text = await raw(it.port, `${five}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  assert.equal(
    [...text.matchAll(/Request-Id: r(\d)/g)].map(([, i]) => Number(i)),
    [0, 1, 2, 3, 4],
  )
  assert.is(text.split('HTTP/1.1 200').length - 1, 6)
  assert.is(most, 1)
  const seven = await raw(it.port, five + five)
  assert.is(seven.split('HTTP/1.1 200').length - 1, 0)
  assert.equal(it.refused, [
    { event: 'request-refused', status: null, reason: 'too many requests sent ahead', address: '127.0.0.1' },
  ])
  await it.close()
})

limits('S1: what is sent ahead is limited in bytes too, of one connection and of all', async () => {
  const it = await stand(undefined, { limits: { mostPipelinedBytes: 4000, mostPipelinedBytesOfAll: 6000 } })
  const finish: (() => void)[] = []
  it.answerAdhoc(() => new Promise((resolve) => finish.push(() => resolve(Buffer.from('{}')))))
  const slow = (day: number): string =>
    `GET /companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-01-1${day}&AccountingBasis=CASH HTTP/1.1\r\n` +
    'Host: x\r\nAuthorization: Bearer owner\r\n\r\n'
  const fat = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Fat: ${'x'.repeat(3000)}\r\n\r\n`
  const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  // Two fat heads are too much for one connection.
  assert.is(await raw(it.port, slow(0) + fat + fat), '')
  const first = raw(it.port, slow(1) + fat + last)
  while (finish.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  // A second connection would hold more than all may.
  assert.is(await raw(it.port, slow(2) + fat + last), '')
  for (const done of finish) done()
  assert.is((await first).split('HTTP/1.1 200').length - 1, 3)
  // What was held is free again.
  it.answerAdhoc(async () => Buffer.from('{}'))
  assert.is((await raw(it.port, slow(3) + fat + last)).split('HTTP/1.1 200').length - 1, 3)
  await it.close()
})

limits('H8: a body in more pieces than any client needs is 413, and the connection ends', async () => {
  const it = await stand()
  const body = '{"NonFinancialIds":["HEADCOUNT"],"StartDate":"2024-01-01","EndDate":"2024-01-31"}'
  const ask = (pieces: number): Promise<string> => {
    const padded = body + ' '.repeat(pieces - body.length)
    const chunks = [...padded].map((byte) => `1\r\n${byte}\r\n`).join('')
    return raw(
      it.port,
      'POST /companies/acme/non-financial HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n' +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n` +
        'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
  }
  const whole = await ask(MOST_BODY_PIECES)
  assert.not.match(whole, ' 413 ')
  assert.match(whole, '{"status":"ok"}')
  const refused = await ask(MOST_BODY_PIECES + 1)
  assert.match(refused, /^HTTP\/1.1 413 /)
  assert.match(refused, /\r\nConnection: close\r\n/)
  assert.not.match(refused, '{"status":"ok"}')
  await it.close()
})

limits('H8: a body that no route wants is not read: the answer comes, and the connection ends', async () => {
  const it = await stand()
  const chunks = '5\r\nhello\r\n'.repeat(1000)
  for (const [line, status] of [
    ['GET /companies/acme/info', 200],
    ['DELETE /companies/acme/info', 405],
    ['POST /healthz', 405],
    ['POST /%', 400],
    ['GET /healthz', 200],
  ] as const)
    for (const body of [
      `Content-Length: 1000000\r\n\r\n${chunks}`,
      `Transfer-Encoding: chunked\r\n\r\n${chunks}`,
    ]) {
      const text = await raw(it.port, `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n${body}`)
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), line)
      assert.match(text, /\r\nConnection: close\r\n/, line)
    }
  const empty = 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'
  assert.is(
    (await raw(it.port, empty + empty + empty.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).split(
      ' 200 OK',
    ).length - 1,
    3,
  )
  await it.close()
})

limits('H2: bytes that are no request are refused in one line of the log, and change no state', async () => {
  const it = await stand()
  const table: [string, number][] = [
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['GET / HTTP/9.9\r\n\r\n', 400],
    ['GET /\r\n\r\n', 400],
    ['\r\n\r\nnonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
    ['POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n', 400],
  ]
  for (const [bytes, status] of table) {
    const before = it.refused.length
    const text = await raw(it.port, bytes)
    assert.match(text, / (400|404|431) /, bytes.slice(0, 40))
    if (it.refused.length > before)
      assert.is((it.refused.at(-1) as { status?: number }).status, status, bytes.slice(0, 40))
  }
  assert.ok(it.refused.length >= 7)
  assert.not.match(JSON.stringify(it.refused), 'nonsense')
  assert.is((await it.ask('/healthz')).status, 200)
  await it.close()
})

const statusFor = async (it: Stand, host: string, path = '/companies/acme/info'): Promise<number> => {
  const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer owner\r\nConnection: close\r\n\r\n`
  return Number((await raw(it.port, head)).split(' ')[1])
}

limits('H18: no absolute URL comes from Host or X-Forwarded-*, whatever they say', async () => {
  const it = await stand()
  const headers = {
    'X-Forwarded-Host': 'evil.example',
    'X-Forwarded-Proto': 'gopher',
    'X-Forwarded-Prefix': '/evil',
    Forwarded: 'host=evil.example;proto=gopher',
  }
  const { text, json } = await it.ask('/openapi.json', { headers })
  assert.not.match(text, /evil|gopher/)
  assert.equal(json.servers, [{ url: 'http://127.0.0.1' }])
  assert.is(await statusFor(it, 'evil.example'), 200)
  await it.close()
})

limits('H18: with a list of names, any other Host is 421; probes ask by address', async () => {
  const it = await stand(undefined, { hosts: ['books.example', '[::1]', 'other.example:8443'] })
  for (const host of [
    'books.example',
    'BOOKS.example',
    'books.example:443',
    '[::1]:8080',
    'other.example:8443',
  ])
    assert.is(await statusFor(it, host), 200, host)
  for (const host of ['', 'evil', 'books.example.evil', 'xbooks.example', 'books.example:x', 'other.example'])
    assert.is(await statusFor(it, host), 421, host)
  // The host of an absolute target counts in place of the header (RFC 9112 §3.2.2).
  assert.is(await statusFor(it, 'evil', 'http://books.example/companies/acme/info'), 200)
  assert.is(await statusFor(it, 'books.example', 'http://evil/companies/acme/info'), 421)
  assert.is(await statusFor(it, '10.0.0.7', '/healthz'), 200)
  assert.is(await statusFor(it, '10.0.0.7', '/readyz'), 200)
  await it.close()
})
