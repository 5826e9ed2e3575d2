/** A real server of S3's interface (moto, from PyPI) with its data in memory, and a proxy before it that fails on demand. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { openS3, type S3Options } from '../../builder/snapshot/places/bucket/s3.ts'

/** Why tests that need a bucket are skipped; null where the server is there. It is looked for, and not loaded, which takes a second. */
const LOOK = 'from importlib.util import find_spec as f; exit(not (f("moto") and f("flask")))'
export const missing =
  spawnSync('python3', ['-c', LOOK]).status === 0
    ? null
    : "moto is not installed (pip install 'moto[server]'): tests of buckets are skipped"

/** Answers a request in the place of the store; false lets it pass. */
export type Fault = (asked: IncomingMessage, response: ServerResponse) => boolean

/** A request that is on its way: it reaches the store when it is delivered, even if who sent it is gone by then. */
export interface Kept {
  readonly path: string
  /** The host as who sent it named it. */
  readonly host: string
  deliver(): Promise<void>
}

export interface Store {
  /** The address of the proxy, for the settings of clients. */
  readonly endpoint: string
  /** That of the server itself, for measurements. */
  readonly direct: string
  /** What the commands of a user need in their environment. */
  readonly env: Readonly<Record<string, string>>
  /** A new, empty bucket; gives its name. */
  bucket(): Promise<string>
  /** From now on each request meets this; null for none. */
  fail(fault: Fault | null): void
  /** From now on each answer takes as many milliseconds longer. */
  slow(ms: number): void
  /** From now on requests of which `which` is true are kept back, each until it is delivered. */
  keep(which: (asked: IncomingMessage) => boolean, take: (kept: Kept) => void): void
  /** Opens a bucket with few attempts. */
  open(bucket: string, options?: Partial<S3Options>): ReturnType<typeof openS3>
  stop(): Promise<void>
}

const ENV = {
  AWS_ACCESS_KEY_ID: 'tests',
  AWS_SECRET_ACCESS_KEY: 'of-tests',
  AWS_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
}

/**
 * The part of moto that is S3, on connections that live on. Its own command finds out for each request which of two hundred services is
 * meant, ends the connection and logs it, which takes more than the answer.
 */
const SERVER = `
from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple

MotoRequestHandler.protocol_version = 'HTTP/1.1'
MotoRequestHandler.log_request = lambda *_: None
run_simple('127.0.0.1', 0, create_backend_app('s3'), threaded=True, request_handler=MotoRequestHandler)
`

export async function startStore(): Promise<Store> {
  const server = spawn('python3', ['-c', SERVER], { stdio: ['ignore', 'ignore', 'pipe'] })
  const port = await new Promise<number>((resolve, reject) => {
    let said = ''
    server.stderr.on('data', (piece: Buffer) => {
      said += piece
      const [, found] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? []
      if (found !== undefined) resolve(Number(found))
    })
    server.once('exit', () => reject(new Error(`moto did not start: ${said}`)))
  })
  const inTurn = turnsOf(port)
  let fault: Fault | null = null
  let delay = 0
  const proxy = createServer((asked, response) => {
    if (fault?.(asked, response)) return
    const pass = (): void => {
      if (isConditional(asked))
        void keptOf(inTurn, asked, response)
          .then((kept) => kept.deliver())
          .catch(() => response.destroy())
      else forward(port, asked, response)
    }
    if (delay === 0) pass()
    else setTimeout(pass, delay)
  })
  const endpoint = await listening(proxy)
  Object.assign(process.env, ENV)
  let buckets = 0
  return {
    endpoint,
    direct: `http://127.0.0.1:${port}`,
    env: { ...ENV, AWS_ENDPOINT_URL: endpoint },
    bucket: async () => {
      const name = `books-${++buckets}`
      const made = await fetch(`http://127.0.0.1:${port}/${name}`, { method: 'PUT' })
      if (!made.ok) throw new Error(await made.text())
      return name
    },
    fail: (next) => {
      fault = next
    },
    slow: (ms) => {
      delay = ms
    },
    keep: (which, take) => {
      fault = (asked, response) => {
        if (!which(asked)) return false
        void keptOf(inTurn, asked, response).then(take)
        return true
      }
    },
    open: (bucket, options = {}) =>
      openS3({
        bucket,
        prefix: 'snapshots',
        endpoint,
        region: 'us-east-1',
        attempts: 4,
        // An attempt that a busy machine answers late would be made again, and counted.
        seconds: 30,
        ...options,
      }),
    stop: async () => {
      proxy.closeAllConnections()
      proxy.close()
      const ended = once(server, 'exit')
      server.kill()
      await ended
    },
  }
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function forward(port: number, asked: IncomingMessage, response: ServerResponse): void {
  const { method, url: path, headers } = asked
  const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  asked.pipe(passed)
}

/** A write that the store makes only if the object is, or is not, what the request names. */
const isConditional = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['if-match'] !== undefined || headers['if-none-match'] !== undefined)

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
type Send = (asked: RequestOptions, body: Buffer) => Promise<Answer>

/**
 * Sends each request once the one before has been answered. S3 decides on a conditional write and makes it in one step; moto compares
 * first and writes later, so that of two at the same time both would be made, and one publication would be lost.
 */
function turnsOf(port: number): Send {
  let before: Promise<unknown> = Promise.resolve()
  return (asked, body) => {
    const sent = before.then(async () => {
      const passed = request({ host: '127.0.0.1', port, ...asked })
      passed.end(body)
      const [answer] = (await once(passed, 'response')) as [IncomingMessage]
      const { statusCode: status = 502, headers } = answer
      return { status, headers, body: Buffer.concat(await answer.toArray()) }
    })
    before = sent.catch(() => {})
    return sent
  }
}

async function keptOf(send: Send, asked: IncomingMessage, response: ServerResponse): Promise<Kept> {
  const { method, url: path = '', headers } = asked
  const body = Buffer.concat(await asked.toArray())
  const deliver = async (): Promise<void> => {
    const answer = await send({ method, path, headers }, body)
    if (response.destroyed) return
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  }
  return { path, host: headers.host ?? '', deliver }
}

/** Answers 503, as a bucket under load does, to as many requests as `times`. */
export function slowDown(times: number): Fault {
  let left = times
  return (asked, response) => {
    if (left <= 0) return false
    left--
    asked.resume()
    response.writeHead(503, { 'content-type': 'application/xml' })
    response.end('<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>')
    return true
  }
}
