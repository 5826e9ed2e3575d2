/** A node:http server with limits on time and size, which lets running answers finish when it stops. */
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CONNECTION_LIMITS, type Limits } from './limits/limits.ts'
import { inTurns } from './limits/turns.ts'

/** What was refused before it could be routed: bytes that are not a request, and connections above the limit. */
export type ConnectionEvent =
  | {
      readonly event: 'request-refused'
      /** Null where the connection ended without an answer. */
      readonly status: number | null
      readonly reason: string
      /** Null where it is the address of a proxy. */
      readonly address: string | null
    }
  | { readonly event: 'connections-refused'; readonly address: string }

interface ListenOptions {
  readonly limits?: Partial<Limits>
  /** The key by which connections are counted; null means that they are not counted. Without this function none are. */
  readonly peerOf?: (socket: Socket) => string | null
  readonly log?: (event: ConnectionEvent) => void
}

interface StopOptions {
  /** How long the server goes on accepting while it reports that it is stopping, so that a proxy notices. */
  readonly noticeSeconds?: number
  /** How long it then waits for running answers before it ends their connections. */
  readonly drainSeconds: number
}

export interface Listening {
  readonly port: number
  /** Sets the listener. Requests that came before wait for it. */
  serve(listener: RequestListener): void
  /** False from the moment that the server is stopping. */
  accepting(): boolean
  stop(options: StopOptions): Promise<void>
}

/** A server that does not listen yet. */
interface Prepared extends Listening {
  listen(host: string, port: number): Promise<void>
}

export const prepare = (options: ListenOptions = {}): Prepared => new Front(options)

export async function listen(host: string, port: number, options: ListenOptions = {}): Promise<Listening> {
  const front = prepare(options)
  await front.listen(host, port)
  return front
}

class Front implements Prepared {
  readonly #limits: Limits
  readonly #log: (event: ConnectionEvent) => void
  readonly #peerOf: (socket: Socket) => string | null
  readonly #takePeer: TakePeer
  readonly #server: Server
  readonly #underWay = new Set<ServerResponse>()
  readonly #forget: (this: ServerResponse) => void
  #isAccepting = true
  #stopped: Promise<void> | undefined
  /** Requests that came before there was a listener. */
  #early: Parameters<RequestListener>[] = []
  #handle: RequestListener = (...request) => void this.#early.push(request)

