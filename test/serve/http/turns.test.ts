/** Requests that a client sends ahead on one connection, and what the server keeps of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import * as assert from 'uvu/assert'
import { listen } from '../../../serve/http/listen.ts'
import { suite } from '../../suite.ts'

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
