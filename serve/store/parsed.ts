/**
 * Parses texts to records. A text that was parsed before is only compared, since access tokens ask for the same records
 * again and again.
 */
import { LRUCache } from 'lru-cache'
import type { RecordKind } from './store.ts'

const KEPT_MAX = 5000

export interface RecordParser<T> {
  /** Throws where `text` is not a record of this kind. */
  record(key: string, text: string): T
}

interface Known<T> {
  readonly text: string
  readonly record: T
}

export function createParsed<T>({ name, schema }: Pick<RecordKind<T>, 'name' | 'schema'>): RecordParser<T> {
  const known = new LRUCache<string, Known<T>>({ max: KEPT_MAX })
  return {
    record: (key, text) => {
      const before = known.get(key)
      if (before?.text === text) return before.record
      const { success, data } = schema.safeParse(jsonOf(text))
      if (!success) throw new Error(`the record "${key}" of ${name} is damaged`)
      known.set(key, { text, record: data })
      return data
    },
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
