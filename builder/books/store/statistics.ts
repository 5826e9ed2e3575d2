/**
 * Finds what the tables of a snapshot state about their rows falsely. A query with a condition passes over row groups whose statistics say
 * that nothing is there for it: false ones would hide lines from an audit trail, while every sum has them.
 */
import { basename } from 'node:path'
import {
  bloomMisses,
  type Database,
  identifier,
  numberedParquet,
  parquetFooters,
} from '../../database/database.ts'
import type { BookTable } from './shape.ts'

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
  tables: readonly BookTable[],
): Promise<{ readonly file: string; readonly message: string }[]> {
  const footers = tables.map(({ path }, i) => `SELECT ${i} AS file, * FROM ${parquetFooters(path)}`)
  await db.run(`CREATE OR REPLACE TABLE chunk AS ${footers.join(' UNION ALL ')}`)
  const groups = await db.rows<RowGroup>(`
    SELECT *, sum(rows) OVER (PARTITION BY file ORDER BY id) - rows AS first, first + rows - 1 AS last
    FROM (SELECT file, row_group_id AS id, any_value(row_group_num_rows) AS rows,
        to_json(list(column_id) FILTER (bloom_filter_offset IS NOT NULL)) AS filtered
      FROM chunk GROUP BY ALL) ORDER BY file, id`)
  const groupsOf = tables.map((_, i) => groups.filter(({ file }) => file === i))
  const endless = groupsOf.findIndex(({ length }) => length > MOST_ROW_GROUPS)
  if (endless >= 0)
    return [
      {
        file: tables[endless]?.file ?? '',
        message: `is divided into ${groupsOf[endless]?.length} row groups, more than ${MOST_ROW_GROUPS}`,
      },
    ]
  await db.run(
    'CREATE OR REPLACE TABLE found (file INTEGER, id BIGINT, least VARCHAR[], most VARCHAR[], nulls BIGINT[], texts BOOLEAN[])',
  )
  for (const [i, { path, columns }] of tables.entries()) {
    const list = (of: (column: string, type: string) => string) =>
      `[${columns.map(({ name, type }) => of(identifier(name), type)).join(', ')}]`
    const found = [
      ...['min', 'max'].map((bound) => list((column) => `${bound}(${column})::VARCHAR`)),
      list((column) => `count(*) - count(${column})`),
      list((_, type) => String(type === 'VARCHAR')),
    ]
    for (const group of groupsOf[i] ?? [])
      await db.run(
        `INSERT INTO found SELECT ${i}, ${group.id}, ${found.join(', ')} FROM ${rowsOf(path, group)}`,
      )
  }
  const hiding = await db.rows<{ file: number; id: number }>(HIDING)
  const problems: { file: string; message: string }[] = []
  for (const [i, { file, path, columns }] of tables.entries())
    for (const [id, { name }] of columns.entries()) {
      const own = COMPARED.includes(name)
        ? (groupsOf[i] ?? []).filter(({ filtered }) => JSON.parse(filtered ?? '[]').includes(id))
        : []
      if (hiding.some((at) => at.file === i && at.id === id) || (await isMissed(db, path, own, name)))
        problems.push({
          file,
          message: `has statistics of ${name} that do not follow from its rows: queries pass over some`,
        })
    }
  await db.run('DROP TABLE chunk; DROP TABLE found')
  return problems
}

interface RowGroup extends Record<string, unknown> {
  /** The position of its table. */
  readonly file: number
  readonly id: string
  /** The numbers of its first and last row in the file. */
  readonly first: string
  readonly last: string
  /** JSON: the positions of the columns that have a Bloom filter; null for none. */
  readonly filtered: string | null
}

/** SQL for the rows of a row group, which reads them all. */
const rowsOf = (path: string, { first, last }: RowGroup): string =>
  `${numberedParquet(path)} WHERE file_row_number BETWEEN ${first} AND ${last}`

/** SQL for whether a bound that the footer states holds; that of a text may lie further out, as one does that comes from a dictionary. */
const holds = (stated: string, comparison: string, bound: string): string =>
  // DuckDB shows bytes that are no text as \x.., which is in another order than the bytes.
  `coalesce(${stated} = ${bound} OR (is_text AND ${stated} ${comparison} ${bound} AND NOT contains(${stated}, '\\x')), true)`

/** SQL for the columns of which some row group states other bounds, or another number of NULLs, than it has. */
const HIDING = `
  SELECT DISTINCT file, column_id::INTEGER AS id FROM (
    SELECT chunk.*, least[column_id + 1] AS least, most[column_id + 1] AS most, nulls[column_id + 1] AS nulls,
      texts[column_id + 1] AS is_text
    FROM chunk JOIN found ON chunk.file = found.file AND row_group_id = found.id)
  WHERE NOT (coalesce(stats_null_count = nulls, true)
    AND ${holds('stats_min', '<=', 'least')} AND ${holds('stats_min_value', '<=', 'least')}
    AND ${holds('stats_max', '>=', 'most')} AND ${holds('stats_max_value', '>=', 'most')})`

/** Whether the Bloom filter of a column denies a value of its row group. `groups` are those that have one. */
async function isMissed(
  db: Database,
  path: string,
  groups: readonly RowGroup[],
  name: string,
): Promise<boolean> {
  if (groups.length === 0 || basename(path) === WITHOUT_FILTERS) return groups.length > 0
  const groupsOf = new Map<string, string[]>()
  for (const group of groups)
    for (const { value } of await db.rows<{ value: string | null }>(
      `SELECT DISTINCT ${identifier(name)} AS value FROM ${rowsOf(path, group)}`,
    ))
      if (value !== null) groupsOf.set(value, [...(groupsOf.get(value) ?? []), group.id])
  const probes = [...groupsOf].map(
    ([value, ids]) =>
      `SELECT 1 FROM ${bloomMisses(path, name, value)} WHERE row_group_id IN (${ids.join(', ')})`,
  )
  for (let first = 0; first < probes.length; first += BATCH)
    if ((await db.rows(probes.slice(first, first + BATCH).join(' UNION ALL '))).length > 0) return true
  return false
}
