/** Limits how many things are done at the same time. */

/**
 * Runs `work` for each item, `count` at a time. If one fails, no further item is begun, and its error is thrown once
 * those under way have ended.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failed = false
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failed) return
      await work(item).catch((problem) => {
        failed = true
        throw problem
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(count, items.length) }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}

/**
 * Returns a promise that may fail before anybody awaits it. Without a handler Node.js would end the process for an
 * unhandled rejection; whoever awaits the promise later still gets the failure.
 */
export function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {})
  return promise
}
