/** What `tieout doctor` asks the database of the state besides what it asks every database. */
import type pg from 'pg'
import type { Checks } from '../../../builder/workspace/check.ts'
import { NEWEST, SCHEMA, versionOf } from './schema.ts'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

export async function checkSchema(client: pg.Client, checks: Checks): Promise<void> {
  await checkIsolation(client, checks)
  // Who may not use the tables may not even ask for their version.
  if (!(await checkRights(client, checks))) return
  const version = await versionOf(client)
  const found = `version ${version}, and this program needs ${NEWEST}`
  if (version === NEWEST) checks.holds('schema', `version ${version}`)
  else if (version > NEWEST) checks.fail('schema', found, 'upgrade the program on this machine')
  else checks.fail('schema', found, 'run "tieout state migrate" as the owner of the database')
}

/** Servers ask for this isolation by name; something in between, such as a pooler, may not pass it on. */
async function checkIsolation(client: pg.Client, checks: Checks): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
  const { rows } = await client.query<{ level: string }>(
    "SELECT current_setting('transaction_isolation') AS level",
  )
  await client.query('ROLLBACK')
  const level = rows[0]?.level ?? 'unknown'
  if (level === 'serializable') checks.holds('isolation', level)
  else
    checks.fail(
      'isolation',
      `${level}, although serializable was asked for`,
      'let nothing between server and database change transactions; a pooler must pool sessions',
    )
}

/** False where the tables are there and may not be used. */
async function checkRights(client: pg.Client, checks: Checks): Promise<boolean> {
  const { rows } = await client.query<{ name: string; is_open: boolean; lacks: string[] }>(
    `SELECT relname AS name, has_schema_privilege(n.oid, 'USAGE') AS is_open,
       array(SELECT needed FROM unnest($2::text[]) AS needed
         WHERE NOT has_table_privilege(pg_class.oid, needed)
         AND (relname <> 'schema_version' OR needed = 'SELECT')) AS lacks
     FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'`,
    [SCHEMA, RIGHTS],
  )
  const lacking = rows.filter(({ lacks }) => lacks.length > 0)
  const isOpen = rows.every(({ is_open }) => is_open)
  if (isOpen && lacking.length === 0) {
    if (rows.length > 0) checks.holds('rights', 'may read and change the tables')
    return true
  }
  checks.fail(
    'rights',
    isOpen
      ? lacking.map(({ name, lacks }) => `may not ${lacks.join(', ')} ${name}`).join('; ')
      : `may not use the schema ${SCHEMA}`,
    `GRANT USAGE ON SCHEMA ${SCHEMA} TO ...; GRANT ${RIGHTS.join(', ')} ON ALL TABLES IN SCHEMA ${SCHEMA} TO ...; as the owner`,
  )
  return false
}
