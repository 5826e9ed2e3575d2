/** The queue of builds that tieout.yaml names, for its commands. First file of the room of these commands. */
import type { BuildQueue } from '../../builder/queue/queue.ts'
import type { QueueSettings, Workspace } from '../../builder/workspace/workspace.ts'
import { UsageError } from '../exit.ts'

export function queueOf({ queue }: Workspace): QueueSettings {
  if (queue !== null) return queue
  throw new UsageError(
    'tieout.yaml names no queue; write the address of a PostgreSQL database there, such as "queue: postgres://tieout@db.example.com/tieout"',
  )
}

/** The queue while `work` runs. */
export async function withQueue<T>(
  workspace: Workspace,
  work: (queue: BuildQueue) => Promise<T>,
): Promise<T> {
  const { BuildQueue } = await import('../../builder/queue/queue.ts')
  const queue = await BuildQueue.open(queueOf(workspace).database, false, () => {})
  try {
    return await work(queue)
  } finally {
    await queue.close()
  }
}
