/**
 * Names rows of Parquet ledgers by their keys, for findings, and shows them as they stand in the file. A row in a lake has no number
 * that anybody could look for.
 */

import { type Database, foldersOf, openDatabase, parquetSql, tablesOf } from '../../../database/database.ts'
import type { LedgerInput, LedgerParquet } from '../../../ingest/format/intake.ts'
import type { LedgerColumn } from '../../../ingest/format/ledger-columns.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import { LEFT_OUT } from '../left-out.ts'
import { PLACE, valueSql } from './rows.ts'

/** The key of a record: the entry and the line that it names; null where it names none. */
interface RecordKey {
  readonly entry: string | null
  readonly line: string | null
}

/**
 * Findings about rows of Parquet files with the key of the row in the place of its number: nobody can look for the n-th record
 * of a file in a lake, and a query finds an entry.
 */
export async function withKeys(
  db: Database,
  inputs: readonly LedgerInput[],
  findings: readonly Finding[],
): Promise<Finding[]> {
  const files = new Map(
    inputs.flatMap((input, i) =>
      input.kind === 'parquet' && input.query === undefined ? [[input.file, { input, i }] as const] : [],
    ),
  )
  const keys = new Map<string, ReadonlyMap<number, RecordKey>>()
  for (const [file, { input, i }] of files) {
    const rows = findings.flatMap((found) => (found.file === file && found.row !== null ? [found.row] : []))
    if (rows.length > 0) keys.set(file, await keysOf(db, input, i, rows))
  }
  return findings.map((found) => {
    const own = found.file === null || found.row === null ? undefined : keys.get(found.file)
    return own === undefined || found.row === null ? found : named(found, found.row, own.get(found.row))
  })
}

async function keysOf(
  db: Database,
  input: LedgerParquet,
  file: number,
  rows: readonly number[],
): Promise<ReadonlyMap<number, RecordKey>> {
  const text = (column: LedgerColumn) => `${valueSql(input, column, 0)}::VARCHAR`
  const records =
    input.table === undefined
      ? `SELECT ${PLACE} AS row, ${text('transaction_id')} AS entry, ${text('line_id')} AS line FROM ${parquetSql(input.path)}`
      : await linesRead(db, file)
  const found = await db.rows<{ row: string; entry: string | null; line: string | null }>(
    `SELECT row, any_value(entry) AS entry, any_value(line) AS line FROM (${records})
     WHERE row IN (${[...new Set(rows)].join(', ')}) GROUP BY row`,
  )
  return new Map(found.map(({ row, ...key }) => [Number(row), key]))
}

/** The tables that hold lines of a file, at one time or another. */
const TABLES = ['line', 'posting', 'opening_line', LEFT_OUT]

/** The query for the keys of all rows of a file that is not here. A line without an entry has an empty one after the checks. */
const linesRead = async (db: Database, file: number): Promise<string> =>
  (await tablesOf(db, TABLES))
    .map((table) => `SELECT row, nullif(tx, '') AS entry, line_id AS line FROM ${table} WHERE file = ${file}`)
    .join(' UNION ALL ')

function named(found: Finding, row: number, key: RecordKey | undefined): Finding {
  const { entry = null, line = null } = key ?? {}
  const isSaid = line === null && entry !== null && found.message.includes(entry)
  const words = [...(entry === null ? [] : [`entry ${entry}`]), ...(line === null ? [] : [`line ${line}`])]
  const name = words.length === 0 ? `record ${row} of the file` : words.join(', ')
  return { ...found, row: null, message: isSaid ? found.message : `${name}: ${found.message}` }
}

/** Records of the Parquet file at `path` as JSON, by their place in it. */
export async function recordTexts(path: string, rows: ReadonlySet<number>): Promise<Map<number, string>> {
  const db = await openDatabase({ folders: foldersOf([path]) })
  try {
    const found = await db.rows<{ row: string; text: string }>(
      `SELECT place AS row, to_json(whole)::VARCHAR AS text FROM (SELECT ${PLACE} AS place, "the record" AS whole FROM ${parquetSql(path)} AS "the record")
       WHERE place IN (${[...rows].join(', ')})`,
    )
    return new Map(found.map(({ row, text }) => [Number(row), text]))
  } finally {
    db.close()
  }
}
