/**
 * Limits the requests of a grant in a window of time. Each server counts for itself, also where several share a
 * database: the limit keeps a client that runs wild from taking a server from the others. The default is far above
 * what a nightly sync needs.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem } from '../../../builder/contract/problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

/** What is left of a grant's window. */
export type Window = Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>

export interface RateLimiter {
  /** Counts a request and returns the window. Throws 429 with the seconds to wait where none is left. */
  count(grantId: string): Promise<Window>
  /**
   * Headers that state the rest of the window: r requests for t seconds (draft-ietf-httpapi-ratelimit-headers).
   * Only on answers of a company that the grant may read, since all others must be alike.
   */
  headers(window: Window): Readonly<Record<string, string>>
}

/** The library's timers hold at most 2^31 milliseconds, not quite 25 days. */
const LONGEST_SECONDS = 24 * 24 * 3600

export function createRateLimiter({ requests, seconds }: RateLimit): RateLimiter {
  const windows = new RateLimiterMemory({ points: requests, duration: Math.min(seconds, LONGEST_SECONDS) })
  const policy = `"grant";q=${requests};w=${seconds}`
  const secondsLeft = ({ msBeforeNext }: Window): number => Math.max(1, Math.ceil(msBeforeNext / 1000))
  const headers = (window: Window) => ({
    'RateLimit-Policy': policy,
    RateLimit: `"grant";r=${window.remainingPoints};t=${secondsLeft(window)}`,
  })
  return {
    headers,
    count: async (grantId) => {
      try {
        return await windows.consume(grantId)
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        const wait = secondsLeft(refused)
        throw new Problem(
          'too-many-requests',
          `No more than ${requests} in ${seconds} seconds: wait ${wait}.`,
          { headers: { 'Retry-After': String(wait), ...headers(refused) } },
        )
      }
    },
  }
}
