/**
 * One attempt at a write. It records what it read and what it is to change, so that both can be checked and done in
 * one short transaction of lmdb, while the code in between may wait.
 */
import type { KindTable } from './kind-table.ts'
import type { LmdbFile } from './lmdb-file.ts'
import type { Change, Kind } from './store.ts'

/** The table of a kind; throws where the store was opened without it. */
export type TableOf = <T>(kind: Kind<T>) => KindTable<T>

export interface Attempt {
  readonly change: Change
  /** The file that would be changed; null where nothing would. Throws where there would be two. */
  file(): LmdbFile | null
  /**
   * Must be called inside a transaction of the file: applies the changes if everything that was read is still the
   * same; else does nothing and returns false.
   */
  commit(): boolean
}

export function beginAttempt(tableOf: TableOf): Attempt {
  const files = new Set<LmdbFile>()
  const holds: (() => boolean)[] = []
  const changes: (() => void)[] = []
  const touched = <T>(kind: Kind<T>): KindTable<T> => {
    const table = tableOf(kind)
    files.add(table.file)
    return table
  }
  return {
    change: {
      get: async (kind, key) => {
        const table = touched(kind)
        const text = table.text(key)
        holds.push(() => table.text(key) === text)
        return table.get(key)
      },
      ofOwner: async (kind, owner) => {
        const table = touched(kind)
        const entries = table.ofOwner(owner)
        const seen = entries.map(({ key }) => [key, table.text(key)] as const)
        holds.push(() => {
          const now = new Set(table.keysOfOwner(owner))
          return (
            now.size === seen.length && seen.every(([key, text]) => now.has(key) && table.text(key) === text)
          )
        })
        return entries
      },
      put: (kind, key, record) => {
        const table = touched(kind)
        changes.push(() => table.put(key, record))
      },
      remove: (kind, key) => {
        const table = touched(kind)
        changes.push(() => table.remove(key))
      },
    },
    file: () => {
      const [file = null, ...others] = files
      if (changes.length === 0) return null
      if (others.length > 0) throw new Error('one write changes durable and passing records')
      return file
    },
    commit: () => {
      if (!holds.every((still) => still())) return false
      for (const change of changes) change()
      return true
    },
  }
}
