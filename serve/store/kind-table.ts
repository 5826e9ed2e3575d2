/** The table of one kind of record in a file of lmdb, and where records have owners a second table of keys by owner. */
import type { LmdbFile } from './lmdb-file.ts'
import { createParsed } from './parsed.ts'
import type { RecordKind, StoreEntry } from './store.ts'

export interface KindTable<T> {
  readonly file: LmdbFile
  text(key: string): string | undefined
  /** Throws where the stored text is not a record of this kind. */
  get(key: string): T | undefined
  entries(): readonly StoreEntry<T>[]
  keysOfOwner(owner: string): readonly string[]
  ofOwner(owner: string): readonly StoreEntry<T>[]
  /** Must be called inside a transaction of the file. */
  put(key: string, record: T): void
  remove(key: string): void
  /** Keys of records that an earlier version wrote without noting their owners. */
  unowned(): readonly string[]
  /** Must be called inside a transaction of the file. */
  noteOwners(keys: readonly string[]): void
}

const ownersName = (name: string): string => `${name}-by-owner`

/** Names of the tables that this kind needs. */
export const tableNames = <T>(kind: RecordKind<T>): readonly string[] =>
  kind.ownerOf === undefined ? [kind.name] : [kind.name, ownersName(kind.name)]

/** The value of an entry by owner, of which only the key matters. */
const NOTED = '1'
/** The character after the blank that ends an owner, as the end of a range of keys. */
const AFTER_BLANK = '!'

export function openKind<T>(file: LmdbFile, kind: RecordKind<T>): KindTable<T> {
  const { name } = kind
  const parsed = createParsed(kind)
  const text = (key: string): string | undefined => file.table(name).get(key)
  const get = (key: string): T | undefined => {
    const found = text(key)
    return found === undefined ? undefined : parsed.record(key, found)
  }
  const ownerOf = (record: T): string | null => kind.ownerOf?.(record) ?? null
  const placeOf = (owner: string, key: string): string => `${owner} ${key}`
  const forgetOwner = (key: string, owner: string | null): void => {
    if (owner !== null) file.table(ownersName(name)).remove(placeOf(owner, key))
  }
  const noteOwner = (key: string, owner: string | null): void => {
    if (owner !== null) file.table(ownersName(name)).put(placeOf(owner, key), NOTED)
  }
  const ownerAt = (key: string): string | null => {
    const record = get(key)
    return record === undefined ? null : ownerOf(record)
  }
  const entries = (): readonly StoreEntry<T>[] =>
    Array.from(file.table(name).getRange(), ({ key, value }) => ({ key, record: parsed.record(key, value) }))
  const keysOfOwner = (owner: string): readonly string[] => {
    const range = { start: `${owner} `, end: `${owner}${AFTER_BLANK}` }
    const found = file.table(ownersName(name)).getRange(range)
    return Array.from(found, ({ key }) => key.slice(owner.length + 1))
  }
  return {
    file,
    text,
    get,
    entries,
    keysOfOwner,
    ofOwner: (owner) =>
      keysOfOwner(owner).flatMap((key) => {
        const record = get(key)
        return record === undefined ? [] : [{ key, record }]
      }),
    put: (key, record) => {
      const [before, owner] = [ownerAt(key), ownerOf(record)]
      if (before !== owner) forgetOwner(key, before)
      file.table(name).put(key, JSON.stringify(record))
      if (before !== owner) noteOwner(key, owner)
    },
    remove: (key) => {
      forgetOwner(key, ownerAt(key))
      file.table(name).remove(key)
    },
    unowned: () => {
      if (kind.ownerOf === undefined) return []
      const noted = new Set(Array.from(file.table(ownersName(name)).getRange(), ({ key }) => key))
      return entries().flatMap(({ key, record }) => {
        const owner = ownerOf(record)
        return owner === null || noted.has(placeOf(owner, key)) ? [] : [key]
      })
    },
    noteOwners: (keys) => {
      for (const key of keys) noteOwner(key, ownerAt(key))
    },
  }
}
