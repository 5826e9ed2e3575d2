/** Does several things at once and gives their results in the order in which they were asked for. */
import { handled } from './handled.ts'

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
    underWay.push(handled(work(item)))
  }
  for (const result of underWay) yield await result
}
