/**
 * Finds what the tables of a snapshot state about their rows falsely. A query with a condition passes over row groups whose statistics say
 * that nothing is there for it: false ones would hide lines from an audit trail, while every sum has them.
 */
import { basename, join } from 'node:path'
import {
  bloomMisses,
  type Database,
  identifier,
  numberedParquet,
  parquetFooters,
  parquetSql,
} from '../../database/database.ts'
import { BOOK_TABLES } from './shape.ts'

/** The columns that queries compare with single values, where a Bloom filter counts too. */
const COMPARED = ['basis', 'account', 'class', 'department', 'kind', 'budget', 'month', 'metric']
/** Here those columns are enumerations, for which DuckDB writes no Bloom filter. */
const WITHOUT_FILTERS = 'postings.parquet'
/** Each takes a query. A table of a billion lines has 10,000. */
const MOST_ROW_GROUPS = 20_000
/** How many values one query looks for. */
const BATCH = 500

/** A sentence, with the file, for each column whose statistics leave out rows that it has. */
export async function falseStatistics(
  db: Database,
  folder: string,
): Promise<{ readonly file: string; readonly message: string }[]> {
  const problems: { file: string; message: string }[] = []
  for (const file of BOOK_TABLES)
    for (const message of await problemsOf(db, join(folder, file))) problems.push({ file, message })
  await db.run('DROP TABLE chunk; DROP TABLE IF EXISTS found')
  return problems
}

interface RowGroup extends Record<string, unknown> {
  readonly id: string
  /** SQL for its rows, which reads them all. */
  readonly rows: string
}

async function problemsOf(db: Database, path: string): Promise<string[]> {
  await db.run(`CREATE OR REPLACE TABLE chunk AS SELECT * FROM ${parquetFooters(path)}`)
  const groups = (
    await db.rows<{ id: string; first: string; last: string }>(`
      SELECT row_group_id AS id, sum(rows) OVER (ORDER BY row_group_id) - rows AS first, first + rows - 1 AS last
      FROM (SELECT row_group_id, any_value(row_group_num_rows) AS rows FROM chunk GROUP BY ALL) ORDER BY row_group_id`)
  ).map(({ id, first, last }) => ({
    id,
    rows: `${numberedParquet(path)} WHERE file_row_number BETWEEN ${first} AND ${last}`,
  }))
  if (groups.length > MOST_ROW_GROUPS)
    return [`is divided into ${groups.length} row groups, more than ${MOST_ROW_GROUPS}`]
  const columns = await db.rows<{ column_name: string; column_type: string }>(
    `DESCRIBE FROM ${parquetSql(path)}`,
  )
  const bounds = columns.map(({ column_name }, i) => {
    const column = identifier(column_name)
    return `min(${column}) AS least_${i}, max(${column}) AS most_${i}, count(*) - count(${column}) AS nulls_${i}`
  })
  const boundsOf = ({ id, rows }: RowGroup) => `SELECT ${id} AS id, ${bounds.join(', ')} FROM ${rows}`
  for (const [i, group] of groups.entries())
    await db.run(`${i === 0 ? 'CREATE OR REPLACE TABLE found AS' : 'INSERT INTO found'} ${boundsOf(group)}`)
  if (groups.length === 0) return []
  const hides = await db.row<Record<string, boolean>>(
    `SELECT ${columns.map(({ column_type }, i) => `${hidesSql(i, column_type)} AS of_${i}`).join(', ')}
     FROM found JOIN chunk ON id = row_group_id`,
  )
  const filtered = await db.rows<{ at: number; id: string }>(
    'SELECT column_id::INTEGER AS at, row_group_id AS id FROM chunk WHERE bloom_filter_offset IS NOT NULL',
  )
  const wrong: string[] = []
  for (const [i, { column_name }] of columns.entries()) {
    const ids = new Set(filtered.filter(({ at }) => at === i).map(({ id }) => id))
    const own = COMPARED.includes(column_name) ? groups.filter(({ id }) => ids.has(id)) : []
    if (hides[`of_${i}`] || (await isMissed(db, path, own, column_name))) wrong.push(column_name)
  }
  return wrong.map(
    (name) => `has statistics of ${name} that do not follow from its rows: queries pass over some`,
  )
}

/** SQL: whether the bounds or the number of NULLs of a column leave out what some row group has. */
function hidesSql(i: number, type: string): string {
  // DuckDB shows bytes that are no text as \x.., which is in another order than the bytes.
  const holds = (stated: string, comparison: string, value: string) =>
    `(${stated} IS NULL OR ${value} IS NULL OR coalesce(TRY_CAST(${stated} AS ${type}) ${comparison} ${value}, false)
      AND (${stated} = ${value}::VARCHAR OR NOT contains(${stated}, '\\x')))`
  return `bool_or(column_id = ${i} AND NOT (coalesce(stats_null_count = nulls_${i}, true)
    AND ${holds('stats_min', '<=', `least_${i}`)} AND ${holds('stats_min_value', '<=', `least_${i}`)}
    AND ${holds('stats_max', '>=', `most_${i}`)} AND ${holds('stats_max_value', '>=', `most_${i}`)}))`
}

/** Whether the Bloom filter of a column denies a value of its row group. `groups` are those that have one. */
async function isMissed(
  db: Database,
  path: string,
  groups: readonly RowGroup[],
  name: string,
): Promise<boolean> {
  if (groups.length === 0 || basename(path) === WITHOUT_FILTERS) return groups.length > 0
  const groupsOf = new Map<string, string[]>()
  for (const { id, rows } of groups)
    for (const { value } of await db.rows<{ value: string | null }>(
      `SELECT DISTINCT ${identifier(name)} AS value FROM ${rows}`,
    ))
      if (value !== null) groupsOf.set(value, [...(groupsOf.get(value) ?? []), id])
  const probes = [...groupsOf].map(
    ([value, ids]) =>
      `SELECT 1 FROM ${bloomMisses(path, name, value)} WHERE row_group_id IN (${ids.join(', ')})`,
  )
  for (let first = 0; first < probes.length; first += BATCH)
    if ((await db.rows(probes.slice(first, first + BATCH).join(' UNION ALL '))).length > 0) return true
  return false
}
