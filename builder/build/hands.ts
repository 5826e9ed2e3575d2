/**
 * Those who carry out the orders for pieces of the statements: this thread alone, or as many as there are cores. What a piece gives
 * does not depend on who makes it.
 */
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { type Portion, portionOf, type Sharing } from '../workspace/machine.ts'
import { type Hands, type Purpose, Threads } from '../workspace/threads.ts'
import { documentsOf, type Leaves } from './piece.ts'

/** Starting and warming up takes a thread as long as making so many documents. */
const DOCUMENTS_PER_THREAD = 300

/** `make` makes pieces in this thread, and `module` does the same in another one, of the same `materials`. */
export function handsFor<Order, Made, Materials extends { readonly leaves: Leaves }>(
  sharing: Sharing,
  purpose: Purpose,
  module: URL,
  materials: Materials,
  make: (materials: Materials) => (order: Order) => Made,
): Hands<Order, Made> {
  const { count, bytes } = threadsFor(sharing, materials.leaves)
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

function threadsFor(sharing: Sharing, leaves: Leaves): Portion['threads'] {
  const { threads } = portionOf(sharing)
  const worthWhile = Math.floor(documentsOf(leaves) / DOCUMENTS_PER_THREAD)
  return sharing.workers === undefined ? { ...threads, count: Math.min(threads.count, worthWhile) } : threads
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
