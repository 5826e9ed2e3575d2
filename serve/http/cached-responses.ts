/**
 * Cached responses bypass the router, the limits on load and all promises: where the guard can decide from what is
 * known now, and the response to the same request is cached, it is written at once, as 200 or 304. Everything else,
 * including every refusal, is left to the endpoint, so that no decision is made here but the guard's own.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createByteCache } from '../companies/byte-cache.ts'
import { admitNow, type GuardInputs } from './guard.ts'
import type { Load } from './limits/load.ts'
import type { RateLimiter } from './limits/rate-limit.ts'
import { isValidatedBy, type Response, writeResponse } from './reply.ts'
import { contextOf, headersOfEveryAnswer, type RequestContext } from './request/request-context.ts'
import type { RequestHeaders } from './request/request-headers.ts'

interface Cached {
  readonly route: string
  readonly company: string
  readonly manifestHash: string
  readonly response: Response
}

export interface CachedResponses {
  /** Answers from the cache; false where it could not. */
  answer(res: ServerResponse, headers: RequestHeaders, context: RequestContext): boolean
  /** Caches a response that the endpoint gave, for the next request that asks the same. */
  keep(req: IncomingMessage, grantId: string, response: Response): void
}

interface CachedResponsesOptions {
  readonly inputs: GuardInputs
  readonly limiter: RateLimiter
  readonly load: Pick<Load, 'isLate'>
  readonly cacheBytes?: number
}

/** Approximate bytes that the headers and names of a response take in memory. */
const HEAD_BYTES = 2000

export function createCachedResponses(options: CachedResponsesOptions): CachedResponses {
  const { inputs, limiter, load, cacheBytes = 64 * 1024 * 1024 } = options
  const cache = createByteCache<Cached>(
    cacheBytes,
    ({ response }) => HEAD_BYTES + (response.body?.length ?? 0),
  )

  function answer(res: ServerResponse, headers: RequestHeaders, context: RequestContext): boolean {
    if (!headers.isPlain || headers.authorization === undefined) return false
    context.cacheKey = cacheKeyOf(res.req, headers)
    const cached = cache.held(context.cacheKey)
    if (cached === undefined || load.isLate()) return false
    const admitted = admitNow(res.req, cached.company, inputs)
    if (admitted === null || admitted.snapshot.manifestHash !== cached.manifestHash) return false
    const { response } = cached
    const isUnchanged = isValidatedBy(headers.validator, response.etag)
    if (response.body === null && !isUnchanged) return false
    limiter.take(admitted.window)
    context.route = cached.route
    context.snapshotId = response.snapshotId
    context.cached = true
    const own = headersOfEveryAnswer(context.requestId)
    own.push(...limiter.headers(admitted.window), 'Snapshot-Current', admitted.snapshot.id)
    writeResponse(res, own, response, isUnchanged)
    return true
  }

  function keep(req: IncomingMessage, grantId: string, response: Response): void {
    const { cacheKey, route, companyId, cached } = contextOf(req)
    if (cacheKey === null || route === null || companyId === null || cached === null) return
    const snapshot = inputs.snapshot(grantId, companyId)
    // The cache serves clients that name no snapshot; a response of a snapshot that only this URL names is not
    // cached.
    if (!snapshot || snapshot instanceof Promise || snapshot.id !== response.snapshotId) return
    cache.keep(cacheKey, { route, company: companyId, manifestHash: snapshot.manifestHash, response })
  }
  return { answer, keep }
}

/** Whatever a response depends on besides grant, snapshot and validator. No header holds a line feed. */
const cacheKeyOf = (req: IncomingMessage, { accept = '', coding = '' }: RequestHeaders): string =>
  `${req.url}\n${accept}\n${coding}`
