/**
 * Removes records that ended long ago. A clock that is wrong for a while must not delete grants: a durable record
 * is removed only where two checks, a week apart, both found that it had ended.
 */
import { z } from 'zod'
import type { RecordKind, Store, StoreChange, StoreEntry } from './store.ts'

const APART_MS = 7 * 24 * 3600 * 1000

/** When a record was first found to have ended (milliseconds since the epoch), by its kind and key. */
export const SEEN_OVER: RecordKind<number> = {
  name: 'seen-over',
  schema: z.number(),
  keeps: 'durable',
  forgottenAt: () => null,
}

/** Checks all records of these kinds, with one write for each kind. */
export async function forgetOver(
  store: Pick<Store, 'all' | 'write'>,
  kinds: readonly RecordKind<unknown>[],
  now: number,
): Promise<void> {
  for (const kind of kinds) {
    const entries = await store.all(kind)
    if (kind.keeps === 'durable') await forgetDurable(store, kind, entries, now)
    else await forgetPassing(store, kind, entries, now)
  }
}

const isOver = <T>(kind: RecordKind<T>, record: T, now: number): boolean => {
  const at = kind.forgottenAt(record)
  return at !== null && at <= now
}

async function forgetPassing(
  store: Pick<Store, 'write'>,
  kind: RecordKind<unknown>,
  entries: readonly StoreEntry<unknown>[],
  now: number,
): Promise<void> {
  const over = entries.filter(({ record }) => isOver(kind, record, now))
  if (over.length === 0) return
  await store.write(async (change) => {
    for (const { key } of over) {
      const record = await change.get(kind, key)
      if (record !== undefined && isOver(kind, record, now)) change.remove(kind, key)
    }
  })
}

async function forgetDurable(
  store: Pick<Store, 'all' | 'write'>,
  kind: RecordKind<unknown>,
  entries: readonly StoreEntry<unknown>[],
  now: number,
): Promise<void> {
  const seen = new Set((await store.all(SEEN_OVER)).map(({ key }) => key))
  // Most records have not ended and were never found so: they need no write.
  const doubtful = entries.filter(
    ({ key, record }) => isOver(kind, record, now) || seen.has(markOf(kind, key)),
  )
  if (doubtful.length === 0) return
  await store.write(async (change) => {
    for (const { key } of doubtful) await look(change, kind, key, now)
  })
}

const markOf = (kind: RecordKind<unknown>, key: string): string => `${kind.name} ${key}`

async function look(change: StoreChange, kind: RecordKind<unknown>, key: string, now: number): Promise<void> {
  const mark = markOf(kind, key)
  const [record, first] = [await change.get(kind, key), await change.get(SEEN_OVER, mark)]
  if (record === undefined || !isOver(kind, record, now)) {
    if (first !== undefined) change.remove(SEEN_OVER, mark)
  } else if (first === undefined || first > now) change.put(SEEN_OVER, mark, now)
  else if (first + APART_MS <= now) {
    change.remove(kind, key)
    change.remove(SEEN_OVER, mark)
  }
}
