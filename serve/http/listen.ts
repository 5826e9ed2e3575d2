/** A node:http server with limits on time and size, and an end that lets answers under way be finished. */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export interface Limits {
  /** A request's head, and all of it, must have come by then; node:http itself ends what is slower with 408. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly connectionsCheckingInterval: number
  readonly keepAliveTimeout: number
  /** A connection on which nothing moves for so long while it is being answered. */
  readonly stallTimeout: number
  readonly maxHeaderSize: number
  readonly maxConnections: number
}

const LIMITS: Limits = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  // Longer than a proxy keeps an idle connection (nginx: 60 s), else the proxy meets a closed one and answers 502.
  keepAliveTimeout: 75_000,
  // Longer than any answer takes to compute.
  stallTimeout: 60_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 4096,
}

/** Bytes that were no request: refused before there was anything to route. */
export interface ConnectionEvent {
  readonly event: 'request-refused'
  readonly status: number
  readonly reason: string
}

export interface ListenOptions {
  readonly limits?: Partial<Limits>
  readonly log?: (event: ConnectionEvent) => void
}

export interface StopOptions {
  /** Goes on accepting for so long, unready, so that a proxy notices before connections are refused. */
  readonly noticeSeconds?: number
  /** Then waits for answers under way at most so long, and cuts what is left. */
  readonly drainSeconds: number
}

export interface Listening {
  readonly port: number
  /** Requests are answered by `listener` from now on; until then with 503. */
  serve(listener: RequestListener): void
  /** False from the moment that the server is told to stop. */
  accepting(): boolean
  stop(options: StopOptions): Promise<void>
}

export async function listen(host: string, port: number, options: ListenOptions = {}): Promise<Listening> {
  const { stallTimeout, maxConnections, ...limits } = { ...LIMITS, ...options.limits }
  const underWay = new Set<ServerResponse>()
  function forget(this: ServerResponse): void {
    underWay.delete(this)
  }
  let accepting = true
  let stopped: Promise<void> | undefined
  let handle: RequestListener = (_req, res) => res.writeHead(503, { 'Retry-After': '1' }).end()
  const server = createServer(limits, (req, res) => {
    underWay.add(res)
    res.on('close', forget)
    if (!accepting) res.setHeader('Connection', 'close')
    handle(req, res)
  })
  server.maxConnections = maxConnections
  server.timeout = stallTimeout
  server.on('connection', (socket) => closeWhatWaits(socket, underWay))
  server.on('clientError', (problem: NodeJS.ErrnoException, socket) =>
    refuse(problem, socket, underWay, options.log ?? (() => {})),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })

  async function stop({ noticeSeconds = 0, drainSeconds }: StopOptions): Promise<void> {
    accepting = false
    for (const res of underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
    if (noticeSeconds > 0) await new Promise((resolve) => setTimeout(resolve, noticeSeconds * 1000))
    // server.close() leaves a connection alone that becomes idle later, or that has sent half a request.
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    const deadline = setTimeout(() => server.closeAllConnections(), drainSeconds * 1000)
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
    stop: (how) => {
      stopped ??= stop(how)
      return stopped
    },
  }
}

/** node:http says nothing to answers that wait behind another one when their connection ends: they would stay for good. */
function closeWhatWaits(socket: Socket, underWay: ReadonlySet<ServerResponse>): void {
  socket.once('close', () => {
    for (const res of underWay) if (res.req.socket === socket && res.socket === null) res.emit('close')
  })
}

const STATUS_OF: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** As node:http does by itself, and says so to the log. */
function refuse(
  problem: NodeJS.ErrnoException,
  socket: Duplex,
  underWay: ReadonlySet<ServerResponse>,
  log: (event: ConnectionEvent) => void,
): void {
  const status = STATUS_OF[problem.code ?? ''] ?? '400 Bad Request'
  if (problem.code !== 'ECONNRESET')
    log({ event: 'request-refused', status: Number.parseInt(status, 10), reason: problem.code ?? 'unknown' })
  // An answer that has begun must not get another one's head into its body.
  const hasBegun = [...underWay].some((res) => res.socket === socket && res.headersSent)
  if (socket.writable && !hasBegun)
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  else socket.destroy()
}
