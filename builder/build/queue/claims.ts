/**
 * The companies that a worker is building, as advisory locks of one connection to the database. PostgreSQL ends them
 * with the connection, so that the companies of a worker that dies in any way are free again.
 */
import pg from 'pg'
import { databaseProblem } from '../../workspace/database.ts'

/** The first key of our advisory locks; the second is a hash of the company. */
const CLASS = 7_155_305
/** How often the connection is tested, so that a cut one is noticed: TCP alone may take hours. */
const PROBE_MS = 5_000

/** How the connection of a worker begins its name; those of servers and of other commands begin otherwise. */
const APPLICATION = 'tieout worker '
const NAME = `substr(application_name, ${APPLICATION.length + 1})`

/** SQL that selects the name of the worker whose claim on the company in `column` holds, if there is one. */
export const CLAIMED_BY = (column: string): string =>
  `SELECT ${NAME} FROM pg_locks JOIN pg_stat_activity USING (pid)
   WHERE locktype = 'advisory' AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND classid = ${CLASS} AND objid::bigint = hashtext(${column})::bigint & 4294967295 AND granted`

/** SQL that selects the names of all workers that are connected, in order. */
export const WORKERS = `SELECT ${NAME} AS name FROM pg_stat_activity
  WHERE datname = current_database() AND starts_with(application_name, '${APPLICATION}') ORDER BY name`

export class Claims {
  readonly #client: pg.Client
  readonly #url: string
  readonly #probe: NodeJS.Timeout
  /** A connection may take its own lock twice, so that this process checks its own list first. */
  readonly #held = new Set<string>()

  private constructor(url: string, client: pg.Client, onLost: (problem: Error) => void) {
    this.#url = url
    this.#client = client
    client.on('error', onLost)
    client.on('end', () => onLost(new Error('the connection to the database has ended')))
    this.#probe = setInterval(() => void client.query('SELECT 1').catch(onLost), PROBE_MS)
  }

  /** `worker` is its machine and process id. `onLost` is called, more than once perhaps, when all claims are gone. */
  static async open(url: string, worker: string, onLost: (problem: Error) => void): Promise<Claims> {
    const client = new pg.Client({
      connectionString: url,
      application_name: `${APPLICATION}${worker}`,
      query_timeout: 2 * PROBE_MS,
      connectionTimeoutMillis: 2 * PROBE_MS,
      keepAlive: true,
    })
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (problem) {
      throw databaseProblem(url, problem)
    }
    return new Claims(url, client, onLost)
  }

  /** Returns false where this worker or another one builds the company. */
  async claim(company: string): Promise<boolean> {
    if (this.#held.has(company)) return false
    this.#held.add(company)
    const { rows } = await this.#lock('pg_try_advisory_lock', company)
    const isClaimed = rows[0]?.done === true
    if (!isClaimed) this.#held.delete(company)
    return isClaimed
  }

  async release(company: string): Promise<void> {
    await this.#lock('pg_advisory_unlock', company)
    this.#held.delete(company)
  }

  async close(): Promise<void> {
    clearInterval(this.#probe)
    this.#client.removeAllListeners('end')
    await this.#client.end().catch(() => {})
  }

  #lock(does: string, company: string): Promise<pg.QueryResult<{ readonly done: boolean }>> {
    return this.#client
      .query(`SELECT ${does}($1, hashtext($2)) AS done`, [CLASS, company])
      .catch((problem: unknown) => {
        throw databaseProblem(this.#url, problem)
      })
  }
}
