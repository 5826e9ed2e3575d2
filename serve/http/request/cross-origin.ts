/**
 * Lets pages of other origins read what is for applications (CORS, of the Fetch standard), where tieout.yaml names the
 * origin. Sign-in and consent are never opened to them, and no cookie counts: whoever reads sends a token.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

const EXPOSED = [
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Request-Id',
  'Retry-After',
  'Snapshot-Current',
  'Snapshot-Id',
  'Tie-Out',
  'WWW-Authenticate',
].join(', ')

/** Sets the headers of an answer, or of the question before it (OPTIONS), where the page's origin is allowed. */
export function allowOrigin(req: IncomingMessage, res: ServerResponse, origins: ReadonlySet<string>): void {
  if (origins.size === 0) return
  res.setHeader('Vary', 'Origin')
  const { origin } = req.headers
  if (origin === undefined || !origins.has(origin)) return
  res.setHeader('Access-Control-Allow-Origin', origin)
  if (req.method !== 'OPTIONS') return void res.setHeader('Access-Control-Expose-Headers', EXPOSED)
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST')
  res.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, If-None-Match, Request-Id')
  res.setHeader('Access-Control-Max-Age', '600')
}
