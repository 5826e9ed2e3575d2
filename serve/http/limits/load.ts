/** Limits how many requests run at once: some more wait for a while, and the rest are told to come back. */
import type { ServerResponse } from 'node:http'
import { Problem } from '../../../builder/contract/problem.ts'
import { LOAD_LIMITS, type LoadLimits } from './limits.ts'

export interface LoadOptions extends Partial<LoadLimits> {
  readonly lagMs?: () => number
}

interface Waiting {
  readonly address: string
  readonly go: () => void
}

/** How many requests of one address run and wait. */
interface Share {
  underWay: number
  waiting: number
}

const overloaded = (): Problem =>
  new Problem('overloaded', 'The server has too much to do.', { headers: { 'Retry-After': '2' } })

export class Load {
  readonly #limits: LoadLimits
  readonly #watch: LagWatch
  readonly #shares = new Map<string, Share>()
  /** In the order of arrival, which a Set keeps. */
  readonly #waiting = new Set<Waiting>()
  #underWay = 0

  constructor({ lagMs, ...limits }: LoadOptions = {}) {
    this.#limits = { ...LOAD_LIMITS, ...limits }
    this.#watch = lagMs ? { lagMs, close: () => {} } : watchLag()
  }

  /**
   * Calls `go` at once or when there is room, or `refuse`; neither where the client leaves meanwhile. A request
   * counts until its answer was handed over: how fast the client reads it is limited by the connection.
   */
  admit(res: ServerResponse, address: string, go: () => void, refuse: (problem: Problem) => void): void {
    if (this.#watch.lagMs() > this.#limits.greatestLagMs) refuse(overloaded())
    else if (this.#hasRoom(address)) this.#begin(res, address, go)
    else if (this.#mayWait(address)) this.#wait(res, address, go, refuse)
    else refuse(overloaded())
  }

  underWay(): number {
    return this.#underWay
  }

  waiting(): number {
    return this.#waiting.size
  }

  close(): void {
    this.#watch.close()
  }

  #hasRoom(address: string): boolean {
    const { mostUnderWay, mostUnderWayOfAddress } = this.#limits
    return this.#underWay < mostUnderWay && this.#shareOf(address).underWay < mostUnderWayOfAddress
  }

  #mayWait(address: string): boolean {
    const { mostWaiting, mostWaitingOfAddress } = this.#limits
    return this.#waiting.size < mostWaiting && this.#shareOf(address).waiting < mostWaitingOfAddress
  }

  #shareOf(address: string): Share {
    return this.#shares.get(address) ?? { underWay: 0, waiting: 0 }
  }

  #count(address: string, what: keyof Share, by: 1 | -1): void {
    const share = this.#shareOf(address)
    share[what] += by
    if (share.underWay + share.waiting === 0) this.#shares.delete(address)
    else this.#shares.set(address, share)
  }

  #begin(res: ServerResponse, address: string, go: () => void): void {
    this.#underWay++
    this.#count(address, 'underWay', 1)
    let isOver = false
    const leave = (): void => {
      if (isOver) return
      isOver = true
      this.#underWay--
      this.#count(address, 'underWay', -1)
      this.#takeNext()
    }
    // The whole answer was handed over, or the client left before.
    res.once('prefinish', leave)
    res.once('close', leave)
    go()
  }

  #wait(res: ServerResponse, address: string, go: () => void, refuse: (problem: Problem) => void): void {
    const stop = (): void => {
      this.#waiting.delete(entry)
      this.#count(address, 'waiting', -1)
      clearTimeout(timer)
      res.removeListener('close', stop)
    }
    const entry: Waiting = {
      address,
      go: () => {
        stop()
        this.#begin(res, address, go)
      },
    }
    const timer = setTimeout(() => {
      stop()
      refuse(overloaded())
    }, this.#limits.longestWaitMs)
    this.#waiting.add(entry)
    this.#count(address, 'waiting', 1)
    res.once('close', stop)
  }

  /** Starts the request that has waited longest, among addresses that are below their limit. */
  #takeNext(): void {
    for (const { address, go } of this.#waiting)
      if (this.#hasRoom(address)) {
        go()
        return
      }
  }
}

interface LagWatch {
  readonly lagMs: () => number
  readonly close: () => void
}

const TICK_MS = 100

/**
 * Measures how late a timer fires, as an average in which a single long pause (a snapshot being verified) counts
 * little.
 */
function watchLag(): LagWatch {
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
