/** How much is taken on at once: so many requests under way, so many waiting for a while, the rest told to come back. */
import type { ServerResponse } from 'node:http'
import { Problem } from '../../builder/contract/problem.ts'
import { LOAD_LIMITS, type LoadLimits } from './limits.ts'

export interface LoadOptions extends Partial<LoadLimits> {
  readonly lagMs?: () => number
}

export interface Load {
  /**
   * Calls `go` at once or when there is room, or `refuse`; neither where the client has left meanwhile. A request takes
   * up room until its answer is handed over: how fast its client reads that is the connection's affair.
   */
  admit(res: ServerResponse, address: string, go: () => void, refuse: (problem: Problem) => void): void
  /** Nothing new is taken on, not even what takes up no room. */
  isLate(): boolean
  underWay(): number
  waiting(): number
  close(): void
}

interface Waiting {
  readonly address: string
  readonly go: () => void
}

/** What one address has of both. */
interface Share {
  underWay: number
  waiting: number
}

const overloaded = (): Problem =>
  new Problem('overloaded', 'The server has too much to do.', { headers: { 'Retry-After': '2' } })

export function createLoad(options: LoadOptions = {}): Load {
  const limits = { ...LOAD_LIMITS, ...options }
  const watch = options.lagMs ? { lagMs: options.lagMs, close: () => {} } : watchLag()
  let underWay = 0
  const shares = new Map<string, Share>()
  /** A Set keeps the order of arrival. */
  const waiting = new Set<Waiting>()

  function count(address: string, what: keyof Share, by: 1 | -1): void {
    const share = shares.get(address) ?? { underWay: 0, waiting: 0 }
    share[what] += by
    if (share.underWay + share.waiting === 0) shares.delete(address)
    else shares.set(address, share)
  }
  const has = (address: string, what: keyof Share): number => shares.get(address)?.[what] ?? 0
  const hasRoom = (address: string): boolean =>
    underWay < limits.mostUnderWay && has(address, 'underWay') < limits.mostUnderWayOfAddress
  const mayWait = (address: string): boolean =>
    waiting.size < limits.mostWaiting && has(address, 'waiting') < limits.mostWaitingOfAddress

  /** Whoever waits longest of those whose address has room. */
  function takeNext(): void {
    for (const { address, go } of waiting)
      if (hasRoom(address)) {
        go()
        return
      }
  }

  function begin(res: ServerResponse, address: string, go: () => void): void {
    underWay++
    count(address, 'underWay', 1)
    let over = false
    const leave = (): void => {
      if (over) return
      over = true
      underWay--
      count(address, 'underWay', -1)
      takeNext()
    }
    // All of the answer is handed over, or its client has left before that.
    res.once('prefinish', leave)
    res.once('close', leave)
    go()
  }

  function wait(
    res: ServerResponse,
    address: string,
    go: () => void,
    refuse: (problem: Problem) => void,
  ): void {
    const stop = (): void => {
      waiting.delete(entry)
      count(address, 'waiting', -1)
      clearTimeout(timer)
      res.removeListener('close', stop)
    }
    const entry: Waiting = {
      address,
      go: () => {
        stop()
        begin(res, address, go)
      },
    }
    const timer = setTimeout(() => {
      stop()
      refuse(overloaded())
    }, limits.longestWaitMs)
    waiting.add(entry)
    count(address, 'waiting', 1)
    res.once('close', stop)
  }

  const isLate = (): boolean => watch.lagMs() > limits.greatestLagMs
  return {
    admit: (res, address, go, refuse) => {
      if (isLate()) refuse(overloaded())
      else if (hasRoom(address)) begin(res, address, go)
      else if (mayWait(address)) wait(res, address, go, refuse)
      else refuse(overloaded())
    },
    isLate,
    underWay: () => underWay,
    waiting: () => waiting.size,
    close: watch.close,
  }
}

const TICK_MS = 100

/** How late a timer fires: an average in which one long pause (a snapshot being verified) counts for little. */
function watchLag(): { readonly lagMs: () => number; readonly close: () => void } {
  let lag = 0
  let expected = performance.now() + TICK_MS
  const ticks = setInterval(() => {
    const late = Math.max(0, performance.now() - expected)
    lag = lag * 0.7 + late * 0.3
    expected = performance.now() + TICK_MS
  }, TICK_MS)
  ticks.unref()
  return { lagMs: () => lag, close: () => clearInterval(ticks) }
}
