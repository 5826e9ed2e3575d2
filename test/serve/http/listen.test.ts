/** Requests that come while a server starts. */
import { once } from 'node:events'
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { type Listening, listen } from '../../../serve/http/listen.ts'
import { suite } from '../../suite.ts'
import { requestsRead } from '../../support/requests-read.ts'

const test = suite('a server that starts')

/** Sends a request on a connection of its own; gives all that comes back until the connection ends. */
async function ask({ port }: Listening, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await once(socket, 'close')
  return text
}

/** Two requests that the server has read before it serves. */
async function early(): Promise<{ listening: Listening; answers: Promise<string[]> }> {
  const listening = await listen('127.0.0.1', 0)
  const read = requestsRead(2)
  const answers = Promise.all([ask(listening, '/one'), ask(listening, '/two')])
  await read
  return { listening, answers }
}

test('requests that come too early are answered when it serves', async () => {
  const { listening, answers } = await early()
  listening.serve(({ url }, res) => void res.end(url))
  const [one, two] = await answers
  assert.match(one!, /^HTTP\/1.1 200 .*\/one$/s)
  assert.match(two!, /^HTTP\/1.1 200 .*\/two$/s)
  await listening.stop({ drainSeconds: 1 })
})

test('where the start fails, they do not hold up its end', async () => {
  const { listening, answers } = await early()
  await listening.stop({ drainSeconds: 3600 })
  assert.equal(await answers, ['', ''])
})
