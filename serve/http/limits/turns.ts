/**
 * Answers the requests of one connection one after the other. node:http passes on at once whatever a client sends ahead
 * (pipelining, RFC 9112 §9.3.2); here each request waits until the answer before it was sent.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { bodyOf, GREATEST_BODY_BYTES, statedBytes } from '../request/request-body.ts'
import type { Limits } from './limits.ts'

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

/** Requests sent ahead that are started before the event loop reads other connections. */
const BEGUN_PER_TURN = 16

/** Approximate memory of a header besides its text. */
const FIELD_BYTES = 128

/** Approximate memory of a waiting request: its head as node:http keeps it, and the body that it may have. */
function bytesOf(req: IncomingMessage): number {
  const { rawHeaders, url = '' } = req
  let bytes = url.length + (rawHeaders.length / 2) * FIELD_BYTES
  for (const text of rawHeaders) bytes += text.length
  return bytes + Math.min(statedBytes(req), GREATEST_BODY_BYTES)
}

/**
 * Wraps `answer`. `refuse` is called for a connection on which more requests wait than `limits` allow; it has to
 * end it.
 */
export function inTurns(
  answer: RequestListener,
  limits: Pick<Limits, 'mostPipelined' | 'mostPipelinedBytes' | 'mostPipelinedBytesOfAll'>,
  refuse: (socket: Socket) => void,
): RequestListener {
  /** On all connections. */
  let bytesWaiting = 0

  function turnsOf(socket: Socket): Turns {
    const known = socket as Socket & { [TURNS]?: Turns }
    known[TURNS] ??= newTurns(socket)
    return known[TURNS]
  }

  /** Listens for the end of the connection once: a listener for each request that waits would use memory until it ends. */
  function newTurns(socket: Socket): Turns {
    const turns: Turns = { busy: false, waiting: [], bytes: 0 }
    socket.once('close', () => release(turns, turns.bytes))
    return turns
  }

  function mayWait(turns: Turns, bytes: number): boolean {
    return (
      turns.waiting.length < limits.mostPipelined &&
      turns.bytes + bytes <= limits.mostPipelinedBytes &&
      bytesWaiting + bytes <= limits.mostPipelinedBytesOfAll
    )
  }

  function release(turns: Turns, bytes: number): void {
    turns.bytes -= bytes
    bytesWaiting -= bytes
  }

  function wait(turns: Turns, waiting: Waiting): void {
    const { req, bytes } = waiting
    turns.waiting.push(waiting)
    turns.bytes += bytes
    bytesWaiting += bytes
    // A client that leaves is noticed by its answer's `close`.
    if (statedBytes(req) > 0) bodyOf(req).catch(() => {})
  }

  function begin(turns: Turns, req: IncomingMessage, res: ServerResponse): void {
    turns.busy = true
    res.on('close', next)
    answer(req, res)
  }

  /** Connections whose next request can start, in the order in which they became free. */
  const due = new Set<Socket>()
  function beginDue(): void {
    let begun = 0
    for (const socket of due) {
      if (begun++ === BEGUN_PER_TURN) break
      due.delete(socket)
      const turns = turnsOf(socket)
      const following = socket.destroyed ? undefined : turns.waiting.shift()
      if (following === undefined) continue
      release(turns, following.bytes)
      begin(turns, following.req, following.res)
    }
    if (due.size > 0) setImmediate(beginDue)
  }

  /** Called when an answer was sent or its connection ended; in the latter case the waiting requests are dropped. */
  function next(this: ServerResponse): void {
    const { socket } = this.req
    const turns = turnsOf(socket)
    if (turns.waiting.length === 0) turns.busy = false
    else if (!socket.destroyed) {
      if (due.size === 0) setImmediate(beginDue)
      due.add(socket)
    }
  }

  return (req, res) => {
    const { socket } = req
    // The connection was ended by an earlier request of the same packet.
    if (socket.destroyed) return
    const turns = turnsOf(socket)
    if (!turns.busy) return begin(turns, req, res)
    const bytes = bytesOf(req)
    if (mayWait(turns, bytes)) wait(turns, { req, res, bytes })
    else refuse(socket)
  }
}
