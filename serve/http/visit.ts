/** One request from its arrival to its line in the access log. No query string, no secret is ever in that line. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** One line per request. Its time is that of writing the line. */
export interface AccessEntry {
  readonly event: 'request'
  readonly requestId: string
  readonly method: string
  /** Template of the route, never the path as asked for. */
  readonly route: string | null
  readonly status: number
  readonly bytes: number
  readonly ms: number
  readonly clientId: string | null
  readonly userId: string | null
  readonly companyId: string | null
  readonly snapshotId: string | null
  /** The answer lay ready in memory; null where there was none to look for. */
  readonly cached: boolean | null
  /** Why a company was not found, which the client is not told; or an unexpected error. */
  readonly reason: string | null
  /** The client went away before the answer was complete. */
  readonly aborted: boolean
}

/** What is learnt about a request on its way. */
export interface Visit {
  readonly requestId: string
  route: string | null
  clientId: string | null
  userId: string | null
  companyId: string | null
  snapshotId: string | null
  cached: boolean | null
  reason: string | null
}

const visits = new WeakMap<IncomingMessage, Visit>()
export const visitOf = (req: IncomingMessage): Visit => visits.get(req)!

/** A caller's id is kept where it is safe in a header and in a log; else the request gets a new one. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/

export function beginVisit(
  req: IncomingMessage,
  res: ServerResponse,
  log: (entry: AccessEntry) => void,
): Visit {
  const begun = process.hrtime.bigint()
  const given = req.headers['request-id']
  const visit: Visit = {
    requestId: typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID(),
    route: null,
    clientId: null,
    userId: null,
    companyId: null,
    snapshotId: null,
    cached: null,
    reason: null,
  }
  visits.set(req, visit)
  res.setHeader('Request-Id', visit.requestId)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.once('close', () => {
    // Field by field, here and elsewhere on the way of every request: a spread costs as much as writing the line.
    log({
      event: 'request',
      requestId: visit.requestId,
      method: req.method ?? '',
      route: visit.route,
      clientId: visit.clientId,
      userId: visit.userId,
      companyId: visit.companyId,
      snapshotId: visit.snapshotId,
      cached: visit.cached,
      reason: visit.reason,
      status: res.statusCode,
      bytes: req.method === 'HEAD' ? 0 : Number(res.getHeader('Content-Length') ?? 0),
      ms: Number(process.hrtime.bigint() - begun) / 1e6,
      aborted: !res.writableFinished,
    })
  })
  return visit
}
