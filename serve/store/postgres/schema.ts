/**
 * The tables of the state in PostgreSQL, and the steps that make them. Steps are appended and never changed: a
 * database remembers which of them it has had.
 */
import pg from 'pg'
import { DatabaseError } from '../../../builder/system/refusals.ts'
import { databaseName, databaseProblem } from '../../../builder/workspace/database.ts'
import { codeOf, connectionSettings } from './connections.ts'

export const SCHEMA = 'tieout_state'

/** Records are texts, which kinds.ts and the schemas of their kinds give a meaning; a new kind needs no step. */
// Servers of before lent each other requests of `windows`; nothing reads it any more.
const STEPS: readonly string[] = [
  `CREATE TABLE ${SCHEMA}.records (
     kind text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     owner text COLLATE "C",
     record text NOT NULL,
     PRIMARY KEY (kind, key)
   ) WITH (fillfactor = 80);
   CREATE INDEX records_by_owner ON ${SCHEMA}.records (kind, owner) WHERE owner IS NOT NULL;
   CREATE TABLE ${SCHEMA}.throttles (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint);
   CREATE UNLOGGED TABLE ${SCHEMA}.windows (
     grant_id text COLLATE "C" PRIMARY KEY,
     id bigint NOT NULL,
     ends_at timestamptz NOT NULL,
     rest integer NOT NULL,
     lent integer NOT NULL
   ) WITH (fillfactor = 50);`,
]
export const NEWEST = STEPS.length

/** The first key of our advisory lock; it is held while steps are taken, by one server at a time. */
const LOCK = 7_155_306
const LOCK_MS = 60_000

interface Migrated {
  readonly from: number
  readonly to: number
}

/**
 * Brings the schema of the database at `url` to the newest version; several may do so at once. Throws a {@link DatabaseError} where
 * it is of a later version of this program, or where the user may not change it.
 */
export async function migrate(url: string): Promise<Migrated> {
  const client = new pg.Client({
    ...connectionSettings(url),
    query_timeout: LOCK_MS,
    statement_timeout: LOCK_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    // Most starts find everything there, which a user without any right to change the schema may look at.
    const found = await versionOf(client)
    if (found === NEWEST) return { from: found, to: found }
    requireKnown(url, found)
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const from = await versionOf(client)
    requireKnown(url, from)
    if (from === 0) await begin(client)
    for (const step of STEPS.slice(from)) await client.query(step)
    await client.query(`UPDATE ${SCHEMA}.schema_version SET version = $1`, [NEWEST])
    await client.query('COMMIT')
    return { from, to: NEWEST }
  } catch (problem) {
    throw problemOf(url, problem)
  } finally {
    await client.end().catch(() => {})
  }
}

async function begin(client: pg.Client): Promise<void> {
  // An administrator may have made the schema for a user who cannot.
  const { rowCount } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [SCHEMA])
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${SCHEMA}`)
  await client.query(`CREATE TABLE ${SCHEMA}.schema_version (version integer NOT NULL)`)
  await client.query(`INSERT INTO ${SCHEMA}.schema_version VALUES (0)`)
}

/** 0 where there is no schema yet. */
export async function versionOf(client: pg.Client): Promise<number> {
  // Asked of the catalogue itself: to_regclass may answer from before another server made the table.
  const { rowCount } = await client.query(
    'SELECT 1 FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relname = $2',
    [SCHEMA, 'schema_version'],
  )
  if (rowCount === 0) return 0
  const version = await client.query<{ version: number }>(`SELECT version FROM ${SCHEMA}.schema_version`)
  return version.rows[0]?.version ?? 0
}

function requireKnown(url: string, version: number): void {
  if (version > NEWEST)
    throw new DatabaseError(
      `the state in ${databaseName(url)} has version ${version} of the schema, and this program knows ${NEWEST}: upgrade the program`,
    )
}

function problemOf(url: string, problem: unknown): DatabaseError {
  if (problem instanceof DatabaseError) return problem
  if (codeOf(problem) === '42501')
    return new DatabaseError(
      `the state in ${databaseName(url)} needs a change of its schema that this user may not make: run "tieout state migrate" as the owner of the database, or let this user own it`,
      { cause: problem },
    )
  return databaseProblem(url, problem)
}
