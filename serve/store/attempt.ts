/**
 * One attempt at a write. It records what it read and what it is going to change. The code of the write may wait; the
 * check that nothing changed meanwhile and the changes are one short transaction of lmdb.
 */
import type { KindTable } from './kind-table.ts'
import type { LmdbFile } from './lmdb-file.ts'
import type { RecordKind, StoreChange } from './store.ts'

/** The table of a kind; throws where the store was opened without it. */
export type TableOf = <T>(kind: RecordKind<T>) => KindTable<T>

interface Attempt {
  readonly change: StoreChange
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
  const touched = <T>(kind: RecordKind<T>): KindTable<T> => {
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
        const seen = JSON.stringify(entries)
        holds.push(() => JSON.stringify(table.ofOwner(owner)) === seen)
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
