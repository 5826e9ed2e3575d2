/** A process of a pool: carries out one order after another. */
import { undoAll } from '../../builder/system/interrupt.ts'
import { failureOf } from '../terminal/exit.ts'
import { SIGNALS } from '../terminal/stopping.ts'
import type { Reply } from './pool.ts'

/** Progress within a step is sent at most once in this time. */
const REPORT_EVERY_MS = 80

/** `report` reports progress to the parent; a new `step` is always sent. */
export function serveParent<Order, Progress, Result>(
  work: (order: Order, report: (progress: Progress, step?: string) => void) => Promise<Result>,
): void {
  // A parent that has ended is no error here: `disconnect` follows.
  const send = (reply: Reply<Progress, Result>): void =>
    void process.send?.(reply, undefined, undefined, () => {})
  const take = async (order: Order): Promise<void> => {
    let last: string | undefined
    let reportedAt = 0
    try {
      const result = await work(order, (progress, step) => {
        if (step === last && Date.now() - reportedAt < REPORT_EVERY_MS) return
        last = step
        reportedAt = Date.now()
        send({ progress })
      })
      send({ result })
    } catch (problem) {
      const trace = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
      send({ failure: failureOf(problem), trace })
    }
  }
  process.on('message', (order) => void take(order as Order))
  // Ctrl-C reaches every process of the terminal; what is being published is finished, and its outcome sent.
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (undoAll()) process.exit(1)
    })
  // The parent has ended, so that nobody reads the outcome.
  process.on('disconnect', () => {
    undoAll()
    process.exit(1)
  })
}
