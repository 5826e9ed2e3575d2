/**
 * What this process read from the database within the last seconds, so that the guard can decide at once. A record
 * is never older than {@link OLDEST_MS} here, whatever happens to the database.
 */
import { LRUCache } from 'lru-cache'
import { OLDEST_MS, type RecordKind } from '../store.ts'

/** A record that is asked for again at this age is read again in the background. */
const RENEW_MS = 2_500
const KEPT_MAX = 20_000

interface Held {
  readonly record: unknown
  /** When the reading began, by the monotonic clock of this process. */
  readonly readAt: number
}

interface Recent {
  /** Null where the record must be read. `read` is called in the background where it should be read again. */
  known<T>(kind: RecordKind<T>, key: string, read: () => Promise<unknown>): T | null
  /** Runs `read` and remembers its result, unless the record was changed meanwhile or does not exist. */
  reading<T>(kind: RecordKind<T>, key: string, read: () => Promise<T | undefined>): Promise<T | undefined>
  /** The record was changed here. */
  changed(place: string): void
}

/** Names of kinds and keys have no line breaks. */
export const placeOf = (kind: Pick<RecordKind<unknown>, 'name'>, key: string): string =>
  `${kind.name}\n${key}`

export function createRecent(now: () => number = () => performance.now()): Recent {
  const held = new LRUCache<string, Held>({ max: KEPT_MAX })
  /** The newest reading of each record. A reading that is no longer listed may have read an outdated record. */
  const readings = new Map<string, object>()
  return {
    known: <T>(kind: RecordKind<T>, key: string, read: () => Promise<unknown>): T | null => {
      const place = placeOf(kind, key)
      const found = held.get(place)
      if (found === undefined) return null
      const age = now() - found.readAt
      if (age >= OLDEST_MS) return null
      // After a failure the record becomes too old, and whoever asks for it then gets the error.
      if (age >= RENEW_MS && !readings.has(place)) void read().catch(() => {})
      // It was put there for this very kind.
      return found.record as T
    },
    reading: async (kind, key, read) => {
      const place = placeOf(kind, key)
      const mine = {}
      readings.set(place, mine)
      const readAt = now()
      try {
        const record = await read()
        if (readings.get(place) !== mine) return record
        // A missing record is not remembered: another server may make it at any time.
        if (record === undefined) held.delete(place)
        else held.set(place, { record, readAt })
        return record
      } finally {
        if (readings.get(place) === mine) readings.delete(place)
      }
    },
    changed: (place) => {
      held.delete(place)
      readings.delete(place)
    },
  }
}
