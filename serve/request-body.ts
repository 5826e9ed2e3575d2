/** The body of a request, read once: before the request takes up any room, and given again to whoever parses it. */
import type { IncomingMessage } from 'node:http'

/** The largest body that any route takes. */
export const GREATEST_BODY_BYTES = 64 * 1024

const BODY = Symbol('body')
type WithBody = IncomingMessage & { [BODY]?: Promise<Buffer | null> }

/**
 * All of the body, or null where it is larger than any route takes: what then still arrives is thrown away. Rejects
 * where the client leaves before the end.
 */
export function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  const known = req as WithBody
  known[BODY] ??= collect(req)
  return known[BODY]
}

function collect(req: IncomingMessage): Promise<Buffer | null> {
  if (Number(req.headers['content-length'] ?? 0) > GREATEST_BODY_BYTES) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= GREATEST_BODY_BYTES) chunks.push(chunk)
      else {
        chunks.length = 0
        resolve(null)
      }
    })
    req.once('end', () => resolve(Buffer.concat(chunks)))
    req.once('error', reject)
    req.once('close', () => reject(new Error('the request was aborted')))
  })
}
