/** So many requests per grant and window, counted by each process for itself. A nightly sync does not notice. */
import type { ServerResponse } from 'node:http'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from '../../builder/contract/problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

export interface RateLimiter {
  /** Throws 429 with the seconds to wait; else gives what `announce` says of the window. */
  count(grantId: string): Promise<RateLimiterRes>
  /** On answers of a company that the grant may read; others must not differ in anything. */
  announce(res: ServerResponse, window: RateLimiterRes): void
}

export function createRateLimiter({ requests, seconds }: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds })
  const policy = `"grant";q=${requests};w=${seconds}`
  const secondsLeft = ({ msBeforeNext }: RateLimiterRes): number =>
    Math.max(1, Math.ceil(msBeforeNext / 1000))
  // draft-ietf-httpapi-ratelimit-headers: r of the requests are left, for t seconds.
  const state = (window: RateLimiterRes): string =>
    `"grant";r=${window.remainingPoints};t=${secondsLeft(window)}`
  return {
    count: (grantId) =>
      limiter.consume(grantId).catch((window: RateLimiterRes) => {
        const wait = secondsLeft(window)
        throw new Problem(
          'too-many-requests',
          `No more than ${requests} in ${seconds} seconds: wait ${wait}.`,
          {
            headers: { 'Retry-After': String(wait), RateLimit: state(window), 'RateLimit-Policy': policy },
          },
        )
      }),
    announce: (res, window) => {
      res.setHeader('RateLimit-Policy', policy)
      res.setHeader('RateLimit', state(window))
    },
  }
}
