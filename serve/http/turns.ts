/**
 * The requests of one connection are answered one after the other. node:http hands over at once whatever a client sends
 * ahead (pipelining, RFC 9112 §9.3.2); here each waits until the answer before it has left.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Turns {
  /** A request of the connection is being answered. */
  busy: boolean
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[]
}

/** On the socket itself: a map of all connections is work for every request. */
const TURNS = Symbol('turns')

function turnsOf(socket: Socket): Turns {
  const known = socket as Socket & { [TURNS]?: Turns }
  known[TURNS] ??= { busy: false, waiting: [] }
  return known[TURNS]
}

/** So many requests that were sent ahead are begun before the event loop takes in what others have sent. */
const BEGUN_PER_TURN = 16

/** `refuse` hears of a connection on which more than `mostWaiting` requests wait: it ends. */
export function inTurns(
  answer: RequestListener,
  mostWaiting: number,
  refuse: (socket: Socket) => void,
): RequestListener {
  function begin(turns: Turns, req: IncomingMessage, res: ServerResponse): void {
    turns.busy = true
    res.on('close', next)
    answer(req, res)
  }

  /** Connections whose next request is due, in the order in which they became free. */
  const due = new Set<Socket>()
  function beginDue(): void {
    let begun = 0
    for (const socket of due) {
      if (begun++ === BEGUN_PER_TURN) break
      due.delete(socket)
      const turns = turnsOf(socket)
      const following = socket.destroyed ? undefined : turns.waiting.shift()
      if (following !== undefined) begin(turns, ...following)
    }
    if (due.size > 0) setImmediate(beginDue)
  }

  /** The one that was answered has left, or its connection is gone, and what waits there with it. */
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
    // What came in the same piece as the request too many.
    if (socket.destroyed) return
    const turns = turnsOf(socket)
    if (!turns.busy) begin(turns, req, res)
    else if (turns.waiting.length < mostWaiting) turns.waiting.push([req, res])
    else refuse(socket)
  }
}
