/**
 * The limit on requests where several processes answer. The primary process keeps the windows and lends requests of them: a
 * quarter of an even share of what is left, so that most requests are counted without asking. Where nothing is left to lend, it
 * takes back what others have not used. So exactly as many requests are answered as one process would answer, in whatever
 * process they arrive. A process that is killed takes what it had borrowed with it.
 */
import { createWindows, type RateLimit, type RateLimiter, type Window, wordsOf } from '../http/rate-limit.ts'

/** What a process may use of a window; 0 requests: nothing is left, in any process. */
export interface Lease {
  /** Of which window of this grant. */
  readonly window: number
  readonly requests: number
  /** Left to be lent. */
  readonly rest: number
  readonly msLeft: number
}

/** Asked for what it has not used of a window; it cannot use that any more. */
export type GiveBack = (asked: { readonly grantId: string; readonly window: number }) => Promise<number>

export interface Lender {
  /** `holder` is the same function each time that the same process asks. */
  lend(grantId: string, holder: GiveBack): Promise<Lease>
}

interface Lent {
  readonly id: number
  readonly endsAt: number
  rest: number
  readonly holders: Set<GiveBack>
  recalling: Promise<void> | null
}

/** Of an even share of what is left, one in so many is lent at once. */
const PARTS = 4

export function createLender(
  limit: RateLimit,
  processes: number,
  now: () => number = () => performance.now(),
): Lender {
  let lastId = 0
  const windows = createWindows<Lent>(limit, now, (_grantId, at) => ({
    id: ++lastId,
    endsAt: at + limit.seconds * 1000,
    rest: limit.requests,
    holders: new Set(),
    recalling: null,
  }))

  async function recall(grantId: string, window: Lent): Promise<void> {
    const holders = [...window.holders]
    window.holders.clear()
    // A process that has ended gives nothing back.
    const given = await Promise.all(
      holders.map((holder) => holder({ grantId, window: window.id }).catch(() => 0)),
    )
    for (const requests of given) window.rest += requests
    window.recalling = null
  }

  return {
    lend: async (grantId, holder) => {
      const window = windows.of(grantId)
      while (window.rest === 0 && (window.recalling !== null || window.holders.size > 0)) {
        window.recalling ??= recall(grantId, window)
        await window.recalling
      }
      const requests = Math.min(window.rest, Math.ceil(window.rest / (PARTS * processes)))
      window.rest -= requests
      if (requests > 0) window.holders.add(holder)
      return { window: window.id, requests, rest: window.rest, msLeft: window.endsAt - now() }
    },
  }
}

interface Borrowed extends Window {
  readonly id: number
  /** Left to be lent to anybody, when that was last heard. */
  rest: number
  /** Nothing is left in any process. */
  isSpent: boolean
}

export interface Borrower extends RateLimiter {
  readonly giveBack: GiveBack
}

/** Counts requests of what `borrow` lends to this process. */
export function createBorrower(
  limit: RateLimit,
  borrow: (grantId: string) => Promise<Lease>,
  now: () => number = () => performance.now(),
): Borrower {
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
    giveBack: async ({ grantId, window: id }) => {
      // What was lent a moment ago is used first by those who wait for it, or two processes might take it from each other forever.
      await new Promise((resolve) => setImmediate(resolve))
      const window = windows.of(grantId)
      if (window.id !== id) return 0
      const { left } = window
      window.left = 0
      return left
    },
  }
}
