/** One of the processes of a pool: takes one order after another. */
import { failureOf } from './exit.ts'
import type { Reply } from './pool.ts'

/** A step of ten thousand pieces is not told ten thousand times. */
const TELL_EVERY_MS = 80

/** `tell` says how far it is; a new `step` is always told. */
export function serveOrders<Order, Progress, Result>(
  work: (order: Order, tell: (progress: Progress, step?: string) => void) => Promise<Result>,
): void {
  const send = (reply: Reply<Progress, Result>): void => void process.send?.(reply)
  const take = async (order: Order): Promise<void> => {
    let last: string | undefined
    let toldAt = 0
    try {
      const result = await work(order, (progress, step) => {
        if (step === last && Date.now() - toldAt < TELL_EVERY_MS) return
        last = step
        toldAt = Date.now()
        send({ progress })
      })
      send({ result })
    } catch (problem) {
      const trace = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
      send({ failure: failureOf(problem), trace })
    }
  }
  process.on('message', (order) => void take(order as Order))
  // Who asked is gone: nobody reads the outcome.
  process.on('disconnect', () => process.exit(1))
}
