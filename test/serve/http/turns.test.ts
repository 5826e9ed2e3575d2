/** Requests that a client sends ahead on one connection, and what the server keeps of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as assert from 'uvu/assert'
import { listen } from '../../../serve/http/listen.ts'
import { suite } from '../../suite.ts'
import { until } from '../../support/until.ts'

const turns = suite('requests sent ahead')

const AHEAD = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2)

turns(
  'a connection has as many listeners after a hundred requests sent ahead as after the first',
  async () => {
    const server = await listen('127.0.0.1', 0)
    let socket: Socket | undefined
    server.serve((req, res) => {
      socket = req.socket
      res.end('x')
    })
    const client = connect(server.port, '127.0.0.1')
    const twoAnswers = async (): Promise<void> => {
      client.write(AHEAD)
      for (let text = ''; text.split('HTTP/1.1 200').length < 3; )
        text += (await once(client, 'data')) as unknown as string
    }
    await twoAnswers()
    const listeners = socket!.listenerCount('close')
    for (let i = 0; i < 100; i++) await twoAnswers()
    assert.is(socket!.listenerCount('close'), listeners)
    client.destroy()
    await server.stop({ drainSeconds: 0 })
  },
)

const HEAD_OF_TWO_PIECES = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(1500)}\r\n\r\n`

turns('a client that reads no answers may send more ahead, and is answered once it reads', async () => {
  const server = await listen('127.0.0.1', 0)
  const long = Buffer.alloc(20_000_000)
  let begun = 0
  server.serve((_req, res) => res.end(begun++ === 0 ? long : 'x'))
  const client = connect(server.port, '127.0.0.1').pause()
  client.write(HEAD_OF_TWO_PIECES)
  await until(() => assert.is(begun, 1))
  client.write(HEAD_OF_TWO_PIECES.repeat(4))
  let bytes = 0
  client.on('data', (data) => {
    bytes += data.length
  })
  client.resume()
  await until(() => assert.ok(bytes > long.length && begun === 5))
  client.destroy()
  await server.stop({ drainSeconds: 0 })
})

turns('a request that is refused is told once, however much of it follows', async () => {
  const told: unknown[] = []
  const server = await listen('127.0.0.1', 0, { log: (event) => void told.push(event) })
  const client = connect(server.port, '127.0.0.1')
  let text = ''
  client.on('data', (data) => {
    text += data
  })
  client.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(60_000)}\r\n\r\n`)
  await once(client, 'close')
  assert.match(text, /^HTTP\/1\.1 431 /)
  assert.is(told.length, 1)
  await server.stop({ drainSeconds: 0 })
})
