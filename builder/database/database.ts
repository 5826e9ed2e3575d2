/**
 * Owns DuckDB: text goes in, exact integers come out. No other file of the product imports DuckDB, nor names a file to it: DuckDB
 * reads meaning from the names of files and folders. Must not know what a posting is.
 */

import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'
import { present } from '../contract/present.ts'
import { removeTree } from '../system/durable.ts'
import { undoWhenStopped } from '../system/interrupt.ts'
import { portionOf, type Sharing } from '../system/machine.ts'
import { error, FindingsError } from '../workspace/findings/finding.ts'

/**
 * Loads DuckDB with `require` when the first database is opened. An `import` of a CommonJS package parses all of it to find the
 * exported names, which takes twice as long, and a command that needs no database should not wait for it.
 */
const duckdb = () => createRequire(import.meta.url)('@duckdb/node-api') as typeof import('@duckdb/node-api')

/** The number of rows in a full row group, in tables and in Parquet files. */
export const ROW_GROUP = 122_880

export type Column = Float64Array | Int32Array | Int16Array | Int8Array
/**
 * The value of a column at an index. Beyond the column's end it is NaN, which spoils every sum and so cannot go unnoticed. Loops
 * over millions of rows use figureAt of contract/figures.ts, which is faster for being called with one kind of array only.
 */
export const valueAt = (column: ArrayLike<number>, at: number): number => column[at] ?? Number.NaN

export type Cell = string | number | boolean | null

