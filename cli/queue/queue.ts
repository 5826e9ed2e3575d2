/** The queue of builds that tieout.yaml names, for its commands. First file of the room of these commands. */
import type { BuildQueue } from '../../builder/build/queue/queue.ts'
import type { QueueSettings, Workspace } from '../../builder/workspace/workspace.ts'
import type { QueueLoad } from '../../serve/http/metrics.ts'
import { UsageError } from '../terminal/exit.ts'

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
  const { BuildQueue } = await import('../../builder/build/queue/queue.ts')
  const queue = await BuildQueue.open(queueOf(workspace).database, false, () => {})
  try {
    return await work(queue)
  } finally {
    await queue.close()
  }
}

/** What a server that has the workspace states of its queue in its metrics. */
export const queueLoad = (workspace: Workspace): Promise<QueueLoad> =>
  withQueue(workspace, async (queue) => {
    const entries = await queue.entries()
    const since = entries.flatMap(({ waiting }) => waiting?.since.getTime() ?? [])
    const ended = (outcome: string) => entries.filter(({ last }) => last?.outcome === outcome).length
    return {
      companies: {
        waiting: since.length,
        running: entries.filter(({ running }) => running !== null).length,
        failed: ended('failed'),
        refused: ended('refused'),
      },
      workers: (await queue.workers()).length,
      oldestSeconds: since.length === 0 ? 0 : (Date.now() - Math.min(...since)) / 1000,
    }
  })
