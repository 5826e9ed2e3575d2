/** The end of a server: nothing new, everything under way answered, nothing waited for beyond the deadline (H11). */
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { client, raw } from './client.ts'
import { stand } from './stand.ts'

const stop = suite('stop')

const AD_HOC = '/companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-01-31&AccountingBasis=CASH'

stop(
  'H11: answers under way are finished, on connections that then close; new ones are refused',
  async () => {
    const it = await stand()
    const engine = it.holdAdhoc()
    const answer = it.ask(AD_HOC)
    await engine.asked(1)
    const closing = it.listening.stop({ drainSeconds: 60 })
    assert.is(it.listening.accepting(), false)
    await client(it.base)('/healthz').then(
      () => assert.unreachable('a new connection was accepted'),
      () => {},
    )
    engine.finish()
    const { status, headers } = await answer
    assert.is(status, 500)
    assert.is(headers.get('connection'), 'close')
    await closing
    await it.close()
  },
)

stop('H11: a connection that is still open learns that the server is not ready', async () => {
  const it = await stand()
  const engine = it.holdAdhoc()
  const get = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n`
  // Half a request keeps the connection from being idle when the stop begins.
  const socket = connect(it.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const request = get('/readyz')
  await new Promise<void>((resolve) => socket.write(request.slice(0, 20), () => resolve()))
  const other = raw(it.port, get(AD_HOC))
  await engine.asked(1)
  const closing = it.listening.stop({ drainSeconds: 60 })
  socket.write(request.slice(20))
  await closed
  assert.match(text, /^HTTP\/1.1 503 /)
  assert.match(text, /\r\nConnection: close\r\n/i)
  engine.finish()
  assert.match(await other, /\r\nConnection: close\r\n/i)
  await closing
  await it.close()
})

stop('H11: at the deadline what is left is cut', async () => {
  const it = await stand()
  const engine = it.holdAdhoc()
  const half = connect(it.port, '127.0.0.1')
  half.on('error', () => {})
  await new Promise<void>((resolve) => half.write('GET / HT', () => resolve()))
  const answer = it.ask(AD_HOC).then(
    () => 'answered',
    () => 'cut',
  )
  await engine.asked(1)
  await it.listening.stop({ drainSeconds: 0.05 })
  assert.is(await answer, 'cut')
  assert.is(it.entries.at(-1)?.aborted, true)
  await it.close()
})

/** A stop whose time of notice is over when the test says so. */
function noticing(begin: () => Promise<void>): { readonly ended: Promise<void>; noticed(): void } {
  const { setTimeout } = globalThis
  let noticed = (): void => {}
  globalThis.setTimeout = ((over: () => void) => {
    noticed = over
  }) as unknown as typeof setTimeout
  try {
    return { ended: begin(), noticed: () => noticed() }
  } finally {
    globalThis.setTimeout = setTimeout
  }
}

stop(
  'H11: for the time of notice it is unready and goes on answering, on connections that then close',
  async () => {
    const it = await stand()
    const { ended, noticed } = noticing(() => it.listening.stop({ noticeSeconds: 3600, drainSeconds: 60 }))
    const ready = await it.ask('/readyz')
    assert.is(ready.status, 503)
    assert.match(ready.text, 'stopping')
    const { status, headers } = await it.ask('/companies/acme/info')
    assert.is(status, 200)
    assert.is(headers.get('connection'), 'close')
    noticed()
    await ended
    await client(it.base)('/healthz').then(
      () => assert.unreachable('a connection was accepted after the time of notice'),
      () => {},
    )
    await it.close()
  },
)

stop(
  'H11: requests that wait behind another on a connection that ends do not keep the server from ending',
  async () => {
    const it = await stand()
    const engine = it.holdAdhoc()
    const socket = connect(it.port, '127.0.0.1')
    const get = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n`
    socket.write(get(AD_HOC) + get('/companies/acme/info').repeat(4))
    await engine.asked(1)
    // The four behind wait for the first, and were never begun.
    await it.ask('/healthz')
    socket.destroy()
    while (!it.entries.some(({ aborted }) => aborted)) await it.ask('/healthz')
    assert.is(it.entries.filter(({ aborted }) => aborted).length, 1)
    await it.listening.stop({ drainSeconds: 60 })
    await it.close()
  },
)
