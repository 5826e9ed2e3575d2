/**
 * The store in a PostgreSQL database, which any number of servers share. All records lie in one table and are
 * equally durable: pins too, since a client would get a mixture of two snapshots where one was lost.
 */

import { forgetOver, SEEN_OVER } from '../forgetting.ts'
import { durableOf, writeCopy } from '../lmdb-store.ts'
import { createParsed, type RecordParser } from '../parsed.ts'
import { type RecordKind, type Store, type StoreEntry, StoreUnavailableError } from '../store.ts'
import { type Connections, openConnections, type Row } from './connections.ts'
import { createRecent } from './recent.ts'
import { migrate, SCHEMA } from './schema.ts'
import { type Ask, type ReadBy, writeIn } from './transaction.ts'

export interface PostgresStore extends Store {
  readonly connections: Connections
}

const ONE = `SELECT key, record FROM ${SCHEMA}.records WHERE kind = $1 AND key = $2`
const OF_OWNER = `SELECT key, record FROM ${SCHEMA}.records WHERE kind = $1 AND owner = $2`
const EVERY = `SELECT key, record FROM ${SCHEMA}.records WHERE kind = $1`

/**
 * Opens the records of these kinds in the database at `url`. Throws a `DatabaseError` where it cannot be reached now, or its schema
 * cannot be brought to this version.
 */
export async function openPostgresStore(
  url: string,
  kinds: readonly RecordKind<unknown>[],
): Promise<PostgresStore> {
  await migrate(url)
  const connections = openConnections(url)
  const recent = createRecent()
  const entries = entriesBy(kinds)
  const readBy = readerOf(entries)
  const alone = readBy(connections.query)
  const get: Store['get'] = (kind, key) => recent.reading(kind, key, () => alone.get(kind, key))
  const store: PostgresStore = {
    connections,
    get,
    known: (kind, key) => recent.known(kind, key, () => get(kind, key)),
    ofOwner: alone.ofOwner,
    all: alone.all,
    write: async (action) => {
      const { result, places } = await writeIn(connections, readBy, action)
      for (const place of places) recent.changed(place)
      return result
    },
    forget: async (now) => {
      await forgetOver(store, kinds, now)
    },
    requireInPlace: async () => {
      const [row] = await connections.query(
        `SELECT current_setting('transaction_read_only')::bool AS is_read_only FROM ${SCHEMA}.schema_version`,
      )
      if (row?.is_read_only !== false) throw new StoreUnavailableError('the database takes no changes')
    },
    backup: async (folder) => {
      const all = [...durableOf(kinds), SEEN_OVER]
      // One statement, so that it is the state of one moment.
      const rows = await connections.query(
        `SELECT kind, key, record FROM ${SCHEMA}.records WHERE kind = ANY($1)`,
        [all.map(({ name }) => name)],
      )
      const entriesOf = (kind: RecordKind<unknown>) =>
        entries(
          kind,
          rows.filter((row) => row.kind === kind.name),
        )
      await writeCopy(folder, new Map(all.map((kind) => [kind, entriesOf(kind)])))
    },
    close: () => connections.close(),
  }
  return store
}

interface Reader extends ReturnType<ReadBy>, Pick<Store, 'all'> {}

type Entries = <T>(kind: RecordKind<T>, rows: readonly Row[]) => readonly StoreEntry<T>[]

/** Parses rows to records of the kinds that the store was opened with. */
function entriesBy(kinds: readonly RecordKind<unknown>[]): Entries {
  const parsers = new Map<RecordKind<unknown>, RecordParser<unknown>>(
    [...kinds, SEEN_OVER].map((kind) => [kind, createParsed(kind)]),
  )
  return <T>(kind: RecordKind<T>, rows: readonly Row[]) => {
    const parsed = parsers.get(kind)
    if (parsed === undefined) throw new Error(`this store was opened without ${kind.name}`)
    return rows.map(({ key, record }) => ({
      key: String(key),
      // The parser was made for this very kind.
      record: parsed.record(String(key), String(record)) as T,
    }))
  }
}

const readerOf =
  (entries: Entries): ((ask: Ask) => Reader) =>
  (ask) => ({
    get: async (kind, key) => entries(kind, await ask(ONE, [kind.name, key]))[0]?.record,
    ofOwner: async (kind, owner) => entries(kind, await ask(OF_OWNER, [kind.name, owner])),
    all: async (kind) => entries(kind, await ask(EVERY, [kind.name])),
  })
