/**
 * The limit on requests where several processes answer. The primary keeps the windows and lends requests of them to
 * the processes, a quarter of an even share of the rest at a time, so that most requests are counted without
 * asking. Where nothing is left to lend, it takes back what other processes have not used. Exactly as many requests
 * are therefore answered as by one process, whichever process they reach. A process that is killed loses what it
 * had borrowed.
 */
import { createWindows, type RateLimit, type RateLimiter, type Window, wordsOf } from '../http/rate-limit.ts'
import { inTime } from './in-time.ts'

/** The requests that a process may use of a window; 0 means that none are left in any process. */
export interface Lease {
  /** The window of this grant to which the lease belongs. */
  readonly window: number
  readonly requests: number
  /** Requests that can still be lent. */
  readonly rest: number
  readonly msLeft: number
}

/** Asks a process for the requests of a window that it has not used, and which it may then no longer use. */
export type GiveBack = (asked: { readonly grantId: string; readonly window: number }) => Promise<number>

export interface Lender {
  /** `holder` must be the same function for every call of a process. */
  lend(grantId: string, holder: GiveBack): Promise<Lease>
}

interface Lent {
  readonly id: number
  readonly endsAt: number
  rest: number
  readonly holders: Set<GiveBack>
  recalling: Promise<void> | null
}

/** A lease is this fraction of an even share of the rest. */
const PARTS = 4
/** How long a process may take to give back what it has not used. */
const PATIENCE_MS = 1000

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
    // A process that has ended or is stuck gives nothing back.
    const given = await Promise.all(
      holders.map((holder) => inTime(holder({ grantId, window: window.id }), PATIENCE_MS, 0)),
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
  /** Requests that could still be lent to any process, as of the last answer of the primary. */
  rest: number
  /** No requests are left in any process. */
  isSpent: boolean
}

export interface Borrower extends RateLimiter {
  readonly giveBack: GiveBack
}

/** Counts requests that `borrow` lends to this process. */
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
      // Waiting requests use a new lease first; otherwise two processes might take it from each other forever.
      await new Promise((resolve) => setImmediate(resolve))
      const window = windows.of(grantId)
      if (window.id !== id) return 0
      const { left } = window
      window.left = 0
      return left
    },
  }
}
