/** The table of one kind of record in a file of lmdb. */
import type { LmdbFile } from './lmdb-file.ts'
import { createParsed } from './parsed.ts'
import type { RecordKind, StoreEntry } from './store.ts'

export interface KindTable<T> {
  readonly file: LmdbFile
  text(key: string): string | undefined
  /** Throws where the stored text is not a record of this kind. */
  get(key: string): T | undefined
  /** In the order of their keys. */
  entries(): readonly StoreEntry<T>[]
  /** Looks at every record, which only what people do by hand waits for: to sign in, to consent, to see what they granted. */
  ofOwner(owner: string): readonly StoreEntry<T>[]
  /** Must be called inside a transaction of the file. */
  put(key: string, record: T): void
  remove(key: string): void
}

export function openKind<T>(file: LmdbFile, kind: RecordKind<T>): KindTable<T> {
  const { name } = kind
  const parsed = createParsed(kind)
  const text = (key: string): string | undefined => file.table(name).get(key)
  const entries = (): readonly StoreEntry<T>[] =>
    Array.from(file.table(name).getRange(), ({ key, value }) => ({ key, record: parsed.record(key, value) }))
  return {
    file,
    text,
    get: (key) => {
      const found = text(key)
      return found === undefined ? undefined : parsed.record(key, found)
    },
    entries,
    ofOwner: (owner) => entries().filter(({ record }) => kind.ownerOf?.(record) === owner),
    put: (key, record) => void file.table(name).put(key, JSON.stringify(record)),
    remove: (key) => void file.table(name).remove(key),
  }
}
