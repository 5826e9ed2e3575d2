/** Processes several inputs in parallel, each on its own connection, and commits their effects in the order of the inputs. */
import type { Database } from './database.ts'

/** `turn` resolves when all earlier inputs are done. Work that must change a table in order waits for it. */
type Work<Item, Result> = (db: Database, item: Item, index: number, turn: Promise<unknown>) => Promise<Result>

interface Connections {
  /** The greatest number of connections. */
  readonly count: number
  readonly connect: () => Promise<Database>
}

/**
 * The results in the order of `items`. If one fails, its error is thrown once all
 * started work has ended.
 */
export async function orderedParallel<Item, Result>(
  items: readonly Item[],
  { count, connect }: Connections,
  work: Work<Item, Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    let connection: Promise<Database> | null = null
    try {
      for (const [i, item] of queue) {
        connection ??= connect()
        const turn = results[i - 1] ?? Promise.resolve()
        results[i] = connection.then((db) => work(db, item, i, turn))
        await results[i]
      }
    } finally {
      ;(await connection)?.close()
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: count }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return Promise.all(results)
}
