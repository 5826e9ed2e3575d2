/**
 * What is known about a request from its arrival to its line in the access log, which never holds a query string or
 * a secret.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The line of a request. Its time is when it is written. */
export interface AccessEntry {
  readonly event: 'request'
  readonly requestId: string
  /**
   * The address of the connection, or behind trusted proxies that of the client; an IPv6 address is reduced to its
   * /64.
   */
  readonly address: string
  readonly method: string
  /** The template of the route, never the path as requested. */
  readonly route: string | null
  readonly status: number
  readonly bytes: number
  readonly ms: number
  readonly clientId: string | null
  readonly userId: string | null
  readonly companyId: string | null
  readonly snapshotId: string | null
  /** Whether the answer was in memory; null where it is never kept. */
  readonly cached: boolean | null
  /** Why a company was not found, which the client is not told, or an unexpected error. */
  readonly reason: string | null
  /** The client left before the answer was complete. */
  readonly aborted: boolean
}

/** Filled in while the request is handled. */
export interface RequestContext {
  readonly requestId: string
  readonly address: string
  /** In milliseconds of performance.now(). */
  readonly begun: number
  route: string | null
  clientId: string | null
  userId: string | null
  companyId: string | null
  snapshotId: string | null
  cached: boolean | null
  reason: string | null
}

/** Stored on the request itself, since a WeakMap of all requests burdens every garbage collection. */
const CONTEXT = Symbol('context')
type WithContext = IncomingMessage & { [CONTEXT]?: RequestContext }

/** Throws where `beginRequest` was not called for the request. */
export function contextOf(req: IncomingMessage): RequestContext {
  const context = (req as WithContext)[CONTEXT]
  if (context === undefined) throw new Error('a request without its context')
  return context
}

/** A caller's request id is kept where it is safe in a header and in a log; otherwise a new one is made. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/

export function beginRequest(req: IncomingMessage, address: string): RequestContext {
  const given = req.headers['request-id']
  const context: RequestContext = {
    requestId: typeof given === 'string' && SAFE_ID.test(given) ? given : randomUUID(),
    address,
    begun: performance.now(),
    route: null,
    clientId: null,
    userId: null,
    companyId: null,
    snapshotId: null,
    cached: null,
    reason: null,
  }
  ;(req as WithContext)[CONTEXT] = context
  return context
}

const bytesOf = (res: ServerResponse): number =>
  res.req.method === 'HEAD' ? 0 : Number(res.getHeader('Content-Length') ?? 0)

/**
 * Written field by field, here and in other code that every request runs, since a spread costs as much as writing
 * the line.
 */
export const entryOf = (context: RequestContext, res: ServerResponse): AccessEntry => ({
  event: 'request',
  requestId: context.requestId,
  address: context.address,
  method: res.req.method ?? '',
  route: context.route,
  clientId: context.clientId,
  userId: context.userId,
  companyId: context.companyId,
  snapshotId: context.snapshotId,
  cached: context.cached,
  reason: context.reason,
  status: res.statusCode,
  bytes: bytesOf(res),
  // Rounded to microseconds, since sixteen digits take longer to write than the rest of the line.
  ms: Math.round((performance.now() - context.begun) * 1000) / 1000,
  aborted: !res.writableFinished,
})
