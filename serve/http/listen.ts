/**
 * A node:http server with limits on time and size, which answers the requests of a connection one after the other, and
 * lets running answers finish when it stops.
 */
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
import { GREATEST_BODY_BYTES, statedBytes } from './request/request-body.ts'

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

export async function listen(host: string, port: number, options: ListenOptions = {}): Promise<Listening> {
  const front = new Front(options)
  await front.listen(host, port)
  return front
}

/** The requests that a client sent ahead on a connection (pipelining, RFC 9112 §9.3.2). */
interface Turns {
  /** A request of the connection is being answered. */
  busy: boolean
  readonly waiting: Waiting[]
  /** Approximate memory of the waiting requests. */
  bytes: number
}

interface Waiting {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly bytes: number
}

/** Stored on the socket itself, since a map of all connections would cost every request. */
const TURNS = Symbol('turns')

/** Approximate memory of a header besides its text. */
const FIELD_BYTES = 128

/** Approximate memory of a waiting request: its head as node:http keeps it, and the body that it may have. */
function bytesOf(req: IncomingMessage): number {
  const { rawHeaders, url = '' } = req
  let bytes = url.length + (rawHeaders.length / 2) * FIELD_BYTES
  for (const text of rawHeaders) bytes += text.length
  return bytes + Math.min(statedBytes(req), GREATEST_BODY_BYTES)
}

/** A server, which does not listen yet. */
export class Front implements Listening {
  readonly #limits: Limits
  readonly #log: (event: ConnectionEvent) => void
  readonly #peerOf: (socket: Socket) => string | null
  readonly #takePeer: TakePeer
  readonly #server: Server
  readonly #underWay = new Set<ServerResponse>()
  readonly #next: (this: ServerResponse) => void
  /** Approximate memory of the requests that wait, on all connections. */
  #bytesWaiting = 0
  #isAccepting = true
  #stopped: Promise<void> | undefined
  /** Requests that came before there was a listener. */
  #early: Parameters<RequestListener>[] = []
  #handle: RequestListener = (...request) => void this.#early.push(request)

  constructor({ limits, log = () => {}, peerOf = () => null }: ListenOptions = {}) {
    this.#limits = { ...CONNECTION_LIMITS, ...limits }
    this.#log = log
    this.#peerOf = peerOf
    this.#takePeer = limitPeers(this.#limits.mostConnectionsOfAddress, (address) =>
      log({ event: 'connections-refused', address }),
    )
    const front = this
    // One function for all answers: a closure for each would cost time on every request.
    this.#next = function (this: ServerResponse) {
      front.#underWay.delete(this)
      front.#beginNext(this.req.socket)
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
    const answer: RequestListener = (req, res) => this.#inTurn(req, res)
    // `listener` refuses a request without a Host header. node:http would do so before the turns, the log and the
    // metrics see it.
    const server = createServer({ ...this.#limits, requireHostHeader: false }, answer)
    // Likewise for any Expect other than 100-continue.
    server.on('checkExpectation', answer)
    server.maxConnections = maxConnections
    server.timeout = stallTimeout
    server.on('connection', (socket) => {
      readInPieces(socket)
      const address = this.#peerOf(socket)
      if (address !== null) this.#takePeer(socket, address)
    })
    server.on('clientError', (problem, socket) => this.#onClientError(problem, socket as Socket))
    const reading = setInterval(() => this.#limitReading(), connectionsCheckingInterval)
    reading.unref()
    server.once('close', () => clearInterval(reading))
    return server
  }

  /** node:http passes on at once whatever a client sends ahead; here a request waits until the answer before it was sent. */
  #inTurn(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req
    // The connection was ended by an earlier request of the same packet.
    if (socket.destroyed) return
    const turns = this.#turnsOf(socket)
    const bytes = turns.busy ? bytesOf(req) : 0
    if (!turns.busy) this.#begin(turns, req, res)
    else if (this.#mayWait(turns, bytes)) {
      turns.waiting.push({ req, res, bytes })
      this.#count(turns, bytes)
    } else this.#refuseAhead(socket)
  }

  #turnsOf(socket: Socket): Turns {
    const known = socket as Socket & { [TURNS]?: Turns }
    known[TURNS] ??= this.#newTurns(socket)
    return known[TURNS]
  }

  /** Listens for the end of the connection once: a listener for each request that waits would use memory until it ends. */
  #newTurns(socket: Socket): Turns {
    const turns: Turns = { busy: false, waiting: [], bytes: 0 }
    socket.once('close', () => {
      turns.waiting.length = 0
      this.#count(turns, -turns.bytes)
    })
    return turns
  }

  #count(turns: Turns, bytes: number): void {
    turns.bytes += bytes
    this.#bytesWaiting += bytes
  }

  #mayWait({ waiting, bytes: held }: Turns, bytes: number): boolean {
    const { mostPipelined, mostPipelinedBytes, mostPipelinedBytesOfAll } = this.#limits
    return (
      waiting.length < mostPipelined &&
      held + bytes <= mostPipelinedBytes &&
      this.#bytesWaiting + bytes <= mostPipelinedBytesOfAll
    )
  }

  #begin(turns: Turns, req: IncomingMessage, res: ServerResponse): void {
    const { stallTimeout } = this.#limits
    turns.busy = true
    this.#underWay.add(res)
    res.on('close', this.#next)
    if (!this.#isAccepting) res.setHeader('Connection', 'close')
    if (req.socket.timeout !== stallTimeout) req.socket.setTimeout(stallTimeout)
    this.#handle(req, res)
  }

  /** An answer was sent, or its connection ended. */
  #beginNext(socket: Socket): void {
    const turns = this.#turnsOf(socket)
    const next = turns.waiting.shift()
    turns.busy = next !== undefined
    if (next === undefined) return
    this.#count(turns, -next.bytes)
    // Other connections are read before.
    setImmediate(() => {
      if (!socket.destroyed) this.#begin(turns, next.req, next.res)
    })
  }

  #refuseAhead(socket: Socket): void {
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

/** More than the head of an ordinary request, so that one is rarely cut. */
const PIECE_BYTES = 2048

/**
 * Hands node:http what a connection reads in small pieces: 64 kB may hold 1500 requests, and it would make objects of all of
 * them even where the connection is ended at the sixteenth. While node:http pauses the connection, since its client does not read the
 * answers, it must be given nothing; and what follows a refusal is not read.
 */
function readInPieces(socket: Socket): void {
  for (const take of socket.listeners('data')) {
    socket.off('data', take as () => void)
    socket.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length && socket.writable; at += PIECE_BYTES) {
        if (socket.isPaused()) return void socket.unshift(bytes.subarray(at))
        take.call(socket, bytes.subarray(at, at + PIECE_BYTES))
      }
    })
  }
}

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
