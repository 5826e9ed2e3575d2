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
  /** Of pg, for what brings queries of its own. */
  readonly pool: pg.Pool
  /** One statement by itself. It is tried once more where its connection was closed before, as after a restart of the database. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** A connection for a transaction; whoever takes it releases it. */
  take(): Promise<pg.PoolClient>
  close(): Promise<void>
}

/** Beside those of a transaction, there is one connection that listens. */
const CONNECTIONS_MAX = 8
/** A database that is not there within this time is away: clients get 503 and come again. */
const CONNECT_MS = 3_000
const ANSWER_MS = 5_000
/** After this time, the database takes back what a server has begun that hangs. */
const IDLE_MS = 15_000

export const connectionSettings = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'tieout serve',
  connectionTimeoutMillis: CONNECT_MS,
  query_timeout: ANSWER_MS,
  // Ends what this side no longer waits for.
  statement_timeout: ANSWER_MS,
  idle_in_transaction_session_timeout: IDLE_MS,
  keepAlive: true,
})

export function openConnections(url: string): Connections {
  const pool = new pg.Pool({ ...connectionSettings(url), max: CONNECTIONS_MAX })
  // An idle connection was closed; the pool opens another one when it is needed.
  pool.on('error', () => {})
  // One that is in use tells its query; without a listener the process would end.
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
          throw unavailable(url, problem)
        }),
    take: async () => {
      try {
        return await pool.connect()
      } catch (problem) {
        throw unavailable(url, problem)
      }
    },
    // The pool refuses to end twice.
    close: () => {
      ended ??= pool.end()
      return ended
    },
  }
}

export const unavailable = (url: string, problem: unknown): StoreUnavailableError =>
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

/** Another transaction was in between: serialization failure, deadlock, or one that inserted the same key first. */
export const isConflict = (problem: unknown): boolean => ['40001', '40P01', '23505'].includes(codeOf(problem))
