/** How much is taken on at once: so many requests under way, so many waiting for a while, the rest told to come back. */
import type { ServerResponse } from 'node:http'
import { Problem } from '../../builder/contract/problem.ts'

export interface LoadOptions {
  /** Requests under way. Of those that wait for the ad-hoc engine there are far fewer: it has a queue of its own. */
  readonly mostUnderWay?: number
  readonly mostWaiting?: number
  readonly longestWaitMs?: number
  /** The event loop is this much late, on average over the last moments: nothing new is taken on. */
  readonly greatestLagMs?: number
  readonly lagMs?: () => number
}

export interface Load {
  /** Calls `go` at once or when there is room, or `refuse`; neither where the client has left meanwhile. */
  admit(res: ServerResponse, go: () => void, refuse: (problem: Problem) => void): void
  /** Takes on a request whose answer lies ready, where there is room at once; `leave` is then due at its end. */
  enter(): boolean
  leave(): void
  underWay(): number
  waiting(): number
  close(): void
}

interface Waiting {
  readonly go: () => void
  readonly timer: NodeJS.Timeout
}

const overloaded = (): Problem =>
  new Problem('overloaded', 'The server has too much to do.', { headers: { 'Retry-After': '2' } })

export function createLoad(options: LoadOptions = {}): Load {
  const { mostUnderWay = 256, mostWaiting = 1024, longestWaitMs = 5000, greatestLagMs = 500 } = options
  const watch = options.lagMs ? { lagMs: options.lagMs, close: () => {} } : watchLag()
  let underWay = 0
  /** A Set keeps the order of arrival. */
  const waiting = new Set<Waiting>()

  function leave(): void {
    underWay--
    if (waiting.size > 0) waiting.values().next().value!.go()
  }

  /** An answer counts until its last byte is handed over, or its client has left. */
  function begin(res: ServerResponse, go: () => void): void {
    underWay++
    res.once('close', leave)
    go()
  }

  function wait(res: ServerResponse, go: () => void, refuse: (problem: Problem) => void): void {
    const stop = (): void => {
      waiting.delete(entry)
      clearTimeout(entry.timer)
      res.removeListener('close', stop)
    }
    const entry: Waiting = {
      go: () => {
        stop()
        begin(res, go)
      },
      timer: setTimeout(() => {
        stop()
        refuse(overloaded())
      }, longestWaitMs),
    }
    waiting.add(entry)
    res.once('close', stop)
  }

  return {
    admit: (res, go, refuse) => {
      if (watch.lagMs() > greatestLagMs) refuse(overloaded())
      else if (underWay < mostUnderWay) begin(res, go)
      else if (waiting.size < mostWaiting) wait(res, go, refuse)
      else refuse(overloaded())
    },
    enter: () => {
      if (underWay >= mostUnderWay || watch.lagMs() > greatestLagMs) return false
      underWay++
      return true
    },
    leave,
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