  constructor({ limits, log = () => {}, peerOf = () => null }: ListenOptions) {
    this.#limits = { ...CONNECTION_LIMITS, ...limits }
    this.#log = log
    this.#peerOf = peerOf
    this.#takePeer = limitPeers(this.#limits.mostConnectionsOfAddress, (address) =>
      log({ event: 'connections-refused', address }),
    )
    const underWay = this.#underWay
    // One function for all answers: a closure for each would cost time on every request.
    this.#forget = function (this: ServerResponse) {
      underWay.delete(this)
    }
    this.#server = this.#createServer()
  }

  readonly accepting = (): boolean => this.#isAccepting

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  serve(listener: RequestListener): void {
    this.#handle = listener
    for (const request of this.#early) listener(...request)
    this.#early = []
  }

  stop(how: StopOptions): Promise<void> {
    this.#stopped ??= this.#stop(how)
    return this.#stopped
  }

  async listen(host: string, port: number): Promise<void> {
    const listening = once(this.#server, 'listening')
    this.#server.listen(port, host)
    await listening
  }

  #createServer(): Server {
    const { maxConnections, stallTimeout, connectionsCheckingInterval } = this.#limits
    const answer = inTurns(
      (req, res) => this.#begin(req, res),
      this.#limits,
      (socket) => this.#refuseAhead(socket),
    )
    // `listener` refuses a request without a Host header. node:http would do so before the turns, the log and the
    // metrics see it.
    const server = createServer({ ...this.#limits, requireHostHeader: false }, answer)
    // Likewise for any Expect other than 100-continue.
    server.on('checkExpectation', answer)
    server.maxConnections = maxConnections
    server.timeout = stallTimeout
    server.on('connection', (socket) => {
      const address = this.#peerOf(socket)
      if (address !== null) this.#takePeer(socket, address)
    })
    server.on('clientError', (problem, socket) => this.#onClientError(problem, socket as Socket))
    const reading = setInterval(() => this.#limitReading(), connectionsCheckingInterval)
    reading.unref()
    server.once('close', () => clearInterval(reading))
    return server
  }

  #begin(req: IncomingMessage, res: ServerResponse): void {
    const { stallTimeout } = this.#limits
    this.#underWay.add(res)
    res.on('close', this.#forget)
    if (!this.#isAccepting) res.setHeader('Connection', 'close')
    if (req.socket.timeout !== stallTimeout) req.socket.setTimeout(stallTimeout)
    this.#handle(req, res)
  }

  #refuseAhead(socket: Socket): void {
    readNoFurther(socket)
    socket.destroy()
    const reason = 'too many requests sent ahead'
    this.#log({ event: 'request-refused', status: null, reason, address: this.#peerOf(socket) })
  }

  #onClientError(problem: NodeJS.ErrnoException, socket: Socket): void {
    refuse(problem, socket, this.#underWay, (refused) =>
      this.#log({ ...refused, address: this.#peerOf(socket) }),
    )
  }

  /** Sets the shorter limit on answers that are being sent: a socket's timer restarts with every byte that leaves. */
  #limitReading(): void {
    const { unreadTimeout } = this.#limits
    for (const { headersSent, socket } of this.#underWay)
      if (headersSent && socket !== null && socket.timeout !== unreadTimeout) socket.setTimeout(unreadTimeout)
  }

  async #stop({ noticeSeconds = 0, drainSeconds }: StopOptions): Promise<void> {
    const server = this.#server
    this.#isAccepting = false
    for (const res of this.#underWay) if (!res.headersSent) res.setHeader('Connection', 'close')
    // A server that stops while it starts has nothing to answer with.
    if (this.#early.length > 0) server.closeAllConnections()
    if (noticeSeconds > 0 && server.listening)
      await new Promise((resolve) => setTimeout(resolve, noticeSeconds * 1000))
    // server.close() does not end connections that become idle later, or that have sent half a request.
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    const deadline = setTimeout(() => server.closeAllConnections(), drainSeconds * 1000)
    await new Promise<void>((resolve) => server.close(() => resolve()))
    clearInterval(idle)
    clearTimeout(deadline)
    // Connections end before their answers emit `close`, which writes the last lines of the log.
    await Promise.all([...this.#underWay].map((res) => once(res, 'close')))
  }
}

/**
 * 64 kB may hold 1500 requests, and node:http makes objects of all of them even where the connection is destroyed
 * at the sixteenth. Its parser stops when it is told that the connection is no longer HTTP, which only this
 * property can tell it.
 */
function readNoFurther(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null }
  if (parser) parser.onIncoming = () => NO_LONGER_HTTP
}
/** What `on_headers_complete` of llhttp returns to announce that the connection is no longer HTTP. */
const NO_LONGER_HTTP = 2

/** How long a client may take to read a refusal; what it still sends is discarded. */
const LINGER_MS = 1000

const STATUS_OF: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers a bad request as node:http does by itself, and logs it. */
function refuse(
  problem: NodeJS.ErrnoException,
  socket: Duplex,
  underWay: ReadonlySet<ServerResponse>,
  log: (refused: { event: 'request-refused'; status: number; reason: string }) => void,
): void {
  const status = STATUS_OF[problem.code ?? ''] ?? '400 Bad Request'
  if (problem.code !== 'ECONNRESET')
    log({ event: 'request-refused', status: Number.parseInt(status, 10), reason: problem.code ?? 'unknown' })
  // The head of another answer must not get into the body of one that has begun.
  const hasBegun = [...underWay].some((res) => res.socket === socket && res.headersSent)
  if (socket.writable && !hasBegun)
    endSoon(socket, `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  else socket.destroy()
}

/** Ends both sides: a client that never ends its own would keep the connection open. */
function endSoon(socket: Duplex, text: string): void {
  socket.end(text)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

/** Counts a connection from that address, or ends it where the address has too many. */
type TakePeer = (socket: Socket, address: string) => void

interface Peer {
  connections: number
  /** The refusal was reported. */
  isReported: boolean
}

/**
 * Counts the connections of this process, and ends at once those above `most` for their address; `refused` is
 * called once for each address.
 */
function limitPeers(most: number, refused: (address: string) => void): TakePeer {
  const peers = new Map<string, Peer>()
  return (socket, address) => {
    const peer = peers.get(address) ?? { connections: 0, isReported: false }
    if (peer.connections >= most) {
      socket.destroy()
      if (!peer.isReported) refused(address)
      peer.isReported = true
      return
    }
    peers.set(address, peer)
    peer.connections++
    socket.once('close', () => {
      if (--peer.connections === 0) peers.delete(address)
    })
  }
}
