/**
 * The limit on requests of servers that share a database. It keeps the windows and lends requests of them to a server, an eighth of
 * the rest at a time (`serve/store/postgres/counts.ts`), so that most requests are counted without asking it.
 */
import { createWindows, type RateLimit, type RateLimiter, type Window, wordsOf } from './rate-limit.ts'

/** The requests that this server may use of a window; 0 means that none are left for any server. */
export interface Lease {
  /** The window of this grant to which the lease belongs. */
  readonly window: number
  readonly requests: number
  /** Requests that can still be lent. */
  readonly rest: number
  readonly msLeft: number
}

interface Borrowed extends Window {
  readonly id: number
  /** Requests that could still be lent to any server, as of the last answer of the database. */
  rest: number
  /** No requests are left for any server. */
  isSpent: boolean
}

/** Counts requests that `borrow` lends to this server. */
export function createBorrower(
  limit: RateLimit,
  borrow: (grantId: string) => Promise<Lease>,
  now: () => number = () => performance.now(),
): RateLimiter {
  const words = wordsOf(limit, now, (window) => window.left + (window as Borrowed).rest)
  const NONE = 0
  const windows = createWindows<Borrowed>(limit, now, (_grantId, at) => ({
    id: NONE,
    left: 0,
    rest: limit.requests,
    isSpent: false,
    endsAt: at + limit.seconds * 1000,
  }))
  const asking = new Map<string, Promise<void>>()
  const take = (window: Window): void => void window.left--

  async function ask(grantId: string): Promise<void> {
    try {
      const { window: id, requests, rest, msLeft } = await borrow(grantId)
      const held = windows.of(grantId)
      const left = requests + (held.id === id ? held.left : 0)
      windows.set(grantId, { id, left, rest, isSpent: left === 0, endsAt: now() + msLeft })
    } finally {
      asking.delete(grantId)
    }
  }

  async function count(grantId: string): Promise<Window> {
    for (;;) {
      const window = windows.of(grantId)
      if (window.left > 0) {
        take(window)
        return window
      }
      if (window.isSpent) throw words.refusal(window)
      let asked = asking.get(grantId)
      if (asked === undefined) {
        asked = ask(grantId)
        asking.set(grantId, asked)
      }
      await asked
    }
  }

  return {
    count,
    take,
    left: (grantId) => {
      const window = windows.of(grantId)
      return window.left > 0 ? window : null
    },
    headers: words.headers,
  }
}
