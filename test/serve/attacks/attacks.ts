/** What anybody can do to a server without a password; the tests hold what comes of it, the bench how long others wait. */
import { Agent, request } from 'node:http'
import type { Socket } from 'node:net'
import { CONNECTION_LIMITS } from '../../../serve/http/limits/limits.ts'
import { authorizeUrl } from '../oauth/harness.ts'
import { type Attacked, connections } from './attacked.ts'

/** Begins; what it gives ends it. */
export type Attack = (server: Pick<Attacked, 'port'>) => Promise<() => void | Promise<void>>

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const FORM = 'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n'

/** Connections that send `bytes` and read nothing. */
const silent =
  (count: number, bytes: string): Attack =>
  async ({ port }) => {
    const sockets = await connections(port, count, bytes)
    return () => {
      for (const socket of sockets) socket.destroy()
    }
  }

/** 400 requests on one connection, none of whose answers is read. */
export const sentAhead = silent(1, get('/openapi.json').repeat(400))
/** As many requests ahead as a connection may send. */
export const unread = silent(600, get('/openapi.json').repeat(CONNECTION_LIMITS.mostPipelined))
/** All that a connection hands over at once is requests, far more than it may send ahead. */
export const sentAheadByMany = silent(500, get('/x').repeat(1500))
export const halfBodies = silent(500, `${FORM}Content-Length: 100\r\n\r\ngrant_type=`)
export const halfChunks = silent(500, `${FORM}Transfer-Encoding: chunked\r\n\r\n5\r\ngrant\r\n`)

const CHUNKED = 'Host: x\r\nTransfer-Encoding: chunked\r\n\r\n'
/** A body of as many bytes as any may have, each in a chunk of its own, whose end never comes. */
export const singleBytes = silent(
  30,
  `${FORM}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(65_000)}`,
)
/** Five connections whose requests have bodies without end that no route reads, a byte a chunk. */
export const bodiesWithoutEnd = endless(5, `GET /account HTTP/1.1\r\n${CHUNKED}`, '1\r\na\r\n'.repeat(10_000))
/** An expectation that node:http would refuse by itself, as often as a connection takes it. */
export const expectations = silent(50, 'GET /x HTTP/1.1\r\nHost: x\r\nExpect: zzz\r\n\r\n'.repeat(1500))
/** As many requests ahead as a connection may send, each with nine hundred headers. */
export const fatHeads = silent(
  300,
  `GET /account HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 900 }, (_, i) => `a${i}: b`).join('\r\n')}\r\n\r\n`.repeat(
    1 + CONNECTION_LIMITS.mostPipelined,
  ),
)

/** Requests without end on twenty connections that read what comes. */
export const withoutEnd = endless(20, '', get('/healthz').repeat(5000))

/** Connections that read what comes, and send `more` after `first` again and again; one that is ended is opened anew. */
function endless(count: number, first: string, more: string): Attack {
  return async ({ port }) => {
    let stopped = false
    const open = async (): Promise<void> => {
      const [socket] = await connections(port, 1, first + more)
      if (socket === undefined) return
      socket.resume()
      socket.on('drain', () => socket.write(more))
      socket.once('close', () => {
        if (!stopped) setTimeout(open, 10)
      })
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    const sockets = new Set<Socket>()
    await Promise.all(Array.from({ length: count }, open))
    return () => {
      stopped = true
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Five hundred heads, a byte of each every tenth of a second. */
export const slowHeads: Attack = async ({ port }) => {
  const sockets = await connections(port, 500, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const drops = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }, 100)
  return () => {
    clearInterval(drops)
    for (const socket of sockets) socket.destroy()
  }
}

/** Sixteen connections that ask for sign-in pages as fast as they are answered. */
export const signInPages: Attack = async ({ port }) => {
  const issuer = `http://127.0.0.1:${port}`
  const paths = ['/account', authorizeUrl(issuer).slice(issuer.length), '/oauth2/login?request=x']
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let stopped = false
  const ask = (path: string): Promise<void> =>
    new Promise((resolve) => {
      request({ host: '127.0.0.1', port, path, agent }, (answer) => {
        answer.resume()
        answer.once('close', resolve)
      })
        .once('error', () => resolve())
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
}
