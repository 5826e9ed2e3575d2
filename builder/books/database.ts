/** DuckDB, as the books use it: text in, exact integers out. The only file of the product that imports it. */

import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { present } from '../contract/present.ts'

/**
 * Required, not imported: to tell the names that CommonJS exports, Node would parse all of the package first, for twice as
 * long. And when a database is opened: what needs none, such as a build with nothing to do, does not wait for it.
 */
const duckdb = () => createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api')

/** Rows of a full row group, in tables and in Parquet. */
export const ROW_GROUP = 122_880

export type Column = Float64Array | Int32Array | Int16Array | Int8Array
export type Cell = string | number | boolean | null

/** Text as an SQL literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** A name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

export interface Database {
  run(sql: string): Promise<void>
  /** Small results: each value exact, as text (DECIMAL and BIGINT too), boolean or null. */
  rows<Row extends Record<string, unknown>>(sql: string): Promise<Row[]>
  /** The row of a query that always has exactly one, such as a sum over all. */
  row<Row extends Record<string, unknown>>(sql: string): Promise<Row>
  /** Large numeric results as typed columns, NULL-free: DOUBLE (integers are exact below 2^53), INTEGER, SMALLINT, TINYINT. */
  columns(sql: string, count: number): Promise<Column[]>
  /** Large results by the batch, column by column, as exact text or NULL: cast to VARCHAR what is none. */
  texts(sql: string): AsyncIterable<(string | null)[][]>
  /** Fills `table` with rows of VARCHAR, BIGINT/INTEGER (numbers) or BOOLEAN values, in the order of its columns. */
  append(table: string, rows: Iterable<readonly Cell[]>): Promise<void>
  /** The same tables through a connection of its own, for a query beside others; closing it closes that alone. */
  connect(): Promise<Database>
  /** The query that runs on this connection, if any, ends with an error. */
  interrupt(): void
  /** Safe to call again. */
  close(): void
}

export interface DatabaseOptions {
  readonly threads?: number
  readonly memoryLimit?: string
  /** False: what does not fit into memory is an error, instead of going to files. */
  readonly spill?: boolean
  /** Folder for these files, made where it is needed (default: `.tmp` in the current one). */
  readonly spillTo?: string
}

/**
 * What one of `count` processes takes of the machine, each with a database of its own. Tables that do not fit go to files:
 * a ledger of a gigabyte is built in less than two, beside what JavaScript needs.
 */
export const shareOf = (count: number): DatabaseOptions => ({
  threads: Math.max(1, Math.floor(availableParallelism() / count)),
  memoryLimit: `${Math.floor(Math.min(MEMORY_LIMIT, (totalmem() * MEMORY_PART) / count) / 1024 ** 2)}MB`,
})

/** DuckDB counts less than the system does: the resident memory of a build is some hundreds of megabytes more. */
const MEMORY_LIMIT = 1000 * 1024 ** 2
/** What DuckDB takes by itself, where it is alone. */
const MEMORY_PART = 0.8

/** A private in-memory database; nothing of it outlives {@link Database.close}. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const instance = await duckdb().DuckDBInstance.create(':memory:', {
    // Extensions cannot and must not be fetched: everything needed is built in.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // In memory too a checkpoint puts row groups together, whenever no other connection is at work: the published Parquet
    // has the groups of its table, and must not depend on that. It saves no memory here, and takes time.
    checkpoint_threshold: '1000TB',
    ...(options.threads ? { threads: String(options.threads) } : {}),
    ...(options.memoryLimit ? { memory_limit: options.memoryLimit } : {}),
    ...(options.spill === false
      ? { temp_directory: '', max_temp_directory_size: '0KB' }
      : { temp_directory: options.spillTo ?? spillFolder() }),
  })
  return databaseOn(instance, await instance.connect(), () => instance.closeSync())
}

/** Made by DuckDB when it is needed, and removed with the database; by default it would be `.tmp` in the current folder. */
const spillFolder = (): string => join(tmpdir(), `tieout-${randomUUID()}`)

function databaseOn(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  afterwards: () => void,
): Database {
  return {
    run: async (sql) => void (await connection.run(sql)),
    rows: (sql) => readRows(connection, sql),
    row: async <Row extends Record<string, unknown>>(sql: string) =>
      present((await readRows<Row>(connection, sql))[0], 'row of the query'),
    columns: (sql, count) => readColumns(connection, sql, count),
    texts: (sql) => readTexts(connection, sql),
    append: (table, rows) => appendRows(connection, table, rows),
    connect: async () => databaseOn(instance, await instance.connect(), () => {}),
    interrupt: () => connection.interrupt(),
    close: () => {
      connection.closeSync()
      afterwards()
    },
  }
}

const readRows = async <Row extends Record<string, unknown>>(
  connection: DuckDBConnection,
  sql: string,
): Promise<Row[]> => (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[]

async function* readTexts(connection: DuckDBConnection, sql: string): AsyncGenerator<(string | null)[][]> {
  const result = await connection.stream(sql)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) return
    yield chunk.getColumns() as (string | null)[][]
  }
}

async function readColumns(connection: DuckDBConnection, sql: string, count: number): Promise<Column[]> {
  const result = await connection.stream(sql)
  let columns: Column[] = []
  let length = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) break
    // Numeric vectors hold their values as one typed array of their kind.
    const vectors = Array.from({ length: count }, (_, i) => itemsOf(chunk.getColumnVector(i), chunk.rowCount))
    if (columns.length === 0) columns = vectors.map((vector) => sized(vector, 2048))
    const needed = length + chunk.rowCount
    columns = columns.map((column) => (needed > column.length ? enlarged(column, length, needed) : column))
    for (const [i, vector] of vectors.entries()) columns[i]?.set(vector, length)
    length = needed
  }
  if (columns.length === 0) return Array.from({ length: count }, () => new Float64Array(0))
  return columns.map((column) => column.subarray(0, length))
}

const itemsOf = (vector: unknown, rows: number): Column => {
  const { items } = vector as { items: Column }
  return items.length === rows ? items : items.subarray(0, rows)
}

/** With room for `needed` values at least, beside the `length` that it has. */
function enlarged(column: Column, length: number, needed: number): Column {
  const larger = sized(column, Math.max(column.length * 2, needed))
  larger.set(column.subarray(0, length))
  return larger
}

const sized = (like: Column, length: number): Column =>
  new (like.constructor as new (length: number) => Column)(length)

async function appendRows(
  connection: DuckDBConnection,
  table: string,
  rows: Iterable<readonly Cell[]>,
): Promise<void> {
  const appender = await connection.createAppender(table)
  for (const row of rows) {
    for (const value of row) {
      if (value === null) appender.appendNull()
      else if (typeof value === 'string') appender.appendVarchar(value)
      else if (typeof value === 'boolean') appender.appendBoolean(value)
      else appender.appendBigInt(BigInt(value))
    }
    appender.endRow()
  }
  appender.flushSync()
  appender.closeSync()
}
