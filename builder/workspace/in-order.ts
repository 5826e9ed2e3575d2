/** Does several things at once and gives their results in the order in which they were asked for. */

/** At most `atOnce` are under way or wait to be taken. After a failure no more is begun. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  for await (const item of items) {
    const next = underWay.length < atOnce ? undefined : underWay.shift()
    if (next !== undefined) yield await next
    const result = work(item)
    // Handled where it is taken; avoids an unhandled rejection.
    result.catch(() => {})
    underWay.push(result)
  }
  for (const result of underWay) yield await result
}
