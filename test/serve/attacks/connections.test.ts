/**
 * What anybody can do to a server that answers on a network, against a server process with its default limits. While it
 * lasts another client gets its answers, and memory, descriptors and files on disk stay within bounds. How fast those
 * answers are is `test/bench/attacks.ts`.
 */
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { authorizeUrl } from '../oauth/harness.ts'
import { type Attacked, attacked, connections, otherClient, pause } from './attacked.ts'

const attacks = suite<{ server: Attacked }>('attacks on connections')
attacks.before(async (context) => {
  context.server = await attacked()
})
attacks.after(({ server }) => server.close())

const MOST_MEMORY = 200 * 1024 * 1024
const MOST_STATE = 1024 * 1024

/** Runs an attack for a while; nothing of the server's may be used up by it, during or after it. */
async function withstand(
  server: Attacked,
  attack: () => Promise<() => void | Promise<void>>,
  seconds = 3,
): Promise<void> {
  const warm = otherClient(server)
  await pause(300)
  await warm.stop()
  const [memory, state, descriptors] = [server.rss(), server.stateBytes(), server.descriptors()]
  const other = otherClient(server)
  const end = await attack()
  await pause(seconds * 1000)
  const grown = server.rss() - memory
  const written = server.stateBytes() - state
  const { statuses } = await other.stop()
  await end()
  const seen = JSON.stringify([...statuses])
  assert.equal([...statuses.keys()], [200], seen)
  assert.ok(statuses.get(200)! > 20, seen)
  assert.ok(grown < MOST_MEMORY, `${Math.round(grown / 1e6)} MB more memory`)
  assert.ok(written < MOST_STATE, `${Math.round(written / 1e3)} kB more state`)
  assert.ok(server.alive())
  for (let i = 0; i < 100 && server.descriptors() > descriptors + 8; i++) await pause(50)
  assert.ok(server.descriptors() <= descriptors + 8, `${server.descriptors()} of ${descriptors} descriptors`)
}

const destroy = (sockets: readonly Socket[]) => (): void => {
  for (const socket of sockets) socket.destroy()
}
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

attacks('S1: one connection that sends 400 requests and reads nothing', async ({ server }) => {
  await withstand(server, async () =>
    destroy(await connections(server.port, 1, get('/openapi.json').repeat(400))),
  )
})

attacks('S1: six hundred connections that read none of their answers', async ({ server }) => {
  await withstand(server, async () =>
    destroy(await connections(server.port, 600, get('/openapi.json').repeat(60))),
  )
})

attacks('S1: connections that send ahead without end', async ({ server }) => {
  await withstand(server, async () => {
    const many = get('/healthz').repeat(5000)
    const sockets = await connections(server.port, 20, many)
    for (const socket of sockets) {
      socket.resume()
      socket.on('drain', () => socket.write(many))
    }
    return destroy(sockets)
  })
})

attacks('S2: five hundred requests whose bodies stop in the middle', async ({ server }) => {
  const head = 'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  await withstand(server, async () =>
    destroy(await connections(server.port, 500, `${head}Content-Length: 100\r\n\r\ngrant_type=`)),
  )
  await withstand(server, async () =>
    destroy(await connections(server.port, 500, `${head}Transfer-Encoding: chunked\r\n\r\n5\r\ngrant\r\n`)),
  )
})

attacks('H10: five hundred heads that come a byte at a time', async ({ server }) => {
  await withstand(server, async () => {
    const sockets = await connections(server.port, 500, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    const drops = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x')
    }, 100)
    return () => {
      clearInterval(drops)
      destroy(sockets)()
    }
  })
})

attacks(
  'H10: more connections of one address than it may have are ended, and told of once',
  async ({ server }) => {
    await withstand(server, async () => {
      const sockets = await connections(server.port, 1100, '')
      await pause(200)
      const open = sockets.filter((socket) => {
        socket.resume()
        return !socket.destroyed
      })
      await pause(200)
      assert.is(open.filter(({ readyState }) => readyState === 'open').length, 1024)
      return destroy(sockets)
    })
    assert.is(server.log().split('"connections-refused"').length - 1, 1)
  },
)

attacks('S3: a flood of anonymous sign-in and account pages', async ({ server }) => {
  const issuer = `http://127.0.0.1:${server.port}`
  const paths = ['/account', authorizeUrl(issuer).slice(issuer.length), '/oauth2/login?request=x']
  await withstand(server, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    let stopped = false
    const ask = (path: string): Promise<number> =>
      new Promise((resolve) => {
        request({ host: '127.0.0.1', port: server.port, path, agent }, (answer) => {
          answer.resume()
          answer.once('close', () => resolve(answer.statusCode!))
        })
          .once('error', () => resolve(0))
          .end()
      })
    const loops = Array.from({ length: 16 }, async (_, i) => {
      while (!stopped) await ask(paths[i % paths.length]!)
    })
    return async () => {
      stopped = true
      await Promise.all(loops)
      agent.destroy()
    }
  })
})

attacks.run()
