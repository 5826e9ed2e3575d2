/** So many requests per grant and window, counted by each process for itself. A nightly sync does not notice. */
import type { ServerResponse } from 'node:http'
import { Problem } from '../../builder/contract/problem.ts'

export interface RateLimit {
  readonly requests: number
  readonly seconds: number
}

export interface RateLimiter {
  /** Throws 429 with the seconds to wait; else gives the window, of which one request less is left now. */
  count(grantId: string): Window
  /** The same where a request is left, else null and nothing is counted. */
  tryCount(grantId: string): Window | null
  /** On answers of a company that the grant may read; others must not differ in anything. */
  announce(res: ServerResponse, window: Window): void
  readonly policy: string
  /** What of the window is left: draft-ietf-httpapi-ratelimit-headers, r requests for t seconds. */
  state(window: Window): string
}

export interface Window {
  readonly left: number
  readonly endsAt: number
}

export function createRateLimiter(
  { requests, seconds }: RateLimit,
  now: () => number = () => performance.now(),
): RateLimiter {
  const windows = new Map<string, { left: number; endsAt: number }>()
  let sweepAt = 0
  const policy = `"grant";q=${requests};w=${seconds}`
  const secondsLeft = ({ endsAt }: Window): number => Math.max(1, Math.ceil((endsAt - now()) / 1000))
  const state = (window: Window): string => `"grant";r=${window.left};t=${secondsLeft(window)}`

  function sweep(at: number): void {
    if (at < sweepAt) return
    sweepAt = at + seconds * 1000
    for (const [grantId, { endsAt }] of windows) if (endsAt <= at) windows.delete(grantId)
  }

  function windowOf(grantId: string): { left: number; endsAt: number } {
    const at = now()
    const known = windows.get(grantId)
    if (known !== undefined && known.endsAt > at) return known
    sweep(at)
    const begun = { left: requests, endsAt: at + seconds * 1000 }
    windows.set(grantId, begun)
    return begun
  }

  function tryCount(grantId: string): Window | null {
    const window = windowOf(grantId)
    if (window.left === 0) return null
    window.left--
    return window
  }

  return {
    tryCount,
    count: (grantId) => {
      const window = tryCount(grantId)
      if (window !== null) return window
      const full = windowOf(grantId)
      const wait = secondsLeft(full)
      throw new Problem(
        'too-many-requests',
        `No more than ${requests} in ${seconds} seconds: wait ${wait}.`,
        {
          headers: { 'Retry-After': String(wait), RateLimit: state(full), 'RateLimit-Policy': policy },
        },
      )
    },
    announce: (res, window) => {
      res.setHeader('RateLimit-Policy', policy)
      res.setHeader('RateLimit', state(window))
    },
    policy,
    state,
  }
}
