/**
 * Cached responses bypass the router, the queue for room and all promises: where the guard can decide from what is known
 * now, and the response to the same question is held, it is written at once, 200 or 304. Whatever is not known, and every
 * refusal, is left to the endpoint, so that nothing but the guard's own order is decided here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createByteCache } from '../companies/byte-cache.ts'
import { admitNow, type GuardInputs } from './guard.ts'
import type { Load } from './load.ts'
import type { RateLimiter } from './rate-limit.ts'
import { isValidatedBy, type Response, writeResponse } from './reply.ts'
import { contextOf, headersOfEveryAnswer, type RequestContext } from './request-context.ts'
import type { RequestHeaders } from './request-headers.ts'

interface Cached {
  readonly route: string
  readonly company: string
  /** Of the snapshot that the response is from. */
  readonly manifestHash: string
  readonly response: Response
}

export interface CachedResponses {
  /** True: answered. */
  answer(res: ServerResponse, headers: RequestHeaders, context: RequestContext): boolean
  /** After the endpoint has answered: who asks the same next is answered from here. */
  keep(req: IncomingMessage, grantId: string, response: Response): void
}

interface CachedResponsesOptions {
  readonly inputs: GuardInputs
  readonly limiter: RateLimiter
  readonly load: Pick<Load, 'isLate'>
  readonly cacheBytes?: number
}

/** Headers and names of one response in memory, about. */
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
    own.push(...limiter.headers(admitted.window))
    writeResponse(res, own, response, isUnchanged)
    return true
  }

  function keep(req: IncomingMessage, grantId: string, response: Response): void {
    const { cacheKey, route, companyId, cached } = contextOf(req)
    if (cacheKey === null || route === null || companyId === null || cached === null) return
    const snapshot = inputs.snapshot(grantId, companyId)
    // It is found by whoever names no snapshot: one that only this URL names is no answer to them.
    if (!snapshot || snapshot instanceof Promise || snapshot.id !== response.snapshotId) return
    cache.keep(cacheKey, { route, company: companyId, manifestHash: snapshot.manifestHash, response })
  }
  return { answer, keep }
}

/** Whatever a response depends on besides grant, snapshot and validator. No header holds a line feed. */
const cacheKeyOf = (req: IncomingMessage, { accept = '', coding = '' }: RequestHeaders): string =>
  `${req.url}\n${accept}\n${coding}`
