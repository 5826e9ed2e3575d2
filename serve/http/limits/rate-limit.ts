/**
 * Limits the requests of a grant in a window of time. Each server counts for itself, also where several share a
 * database: the limit keeps a client that runs wild from taking a server from the others. The default is far above
 * what a nightly sync needs.
 */
import { Problem } from '../../../builder/contract/problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

export interface RateLimiter {
  /** Counts a request and returns the window. Throws 429 with the seconds to wait where none is left. */
  count(grantId: string): Window
  /** The window of a grant that has a request left, else null; counts nothing. */
  left(grantId: string): Window | null
  /** Counts a request in a window that has one left. */
  take(window: Window): void
  /**
   * Headers that state the rest of the window: r requests for t seconds (draft-ietf-httpapi-ratelimit-headers).
   * Only on answers of a company that the grant may read, since all others must be alike. Names and values
   * alternate.
   */
  headers(window: Window): string[]
}

export interface Window {
  left: number
  readonly endsAt: number
}

export function createRateLimiter(
  { requests, seconds }: RateLimit,
  now: () => number = () => performance.now(),
): RateLimiter {
  const policy = `"grant";q=${requests};w=${seconds}`
  const secondsLeft = ({ endsAt }: Window): number => Math.max(1, Math.ceil((endsAt - now()) / 1000))
  const stateOf = (window: Window): string => `"grant";r=${window.left};t=${secondsLeft(window)}`
  const windows = new Map<string, Window>()
  let sweepAt = 0

  /** Removes the windows that have ended. */
  function sweep(at: number): void {
    if (at < sweepAt) return
    sweepAt = at + seconds * 1000
    for (const [grantId, { endsAt }] of windows) if (endsAt <= at) windows.delete(grantId)
  }

  function windowOf(grantId: string): Window {
    const at = now()
    const known = windows.get(grantId)
    if (known !== undefined && known.endsAt > at) return known
    sweep(at)
    const begun = { left: requests, endsAt: at + seconds * 1000 }
    windows.set(grantId, begun)
    return begun
  }

  function tooMany(window: Window): Problem {
    const wait = secondsLeft(window)
    return new Problem('too-many-requests', `No more than ${requests} in ${seconds} seconds: wait ${wait}.`, {
      headers: { 'Retry-After': String(wait), RateLimit: stateOf(window), 'RateLimit-Policy': policy },
    })
  }

  const take = (window: Window): void => void window.left--
  return {
    left: (grantId) => {
      const window = windowOf(grantId)
      return window.left > 0 ? window : null
    },
    take,
    count: (grantId) => {
      const window = windowOf(grantId)
      if (window.left <= 0) throw tooMany(window)
      take(window)
      return window
    },
    headers: (window) => ['RateLimit-Policy', policy, 'RateLimit', stateOf(window)],
  }
}
