/** A node:http server with limits on time and size, and an end that lets answers under way be finished. */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Slower requests are ended by node:http itself with 408. */
const LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than a proxy keeps an idle connection (nginx: 60 s), else the proxy meets a closed one and answers 502.
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
}
const MOST_CONNECTIONS = 4096

export interface Listening {
  readonly port: number
  /** Requests are answered by `listener` from now on; until then with 503. */
  serve(listener: RequestListener): void
  /** False from the moment that the server is told to stop. */
  accepting(): boolean
  /** Stops accepting, waits for answers under way at most `seconds`, then cuts what is left. */
  stop(seconds: number): Promise<void>
}

export async function listen(host: string, port: number): Promise<Listening> {
  const underWay = new Set<ServerResponse>()
  let accepting = true
  let stopped: Promise<void> | undefined
  let handle: RequestListener = (_req, res) => res.writeHead(503, { 'Retry-After': '1' }).end()
  const server = createServer(LIMITS, (req, res) => {
    underWay.add(res)
    res.once('close', () => underWay.delete(res))
    if (!accepting) res.setHeader('Connection', 'close')
    handle(req, res)
  })
  server.maxConnections = MOST_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })

  async function stop(seconds: number): Promise<void> {
    accepting = false
    for (const res of underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
    // server.close() leaves a connection alone that becomes idle later, or that has sent half a request.
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000)
    await new Promise<void>((resolve) => server.close(() => resolve()))
    clearInterval(idle)
    clearTimeout(deadline)
    // Connections are gone before their answers say so; the last lines of the log come with that.
    await Promise.all([...underWay].map((res) => once(res, 'close')))
  }

  return {
    port: (server.address() as AddressInfo).port,
    serve: (listener) => {
      handle = listener
    },
    accepting: () => accepting,
    stop: (seconds) => {
      stopped ??= stop(seconds)
      return stopped
    },
  }
}
