/**
 * Those who carry out the orders for pieces of the statements: this thread alone, or as many as there are cores. What a piece gives
 * does not depend on who makes it.
 */
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { type Portion, portionOf, type Sharing } from '../workspace/machine.ts'
import { type Hands, type Purpose, Threads } from '../workspace/threads.ts'

/** Starting and warming up takes a thread as long as making so many documents. */
const DOCUMENTS_PER_THREAD = 300

/**
 * `make` makes pieces in this thread, and `module` does the same in another one, of the same `materials`; of so many `documents` in all.
 * Threads start at once, whether or not the materials are there.
 */
export function handsFor<Order, Made, Materials>(
  sharing: Sharing,
  purpose: Purpose,
  documents: number,
  module: URL,
  materials: Promise<Materials>,
  make: (materials: Materials) => (order: Order) => Made,
): Hands<Order, Made> {
  const { count, bytes } = threadsFor(sharing, documents)
  const errors = { [new SnapshotDamagedError('').code]: SnapshotDamagedError }
  return count > 1
    ? new Threads<Order, Made>(
        { ...purpose, module, errors, ahead: 1, writes: true },
        materials,
        count,
        bytes,
      )
    : oneByOne(materials.then(make))
}

function threadsFor(sharing: Sharing, documents: number): Portion['threads'] {
  const { threads } = portionOf(sharing)
  const worthWhile = Math.floor(documents / DOCUMENTS_PER_THREAD)
  return sharing.workers === undefined ? { ...threads, count: Math.min(threads.count, worthWhile) } : threads
}

/** In this thread. */
function oneByOne<Order, Made>(maker: Promise<(order: Order) => Made>): Hands<Order, Made> {
  let last: Promise<unknown> = maker.catch(() => {})
  return {
    run: (order) => {
      const made = last.then(async () => (await maker)(order))
      last = made.catch(() => {})
      return made
    },
    close: async () => void (await last),
  }
}
