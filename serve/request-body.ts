/**
 * The one place that reads the body of a request: once, before the request takes up any room, into one buffer that is
 * given again to whoever parses it. What is too long, and what nobody wants, is not read from the connection at all.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The largest body that any route takes. */
export const GREATEST_BODY_BYTES = 64 * 1024
/** Pieces of a body: node:http makes an object and a call of each chunk, even where that brings a single byte. */
export const MOST_BODY_PIECES = 1024
const FIRST_BYTES = 1024

const BODY = Symbol('body')
type WithBody = IncomingMessage & { [BODY]?: Promise<Buffer | null> }

/** Bytes that the body may have: as stated, or, where it comes in chunks, unknown until its end and hence infinite. */
export const statedBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY

/**
 * All of the body, or null where it is larger than any route takes or comes in too many pieces: nothing more is read
 * from the connection then, which has to end with the answer. Rejects where the client leaves before the end.
 */
export function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  const known = req as WithBody
  known[BODY] ??= collect(req)
  return known[BODY]
}

/** For an answer that does not depend on the body: its connection ends with it, and nothing more is read from there. */
export function leaveUnread(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Connection', 'close')
  stopReading(req)
}

/** For a connection that ends with the answer to `req`: what the client still sends stays in the kernel. */
function stopReading(req: IncomingMessage): void {
  req.removeAllListeners('data')
  // node:http asks the connection for more whenever this stream has room, and when the answer has left.
  req._read = () => {}
  req.resume()
  req.socket.pause()
}

function collect(req: IncomingMessage): Promise<Buffer | null> {
  const stated = statedBytes(req)
  return new Promise((resolve, reject) => {
    let held = Buffer.allocUnsafe(stated <= GREATEST_BODY_BYTES ? stated : FIRST_BYTES)
    let [bytes, pieces] = [0, 0]
    const refuse = (): void => {
      stopReading(req)
      resolve(null)
    }
    const take = (chunk: Buffer): void => {
      const after = bytes + chunk.length
      if (after > GREATEST_BODY_BYTES || ++pieces > MOST_BODY_PIECES) {
        refuse()
        return
      }
      if (after > held.length) held = Buffer.concat([held], Math.max(after, held.length * 2))
      bytes += chunk.copy(held, bytes)
    }
    if (Number.isFinite(stated) && stated > GREATEST_BODY_BYTES) {
      refuse()
      return
    }
    req.on('data', take)
    req.once('end', () => resolve(held.subarray(0, bytes)))
    req.once('error', reject)
    req.once('close', () => reject(new Error('the request was aborted')))
  })
}
