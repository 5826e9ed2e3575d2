/** One request from its arrival to its line in the access log. No query string, no secret is ever in that line. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** One line per request. Its time is that of writing the line. */
export interface AccessEntry {
  readonly event: 'request'
  readonly requestId: string
  /** Who asked: the connection's, or behind trusted proxies the client's; of IPv6 its /64. */
  readonly address: string
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
  /** The answer was in memory; null where it is never kept. */
  readonly cached: boolean | null
  /** Why a company was not found, which the client is not told; or an unexpected error. */
  readonly reason: string | null
  /** The client went away before the answer was complete. */
  readonly aborted: boolean
}

/** What is known about a request, filled in on its way. */
export interface RequestContext {
  readonly requestId: string
  readonly address: string
  /** Milliseconds of the process's own clock. */
  readonly begun: number
  route: string | null
  clientId: string | null
  userId: string | null
  companyId: string | null
  snapshotId: string | null
  cached: boolean | null
  reason: string | null
  /** Under which its response is cached, where it may be (`cached-responses.ts`). */
  cacheKey: string | null
  /** Of the body that was sent; null: what its headers say. */
  bytes: number | null
}

/** On the request itself: a WeakMap of all requests is work for every collection of garbage. */
const CONTEXT = Symbol('context')
type WithContext = IncomingMessage & { [CONTEXT]?: RequestContext }

/** Throws where the request did not begin here. */
export function contextOf(req: IncomingMessage): RequestContext {
  const context = (req as WithContext)[CONTEXT]
  if (context === undefined) throw new Error('a request without its context')
  return context
}

/** A caller's id is kept where it is safe in a header and in a log; else the request gets a new one. */
const SAFE_ID = /^[A-Za-z0-9._-]{1,64}$/

export function beginRequest(
  req: IncomingMessage,
  given: string | string[] | undefined,
  address: string,
): RequestContext {
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
    cacheKey: null,
    bytes: null,
  }
  ;(req as WithContext)[CONTEXT] = context
  return context
}

/** On every answer, whatever it says. */
export const headersOfEveryAnswer = (requestId: string): string[] => [
  'Request-Id',
  requestId,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
]

const bytesOf = (res: ServerResponse): number =>
  res.req.method === 'HEAD' ? 0 : Number(res.getHeader('Content-Length') ?? 0)

/** Field by field, here and elsewhere on the way of every request: a spread costs as much as writing the line. */
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
  bytes: context.bytes ?? bytesOf(res),
  // To the microsecond: sixteen digits take longer to write than the rest of the line.
  ms: Math.round((performance.now() - context.begun) * 1000) / 1000,
  aborted: !res.writableFinished,
})
