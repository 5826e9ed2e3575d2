/**
 * The connections of this process to the database of the state. First file of the room that keeps the state in
 * PostgreSQL. Every failure of the database is a {@link StoreUnavailableError} within some seconds, so that whoever
 * waits can be answered. Must not know what is kept.
 */
import pg from 'pg'
import { databaseProblem } from '../../../builder/workspace/database.ts'
import { StoreUnavailableError } from '../store.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Connections {
  readonly url: string
  /** The pool of pg, for libraries with queries of their own. */
  readonly pool: pg.Pool
  /** One statement by itself. It is tried once more where its connection was closed before, as after a restart of the database. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** A connection for a transaction; whoever takes it releases it. */
  take(): Promise<pg.PoolClient>
  close(): Promise<void>
}

/** The most connections of the pool. */
const CONNECTIONS_MAX = 8
/** A database that does not answer within this time counts as away: clients get 503 and come again. */
const CONNECT_MS = 3_000
const ANSWER_MS = 5_000
/** The database rolls back a transaction that was idle for so long, because its server hangs. */
const IDLE_MS = 15_000

export const connectionSettings = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'tieout serve',
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: ANSWER_MS,
  // The database stops a statement when this process no longer waits for it.
  statement_timeout: ANSWER_MS,
  idle_in_transaction_session_timeout: IDLE_MS,
  keepAlive: true,
})

export function openConnections(url: string): Connections {
  const pool = new pg.Pool({ ...connectionSettings(url), max: CONNECTIONS_MAX })
  // The error of a closed idle connection needs no handling: the pool opens another one.
  pool.on('error', () => {})
  // A connection in use reports its error to the query; without a listener the process would end.
  pool.on('connect', (client) => void client.on('error', () => {}))
  let ended: Promise<void> | null = null
  const query = async (sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, [...values])).rows
  return {
    url,
    pool,
    query: (sql, values) =>
      query(sql, values)
        .catch((problem) => {
          if (!isBroken(problem)) throw problem
          return query(sql, values)
        })
        .catch((problem) => {
          throw storeUnavailable(url, problem)
        }),
    take: async () => {
      try {
        return await pool.connect()
      } catch (problem) {
        throw storeUnavailable(url, problem)
      }
    },
    // The pool refuses to end twice.
    close: () => {
      ended ??= pool.end()
      return ended
    },
  }
}

export const storeUnavailable = (url: string, problem: unknown): StoreUnavailableError =>
  problem instanceof StoreUnavailableError
    ? problem
    : new StoreUnavailableError(databaseProblem(url, problem).message, { cause: problem })

/** SQLSTATE, or a code of the operating system; appendix A of PostgreSQL's manual. */
export const codeOf = (problem: unknown): string => {
  const { code } = (problem ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** The connection is gone: class 08, 57P01 to 57P03 (shutdown), 25P03 (it was idle), a socket that was closed, or no code at all. */
export const isBroken = (problem: unknown): boolean =>
  /^(08\w{3}|57P0[123]|25P03|E[A-Z]+)$/.test(codeOf(problem)) ||
  (codeOf(problem) === '' && /[Cc]onnection (terminated|ended|closed)/.test(String(problem)))

/** Another transaction interfered: serialization failure, deadlock, or a row of the same key that was inserted first. */
export const isConflict = (problem: unknown): boolean => ['40001', '40P01', '23505'].includes(codeOf(problem))
