/**
 * Chooses the worker pool for batches of documents: this thread alone, or threads where several cores are worth it. The
 * result does not depend on it.
 */
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { type Portion, portionOf, type Sharing } from '../system/machine.ts'
import { type Purpose, Threads, type WorkerPool } from '../system/threads.ts'
import { type DocumentData, documentCount } from './document-batch.ts'

/** How many documents make a thread worth it: starting and warming it up takes as long as making so many. */
const DOCUMENTS_PER_THREAD = 300

/** `make` carries out the orders in this thread, and `module` does the same in another one, from the same `materials`. */
export function workerPoolFor<Order, Made, Materials extends { readonly data: DocumentData }>(
  sharing: Sharing,
  purpose: Purpose,
  module: URL,
  materials: Materials,
  make: (materials: Materials) => (order: Order) => Made,
): WorkerPool<Order, Made> {
  const { count, bytes } = threadsFor(sharing, materials.data)
  const errors = { [new SnapshotDamagedError('').code]: SnapshotDamagedError }
  return count > 1
    ? new Threads<Order, Made>(
        { ...purpose, module, errors, ahead: 1, writes: true },
        materials,
        count,
        bytes,
      )
    : oneByOne(make(materials))
}

function threadsFor(sharing: Sharing, data: DocumentData): Portion['threads'] {
  const { threads } = portionOf(sharing)
  const worthWhile = Math.floor(documentCount(data) / DOCUMENTS_PER_THREAD)
  return sharing.workers === undefined ? { ...threads, count: Math.min(threads.count, worthWhile) } : threads
}

/** A pool that carries out the orders in this thread. */
function oneByOne<Order, Made>(make: (order: Order) => Made): WorkerPool<Order, Made> {
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
