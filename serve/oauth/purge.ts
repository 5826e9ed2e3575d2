/**
 * Forgetting what is long over. A clock that is wrong, once or for a while, must not erase what people have granted: an
 * entry goes only where two looks at it, a week apart, both found it over.
 */
import type { Table } from '../store.ts'

const APART_MS = 7 * 24 * 3600 * 1000

interface Kind {
  readonly name: string
  readonly remove: (key: string) => void
  /** Keys, and whether what stands there is over for so long that nobody will ask about it again. */
  readonly entries: () => readonly { readonly key: string; readonly isOver: boolean }[]
}

export const kind = <T>(name: string, table: Table<T>, isOver: (value: T) => boolean): Kind => ({
  name,
  remove: (key) => void table.remove(key),
  entries: () => [...table.getRange()].map(({ key, value }) => ({ key, isOver: isOver(value) })),
})

/** `seenOver` remembers when an entry was first found over (milliseconds since the epoch), by its kind and key. */
export function purge(kinds: readonly Kind[], seenOver: Table<number>, now: number): void {
  for (const { name, remove, entries } of kinds)
    for (const { key, isOver } of entries()) {
      const mark = `${name} ${key}`
      const first = seenOver.get(mark)
      if (!isOver) {
        if (first !== undefined) seenOver.remove(mark)
      } else if (first === undefined || first > now) seenOver.put(mark, now)
      else if (first + APART_MS <= now) {
        remove(key)
        seenOver.remove(mark)
      }
    }
}
