/**
 * Limits the requests of a grant in a window of time, as this server counts them; `lent-requests.ts` does so for servers
 * that share a database. The default is far above what a nightly sync needs.
 */
import { Problem } from '../../builder/contract/problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

export interface RateLimiter {
  /** Counts a request and returns the window. Throws 429 with the seconds to wait where none is left. */
  count(grantId: string): Window | Promise<Window>
  /** The window of a grant that, as far as this server knows, has a request left, else null; counts nothing. */
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

/** The texts that clients get about a window. */
export interface WindowWords extends Pick<RateLimiter, 'headers'> {
  refusal(window: Window): Problem
}

/** `leftOf` returns the requests left over all servers, where these are more than this one has. */
export function wordsOf(
  { requests, seconds }: RateLimit,
  now: () => number,
  leftOf: (window: Window) => number = ({ left }) => left,
): WindowWords {
  const policy = `"grant";q=${requests};w=${seconds}`
  const secondsLeft = ({ endsAt }: Window): number => Math.max(1, Math.ceil((endsAt - now()) / 1000))
  const stateOf = (window: Window): string => `"grant";r=${leftOf(window)};t=${secondsLeft(window)}`
  return {
    headers: (window) => ['RateLimit-Policy', policy, 'RateLimit', stateOf(window)],
    refusal: (window) => {
      const wait = secondsLeft(window)
      const said = `No more than ${requests} in ${seconds} seconds: wait ${wait}.`
      return new Problem('too-many-requests', said, {
        headers: { 'Retry-After': String(wait), RateLimit: stateOf(window), 'RateLimit-Policy': policy },
      })
    },
  }
}

/** The windows by grant; those that ended are removed. `begin` makes the next one. */
export function createWindows<W extends Pick<Window, 'endsAt'>>(
  { seconds }: RateLimit,
  now: () => number,
  begin: (grantId: string, at: number) => W,
): { of(grantId: string): W; set(grantId: string, window: W): void } {
  const windows = new Map<string, W>()
  let sweepAt = 0

  function sweep(at: number): void {
    if (at < sweepAt) return
    sweepAt = at + seconds * 1000
    for (const [grantId, { endsAt }] of windows) if (endsAt <= at) windows.delete(grantId)
  }

  return {
    of: (grantId) => {
      const at = now()
      const known = windows.get(grantId)
      if (known !== undefined && known.endsAt > at) return known
      sweep(at)
      const begun = begin(grantId, at)
      windows.set(grantId, begun)
      return begun
    },
    set: (grantId, window) => void windows.set(grantId, window),
  }
}

export function createRateLimiter(
  limit: RateLimit,
  now: () => number = () => performance.now(),
): RateLimiter & { count(grantId: string): Window } {
  const { requests, seconds } = limit
  const { headers, refusal } = wordsOf(limit, now)
  const windows = createWindows<Window>(limit, now, (_grantId, at) => ({
    left: requests,
    endsAt: at + seconds * 1000,
  }))
  const take = (window: Window): void => void window.left--
  return {
    left: (grantId) => {
      const window = windows.of(grantId)
      return window.left > 0 ? window : null
    },
    take,
    count: (grantId) => {
      const window = windows.of(grantId)
      if (window.left <= 0) throw refusal(window)
      take(window)
      return window
    },
    headers,
  }
}
