/** What `tieout doctor` asks every PostgreSQL database: whether it answers, its version, whether it takes changes, its clock. */
import pg from 'pg'
import type { Checks } from './check.ts'
import { databaseName, databaseProblem } from './database.ts'

const OLDEST_VERSION = 13
const CONNECT_MS = 10_000
/** With a larger difference of clocks, codes and tokens of one machine are too young or too old for another. */
const CLOCK_WARNING_MS = 1000
const CLOCK_FAILURE_MS = 5000

interface Server {
  readonly version: number
  readonly is_read_only: boolean
  readonly now_ms: number
}

/** Enters the outcomes into `checks`. Then runs `more` with the connection, unless the database does not answer. */
export async function checkDatabase(
  url: string,
  checks: Checks,
  more: (client: pg.Client) => Promise<void> = async () => {},
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'tieout doctor',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const asked = Date.now()
    const { rows } = await client.query<Server>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version,
         current_setting('transaction_read_only')::bool AS is_read_only,
         extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms`,
    )
    const [server] = rows
    if (server === undefined) throw new Error('the database did not say what it is')
    checks.holds('answers', `PostgreSQL ${server.version} at ${databaseName(url)}`)
    checkServer(server, (asked + Date.now()) / 2, checks)
    await more(client)
  } catch (problem) {
    checks.fail(
      'answers',
      databaseProblem(url, problem).message,
      'correct its address in tieout.yaml, or what the message says',
    )
  } finally {
    await client.end().catch(() => {})
  }
}

function checkServer({ version, is_read_only, now_ms }: Server, now: number, checks: Checks): void {
  if (version < OLDEST_VERSION)
    checks.fail('version', `PostgreSQL ${version}`, `upgrade it to PostgreSQL ${OLDEST_VERSION} or later`)
  if (is_read_only)
    checks.fail(
      'takes changes',
      'it is a standby, or set to read-only',
      'name the primary in tieout.yaml, or promote the standby',
    )
  else checks.holds('takes changes', 'yes')
  const difference = Math.abs(now_ms - now)
  const found = `${(difference / 1000).toFixed(1)} s between its clock and that of this machine`
  const remedy = 'let both machines synchronise their clocks (chrony, systemd-timesyncd)'
  if (difference > CLOCK_FAILURE_MS) checks.fail('clock', found, remedy)
  else if (difference > CLOCK_WARNING_MS) checks.warn('clock', found, remedy)
  else checks.holds('clock', found)
}
