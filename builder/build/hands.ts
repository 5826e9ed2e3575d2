/**
 * Those who carry out the orders for pieces of the statements: this thread alone, or as many as there are cores. What a piece gives
 * does not depend on who makes it.
 */
import { availableParallelism } from 'node:os'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { Threads, type Work } from '../workspace/threads.ts'
import { documentsOf, type Leaves } from './class-documents.ts'

export interface Hands<Order, Made> {
  run(order: Order): Promise<Made>
  /** Afterwards none of them does anything any more. */
  close(): Promise<void>
}

/** The part of the machine that the pieces of one company may use. */
export interface Sharing {
  /** How many companies or snapshots share the machine; the default is 1. */
  readonly share?: number
  /** How many threads; unless said, by the share of the cores and how many documents there are. */
  readonly workers?: number
}

/** Who needs the pieces, for messages about threads that ended. */
export type Purpose = Pick<Work, 'name' | 'remedy'>

/** Starting and warming up takes a thread as long as making so many documents. */
const DOCUMENTS_PER_THREAD = 300

/** `make` makes pieces in this thread, and `module` does the same in another one, of the same `materials`. */
export function handsFor<Order, Made, Materials extends { readonly leaves: Leaves }>(
  { share = 1, workers }: Sharing,
  purpose: Purpose,
  module: URL,
  materials: Materials,
  make: (materials: Materials) => (order: Order) => Made,
): Hands<Order, Made> {
  const cores = Math.floor(availableParallelism() / share)
  const count = workers ?? Math.min(cores, Math.floor(documentsOf(materials.leaves) / DOCUMENTS_PER_THREAD))
  const errors = { [new SnapshotDamagedError('').code]: SnapshotDamagedError }
  return count > 1
    ? new Threads<Order, Made>({ ...purpose, module, errors }, materials, count)
    : oneByOne(make(materials))
}

/** In this thread. */
function oneByOne<Order, Made>(make: (order: Order) => Made): Hands<Order, Made> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (order) => {
      const made = last.then(() => make(order))
      last = made.catch(() => {})
      return made
    },
    close: async () => void (await last),
  }
}
