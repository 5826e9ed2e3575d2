/** Several inputs at once, each on a connection of its own, whose effects are seen in the order of the inputs. */
import type { Database } from './database.ts'

/** `turn` is over when all inputs before this one are done: what changes a table in their order waits for it. */
type Work<Item, Result> = (db: Database, item: Item, index: number, turn: Promise<unknown>) => Promise<Result>

interface Connections {
  /** How many of them there are at most. */
  readonly count: number
  readonly connect: () => Promise<Database>
}

/** A failure is thrown once nothing is under way any more. */
export async function orderedParallel<Item, Result>(
  items: readonly Item[],
  { count, connect }: Connections,
  work: Work<Item, Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    const connection = await connect()
    try {
      for (const [i, item] of queue) {
        results[i] = work(connection, item, i, results[i - 1] ?? Promise.resolve())
        await results[i]
      }
    } finally {
      connection.close()
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(count, items.length) }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return Promise.all(results)
}
