/**
 * One write of the store as a transaction of PostgreSQL. It is serializable: the database itself makes sure that all
 * writes together have the result of some order one after the other, whatever they have read, also where a record
 * was missing or an owner had fewer records. Row locks would have to be thought of anew for each write.
 */

import type pg from 'pg'
import { type RecordKind, type StoreChange, StoreUnavailableError } from '../store.ts'
import { type Connections, codeOf, isBroken, isConflict, type Row, storeUnavailable } from './connections.ts'
import { placeOf } from './recent.ts'
import { SCHEMA } from './schema.ts'

/** Runs a statement, inside a transaction or by itself. */
export type Ask = (sql: string, values: readonly unknown[]) => Promise<readonly Row[]>
/** The reading half of a change. */
export type ReadBy = (ask: Ask) => Pick<StoreChange, 'get' | 'ofOwner'>

interface Written<T> {
  readonly result: T
  /** The changed records, as `placeOf` of recent.ts names them. */
  readonly places: readonly string[]
}

/** How often a transaction is tried: others may change what it has read, but not this often by chance. */
const ATTEMPTS_MAX = 100
const PAUSE_MS = 3
const PAUSE_MAX_MS = 100
/** How long a database that was lost during a commit may take to come back and tell whether it was done. */
const PATIENCE_MS = 4_000
const PROBE_MS = 100

// Where no index is used, PostgreSQL notes that all of the table was read, and any two writes are in conflict.
const BEGIN = 'BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off'
/** Applies all changes at once. Returns the number of the transaction, by which its outcome can be asked for later. */
const APPLY = `WITH removed AS (
    DELETE FROM ${SCHEMA}.records USING unnest($1::text[], $2::text[]) AS gone (kind, key)
    WHERE records.kind = gone.kind AND records.key = gone.key
  ), put AS (
    INSERT INTO ${SCHEMA}.records (kind, key, owner, record)
    SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])
    ON CONFLICT (kind, key) DO UPDATE SET owner = excluded.owner, record = excluded.record
  )
  SELECT pg_current_xact_id()::text AS number`

/** A failure of the database, as apart from one of the action. */
class QueryError extends Error {
  override readonly cause: unknown
  constructor(cause: unknown) {
    super('the database failed')
    this.cause = cause
  }
}

/** Throws what `action` throws, and a {@link StoreUnavailableError} where the database does not do its part. */
export async function writeIn<T>(
  connections: Connections,
  readBy: ReadBy,
  action: (change: StoreChange) => Promise<T>,
): Promise<Written<T>> {
  let broken = 0
  for (let i = 0; i < ATTEMPTS_MAX; i++) {
    const client = await connections.take()
    try {
      return await attempt(connections, client, readBy, action)
    } catch (problem) {
      if (!(problem instanceof QueryError)) throw problem
      const { cause } = problem
      // A connection that was closed while idle fails only when it is used.
      const mayPass = isConflict(cause) || (isBroken(cause) && broken++ === 0)
      if (!mayPass) throw storeUnavailable(connections.url, cause)
    }
    await pause(Math.random() * Math.min(PAUSE_MS * 2 ** i, PAUSE_MAX_MS))
  }
  throw new StoreUnavailableError('other processes change the same records all the time')
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Throws a {@link QueryError} where nothing was changed. Gives the connection back. */
async function attempt<T>(
  connections: Connections,
  client: pg.PoolClient,
  readBy: ReadBy,
  action: (change: StoreChange) => Promise<T>,
): Promise<Written<T>> {
  const ask: Ask = async (sql, values) => {
    try {
      return (await client.query<Row>(sql, [...values])).rows
    } catch (problem) {
      throw new QueryError(problem)
    }
  }
  const changes = collectChanges()
  let result: T
  let number: unknown = null
  try {
    await ask(BEGIN, [])
    result = await action({ ...readBy(ask), put: changes.put, remove: changes.remove })
    if (changes.places().length > 0) number = await apply(ask, changes)
  } catch (problem) {
    // A connection that cannot roll back is closed, and closing it rolls back.
    client.release(
      await client.query('ROLLBACK').then(
        () => false,
        () => true,
      ),
    )
    throw problem
  }
  const isCommitted = (await commit(client)) ?? (await wasCommitted(connections, number))
  if (!isCommitted) throw new QueryError(LOST)
  return { result, places: changes.places() }
}

const LOST = Object.assign(new Error('the transaction was lost with its connection'), { code: '40001' })

async function apply(ask: Ask, changes: Changes): Promise<unknown> {
  const { removed, put } = changes.all()
  const [row] = await ask(APPLY, [
    removed.map(({ kind }) => kind),
    removed.map(({ key }) => key),
    put.map(({ kind }) => kind),
    put.map(({ key }) => key),
    put.map(({ owner }) => owner),
    put.map(({ record }) => record),
  ])
  return row?.number
}

/**
 * Null where the connection was lost and the outcome is unknown yet. Throws a {@link QueryError} where the commit was
 * refused.
 */
async function commit(client: pg.PoolClient): Promise<true | null> {
  try {
    await client.query('COMMIT')
    client.release()
    return true
  } catch (problem) {
    const isRefused = codeOf(problem).length === 5 && !isBroken(problem)
    client.release(!isRefused)
    if (isRefused) throw new QueryError(problem)
    return null
  }
}

/**
 * Asks what has become of the transaction with this number. A code that was redeemed in it must not be tried again: it
 * would look like one that was stolen, and end the grant.
 */
async function wasCommitted(connections: Connections, number: unknown): Promise<boolean> {
  if (number === null) return false
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const isLate = performance.now() > until
    try {
      const [row] = await connections.query('SELECT pg_xact_status($1::text::xid8) AS fate', [number])
      if (row?.fate === 'committed') return true
      if (row?.fate === 'aborted') return false
    } catch (problem) {
      if (isLate) throw problem
    }
    if (isLate) throw new StoreUnavailableError('nobody knows whether the last change was done')
    await pause(PROBE_MS)
  }
}

interface Put {
  readonly kind: string
  readonly key: string
  readonly owner: string | null
  readonly record: string
}

/** What a write changes: for each record the last put or removal, to be applied together. */
interface Changes extends Pick<StoreChange, 'put' | 'remove'> {
  places(): readonly string[]
  all(): {
    readonly removed: readonly Pick<Put, 'kind' | 'key'>[]
    readonly put: readonly Put[]
  }
}

function collectChanges(): Changes {
  const changes = new Map<string, Pick<Put, 'kind' | 'key'> | Put>()
  let keeps: RecordKind<unknown>['keeps'] | null = null
  const note = <T>(kind: RecordKind<T>, key: string): string => {
    // As in files of lmdb, so that no write depends on which store it has.
    if (keeps !== null && keeps !== kind.keeps)
      throw new Error('one write changes durable and passing records')
    keeps = kind.keeps
    return placeOf(kind, key)
  }
  return {
    put: (kind, key, record) =>
      void changes.set(note(kind, key), {
        kind: kind.name,
        key,
        owner: kind.ownerOf?.(record) ?? null,
        record: JSON.stringify(record),
      }),
    remove: (kind, key) => void changes.set(note(kind, key), { kind: kind.name, key }),
    places: () => [...changes.keys()],
    all: () => {
      const values = [...changes.values()]
      return {
        removed: values.filter((change) => !('record' in change)),
        put: values.filter((change) => 'record' in change),
      }
    },
  }
}
