/** The tables of an export, whatever the format: queries over one database, with typed columns. */
import { copySql, type Database, quoted } from '../../database/database.ts'
import { FORMULA } from './formula-text.ts'
import type { TableName } from './names.ts'

/** `money` is exact decimal text with the decimals of the currency; a `date` is `YYYY-MM-DD`. */
export type ColumnKind = 'text' | 'money' | 'date' | 'integer'

export interface ExportColumn {
  readonly name: string
  readonly kind: ColumnKind
}

export interface ExportTable {
  readonly name: TableName
  readonly columns: readonly ExportColumn[]
  /** A query that returns the columns in this order and with these types; its rows are written in its order. */
  readonly query: string
  readonly decimals: number
  readonly rows: number
  /** Hash totals that a receiver can add up again, as exact decimal text. */
  readonly controlTotals: Readonly<Record<string, string>>
}

/** Counts the rows of a table and adds up its `money` columns. */
export async function countedTable(
  db: Database,
  table: Omit<ExportTable, 'rows' | 'controlTotals'>,
): Promise<ExportTable> {
  const money = table.columns.filter(({ kind }) => kind === 'money').map(({ name }) => name)
  const sums = money.map(
    (name) => `coalesce(sum(${name}), 0)::DECIMAL(38, ${table.decimals})::VARCHAR AS ${name}`,
  )
  const found = await db.row<Record<string, string>>(
    `SELECT ${['count(*)::VARCHAR AS counted', ...sums].join(', ')} FROM (${table.query})`,
  )
  const { counted, ...controlTotals } = found
  return { ...table, rows: Number(counted), controlTotals }
}

/** The query with all values as exact text, for formats that are written in JavaScript. */
export const asTexts = ({ columns, query }: Pick<ExportTable, 'columns' | 'query'>): string =>
  `SELECT ${columns.map(({ name }) => `${name}::VARCHAR`).join(', ')} FROM (${query})`

/**
 * Writes a table as Parquet, with `metadata` in the file. DuckDB streams it, so that memory does not grow with the
 * rows.
 */
export const writeParquet = (
  db: Database,
  { query }: ExportTable,
  path: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> =>
  db.run(
    copySql(
      query,
      path,
      `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880, KV_METADATA {${Object.entries(metadata)
        .map(([key, value]) => `${quoted(key)}: ${quoted(value)}`)
        .join(', ')}}`,
    ),
  )

/** Writes a table as CSV (RFC 4180, UTF-8, with header), where texts are no formulas. NULL is an empty cell, an empty text is `""`. */
export const writeCsv = (db: Database, { columns, query }: ExportTable, path: string): Promise<void> => {
  const cells = columns.map(({ name, kind }) =>
    kind === 'text'
      ? `CASE WHEN regexp_matches(${name}, ${quoted(FORMULA)}) THEN '''' || ${name} ELSE ${name} END AS ${name}`
      : name,
  )
  const rows = `SELECT ${cells.join(', ')} FROM (${query})`
  return db.run(copySql(rows, path, `FORMAT csv, HEADER, DELIMITER ',', COMPRESSION none`))
}