/** Text as an SQL literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** A name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The pattern that a path alone meets. DuckDB takes every path for a pattern. */
const patternOf = (path: string): string => resolve(path).replace(/[*?[]/g, '[$&]')

function fileText(path: string): string {
  const pattern = patternOf(path)
  // In a pattern a backslash separates folders.
  if (pattern.includes('\\') && pattern !== resolve(path))
    throw new FindingsError([
      error('unreadable-file', 'has both a backslash and one of * ? [ in its path, which cannot be opened', {
        file: path,
        remedy: 'rename the file, or the folders in which it lies',
      }),
    ])
  return quoted(pattern)
}

/** SQL for the rows of a CSV. The settings say what its columns are; nothing is detected. */
export const csvSql = (path: string, settings: string): string =>
  `read_csv(${fileText(path)}, auto_detect = false, header = false, compression = 'none', hive_partitioning = false,
    union_by_name = false, filename = false, ${settings})`

const listed = (paths: readonly string[]): string => `[${paths.map(fileText).join(', ')}]`

/** SQL for the rows of Parquet files with the same columns. Names of folders give no columns. */
export const parquetSql = (...paths: readonly string[]): string =>
  `read_parquet(${listed(paths)}, hive_partitioning = false, union_by_name = false, filename = false)`

/** SQL for what the footers of Parquet files state. */
export const parquetFooters = (...paths: readonly string[]): string => `parquet_metadata(${listed(paths)})`

/** SQL for the rows of a Parquet file with their numbers from 0, `file_row_number`. */
export const numberedParquet = (path: string): string =>
  `read_parquet(${fileText(path)}, hive_partitioning = false, file_row_number = true)`

/** SQL for the row groups of a Parquet file whose Bloom filter says that a value is not there. */
export const bloomMisses = (path: string, column: string, value: string): string =>
  `(FROM parquet_bloom_probe(${fileText(path)}, ${quoted(column)}, ${quoted(value)}) WHERE bloom_filter_excludes)`

/** SQL that writes the rows of a query into a file. */
export const copySql = (query: string, path: string, options: string): string =>
  `COPY (${query}) TO ${quoted(resolve(path))} (${options})`

export interface Database {
  run(sql: string): Promise<void>
  /** Reads a small result. Each value is exact: DECIMAL and BIGINT come as text. */
  rows<Row extends Record<string, unknown>>(sql: string): Promise<Row[]>
  /** As {@link rows}, for a large result: one row at a time. */
  eachRow<Row extends Record<string, unknown>>(sql: string): AsyncIterable<Row>
  /** Reads the only row of a query that always returns one, such as a total. */
  row<Row extends Record<string, unknown>>(sql: string): Promise<Row>
  /**
   * Reads a large numeric result as typed arrays, one for each of its `count` columns. The columns must be DOUBLE (exact for
   * integers below 2^53), INTEGER, SMALLINT or TINYINT, without NULL.
   */
  columns(sql: string, count: number): Promise<Column[]>
  /** As {@link columns}, but in parts of some thousand rows. */
  columnParts(sql: string, count: number): AsyncIterable<Column[]>
  /** Streams a large result in batches of columns. All columns must be VARCHAR; NULL comes as null. */
  texts(sql: string): AsyncIterable<(string | null)[][]>
  /** Appends rows to `table`. Values are text, whole numbers, booleans or null, in the order of the table's columns. */
  append(table: string, rows: Iterable<readonly Cell[]>): Promise<void>
  /** As {@link append}, for many numbers: parts of at most 2048 rows, as {@link columnParts} gives them. The columns are DOUBLE or INTEGER. */
  appendColumns(table: string, parts: AsyncIterable<readonly Column[]>): Promise<void>
  /** Opens another connection to the same tables, so that queries can run in parallel. Closing it leaves the others open. */
  connect(): Promise<Database>
  /** Cancels the query that runs on this connection, if any; it ends with an error. */
  interrupt(): void
  /** Closes the connection; further calls do nothing. */
  close(): void
}

/** Those of these tables that there are. */
export async function tablesOf(db: Database, names: readonly string[]): Promise<string[]> {
  const found = await db.rows<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE table_name IN (${names.map(quoted).join(', ')})`,
  )
  return found.map(({ name }) => name)
}

/** Whether there are rows of this kind; `rows` is what stands behind FROM. */
export async function isAny(db: Database, rows: string): Promise<boolean> {
  return (await db.row<{ found: boolean }>(`SELECT count(*) > 0 AS found FROM ${rows}`)).found
}

/** The names of the columns of a table, or of files given as SQL, in their order. */
export async function columnsOf(db: Database, table: string): Promise<string[]> {
  const columns = await db.rows<{ column_name: string }>(`DESCRIBE FROM ${table}`)
  return columns.map(({ column_name }) => column_name)
}

export interface DatabaseOptions {
  readonly threads?: number
  readonly memoryLimit?: string
  /** If false, a query that does not fit into memory fails instead of using temporary files. */
  readonly spill?: boolean
  /** The folder for temporary files, created when it is needed (default: a new one in the system's temporary folder). */
  readonly spillTo?: string
  /** The folders that SQL can reach, besides that for temporary files (default: none); null if {@link confine} is called later. */
  readonly folders?: readonly string[] | null
  /** Whether settings, such as the number of threads, are changed later. */
  readonly keepsSettings?: boolean
}

/** The part of the machine for the database of one of those who share it. Tables that do not fit go to temporary files. */
export function databaseFor(sharing: Sharing): DatabaseOptions {
  const { threads, bytes } = portionOf(sharing).database
  return { threads, memoryLimit: `${Math.floor(bytes / 1024 ** 2)}MB` }
}

/** Opens a private in-memory database. Nothing of it remains after {@link Database.close}. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const spillTo = options.spill === false ? null : (options.spillTo ?? spillFolder())
  const instance = await duckdb().DuckDBInstance.create(':memory:', {
    // Everything needed is built in, and nothing may be downloaded.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // A checkpoint merges row groups whenever no other connection is busy. The published Parquet has the row groups of its
    // table, so its bytes would depend on timing. A checkpoint of a database in memory saves no memory anyway.
    checkpoint_threshold: '1000TB',
    ...(options.threads ? { threads: String(options.threads) } : {}),
    ...(options.memoryLimit ? { memory_limit: options.memoryLimit } : {}),
    ...(spillTo === null
      ? { temp_directory: '', max_temp_directory_size: '0KB' }
      : { temp_directory: spillTo }),
  })
  const forget = undoWhenStopped(() => {
    if (spillTo !== null) removeTree(spillTo)
  })
  const db = databaseOn(instance, await instance.connect(), () => {
    instance.closeSync()
    forget()
  })
  const { folders = [], keepsSettings = true } = options
  if (folders !== null) await confine(db, folders, keepsSettings)
  return db
}

/** From now on SQL can reach no file outside of these folders, which cannot be taken back. */
export async function confine(
  db: Database,
  folders: readonly string[] = [],
  keepsSettings = true,
): Promise<void> {
  // DuckDB compares a pattern as it is written, and the files that it meets by where they lie.
  const allowed = new Set(folders.flatMap((folder) => [resolve(folder), patternOf(folder)]))
  await db.run(
    `SET allowed_directories = [${[...allowed].map(quoted).join(', ')}]; SET enable_external_access = false`,
  )
  if (keepsSettings) await db.run('SET lock_configuration = true')
}

/** The folders in which files lie, also where links lead elsewhere. */
export const foldersOf = (files: readonly string[]): string[] => [
  ...new Set(files.flatMap((file) => [file, ...(existsSync(file) ? [realpathSync(file)] : [])]).map(dirname)),
]

/** DuckDB creates this folder when it needs it and removes it with the database. Its own default is `.tmp` in the current folder. */
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
    eachRow: (sql) => readEachRow(connection, sql),
    columns: (sql, count) => readColumns(connection, sql, count),
    columnParts: (sql, count) => readColumnParts(connection, sql, count),
    texts: (sql) => readTexts(connection, sql),
    append: (table, rows) => appendRows(connection, table, rows),
    appendColumns: (table, parts) => appendColumns(connection, table, parts),
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

async function* readEachRow<Row extends Record<string, unknown>>(
  connection: DuckDBConnection,
  sql: string,
): AsyncGenerator<Row> {
  const result = await connection.stream(sql)
  for await (const rows of result.yieldRowObjectJson()) yield* rows as Row[]
}

async function* readTexts(connection: DuckDBConnection, sql: string): AsyncGenerator<(string | null)[][]> {
  for await (const chunk of chunksOf(connection, sql)) yield chunk.getColumns() as (string | null)[][]
}

async function* chunksOf(connection: DuckDBConnection, sql: string): AsyncGenerator<DuckDBDataChunk> {
  const result = await connection.stream(sql)
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) return
    yield chunk
  }
}

async function readColumns(connection: DuckDBConnection, sql: string, count: number): Promise<Column[]> {
  const columns: Column[][] = Array.from({ length: count }, () => [])
  for await (const part of readColumnParts(connection, sql, count))
    for (const [i, values] of part.entries()) columns[i]?.push(values)
  return columns.map(joined)
}

async function* readColumnParts(
  connection: DuckDBConnection,
  sql: string,
  count: number,
): AsyncGenerator<Column[]> {
  // A numeric vector holds its values in one typed array.
  for await (const chunk of chunksOf(connection, sql))
    yield Array.from({ length: count }, (_, i) => itemsOf(chunk.getColumnVector(i), chunk.rowCount))
}

const itemsOf = (vector: unknown, rows: number): Column => {
  const { items } = vector as { items: Column }
  return items.length === rows ? items : items.subarray(0, rows)
}

function joined(vectors: readonly Column[]): Column {
  const [first = new Float64Array(0)] = vectors
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0)
  const column = new (first.constructor as new (length: number) => Column)(length)
  let at = 0
  for (const vector of vectors) {
    column.set(vector, at)
    at += vector.length
  }
  return column
}

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

async function appendColumns(
  connection: DuckDBConnection,
  table: string,
  parts: AsyncIterable<readonly Column[]>,
): Promise<void> {
  const { DOUBLE, INTEGER, DuckDBDataChunk } = duckdb()
  const appender = await connection.createAppender(table)
  for await (const columns of parts) {
    const types = columns.map((column) => (column instanceof Float64Array ? DOUBLE : INTEGER))
    const chunk = DuckDBDataChunk.create(types, columns[0]?.length ?? 0)
    for (const [i, column] of columns.entries()) chunk.setColumnValues(i, Array.from(column))
    appender.appendDataChunk(chunk)
  }
  appender.flushSync()
  appender.closeSync()
}

/** `turn` resolves when all earlier inputs are done. Work that must change a table in order waits for it. */
type Work<Item, Result> = (db: Database, item: Item, index: number, turn: Promise<unknown>) => Promise<Result>

interface Connections {
  /** The greatest number of connections. */
  readonly count: number
  readonly connect: () => Promise<Database>
}

/**
 * The results in the order of `items`. If one fails, its error is thrown once all
 * started work has ended.
 */
export async function orderedParallel<Item, Result>(
  items: readonly Item[],
  { count, connect }: Connections,
  work: Work<Item, Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    let connection: Promise<Database> | null = null
    try {
      for (const [i, item] of queue) {
        connection ??= connect()
        const turn = results[i - 1] ?? Promise.resolve()
        results[i] = connection.then((db) => work(db, item, i, turn))
        await results[i]
      }
    } finally {
      ;(await connection)?.close()
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: count }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return Promise.all(results)
}
