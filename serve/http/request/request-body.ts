/**
 * Reads the body of a request, once and into one buffer, which any parser may ask for again. It is read before the
 * request counts towards the load. A body that is too long or that nobody needs is not read from the connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The largest body that any route takes. */
export const GREATEST_BODY_BYTES = 64 * 1024
/** Chunks that a body may have: node:http makes an object and a call for each, even for a single byte. */
export const MOST_BODY_PIECES = 1024
const FIRST_BYTES = 1024

/** Names of character sets whose texts are UTF-8 too (WHATWG Encoding, IANA). */
const LIKE_UTF8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8', 'us-ascii', 'ascii'])

/** Whether the body is said to be of this media type, in UTF-8. Other parameters of the type do not count. */
export function isOfType({ headers }: IncomingMessage, type: string): boolean {
  const [given = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  return (
    given.trim() === type &&
    parameters.every((parameter) => {
      const charset = /^\s*charset=(.*)$/.exec(parameter)?.[1]
      return charset === undefined || LIKE_UTF8.has(charset.replaceAll('"', '').trim())
    })
  )
}

const BODY = Symbol('body')
type WithBody = IncomingMessage & { [BODY]?: Promise<Buffer | null> }

/** The length of the body as stated; infinite where it is sent in chunks. */
export const statedBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY

/**
 * The whole body, or null where it is larger than any route accepts or comes in too many chunks. Nothing more is
 * then read, and the connection has to end with the answer. Rejects where the client leaves before the end.
 */
export function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  const known = req as WithBody
  known[BODY] ??= collect(req)
  return known[BODY]
}

/** For an answer that does not depend on the body: the body is not read, and the connection ends with the answer. */
export function leaveUnread(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Connection', 'close')
  stopReading(req)
}

/** Stops reading a connection that ends with the answer to `req`; what the client still sends stays in the kernel. */
function stopReading(req: IncomingMessage): void {
  req.removeAllListeners('data')
  // node:http resumes the connection when this stream has room and after the answer was sent; both are prevented.
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
