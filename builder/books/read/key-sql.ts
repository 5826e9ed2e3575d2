/** Turns the texts that name accounts, classes and departments into their codes in SQL. A text that names none becomes NULL. */

import { type Database, quoted } from '../../database/database.ts'
import { BEFORE_COMPANY, type KeysTo } from '../../ingest/format/keys.ts'

/** Maps the texts that may name an account or member to its code, or to null where a text could mean two. */
export type Keys = KeysTo<number>

export interface LedgerKeys {
  readonly accounts: Keys
  readonly classes: Keys
  readonly departments: Keys
}

/** The columns whose texts become codes. */
export const CODED = ['account', 'class', 'department'] as const

/**
 * SQL that adds a column `<column>_code` to `rows` for each of `columns`; 0 stands for a blank class or department. Nearly all texts are
 * keys as they stand, so that only the others are trimmed.
 */
export function codesSql(rows: string, columns: readonly (typeof CODED)[number][]): string {
  if (columns.length === 0) return rows
  const each = (sql: (column: (typeof CODED)[number]) => string): string => columns.map(sql).join(', ')
  const steps = [
    `*, ${each((column) => `${column}_key(${column}) AS ${column}_exact`)}`,
    `*, ${each((column) => `CASE WHEN ${column}_exact IS NULL THEN value_of(${column}) END AS ${column}_rest`)}`,
    `*, ${each((column) => `coalesce(${column}_exact, ${ofRest(column)}) AS ${column}_code`)}`,
  ]
  return steps.reduce((from, step) => `SELECT ${step} FROM (${from})`, rows)
}

const ofRest = (column: (typeof CODED)[number]): string =>
  column === 'account'
    ? `account_key(account_rest), account_key(regexp_extract(account_rest, ${quoted(BEFORE_COMPANY)}, 1))`
    : `CASE WHEN ${column}_rest IS NULL THEN 0 ELSE ${column}_key(${column}_rest) END`

/**
 * Creates the SQL macro `name(text)` that gives the code of an account or member. It uses an enumeration of the texts and a list of
 * codes, because a join would not keep the order of rows. The returned statement sets the list as a variable; each
 * connection must run it, because variables belong to a connection.
 */
export async function createKeys(db: Database, name: string, keys: Keys): Promise<string> {
  const known = [...keys].filter(([, code]) => code !== null)
  if (known.length === 0) {
    await db.run(`CREATE MACRO ${name}(t) AS NULL::INTEGER`)
    return ''
  }
  await db.run(`
    CREATE TYPE ${name} AS ENUM (${known.map(([key]) => quoted(key)).join(', ')});
    CREATE MACRO ${name}(t) AS getvariable('${name}')[enum_code(try_cast(t AS ${name})) + 1]`)
  return `SET VARIABLE ${name} = '[${known.map(([, code]) => code).join()}]'::INTEGER[]`
}
