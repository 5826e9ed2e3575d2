/** DuckDB, as the books use it: text in, exact integers out. The only file of the product that imports it. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

export type Cell = string | number | boolean | null

/** Text as an SQL literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** A name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

export interface Database {
  run(sql: string): Promise<void>
  /** Small results: each value exact, as text (DECIMAL and BIGINT too), boolean or null. */
  rows<Row extends Record<string, unknown>>(sql: string): Promise<Row[]>
  /** Large numeric results as columns of doubles, NULL-free; integers are exact below 2^53. */
  columns(sql: string, count: number): Promise<Float64Array[]>
  /** Fills `table` with rows of VARCHAR, BIGINT/INTEGER (numbers) or BOOLEAN values, in the order of its columns. */
  append(table: string, rows: Iterable<readonly Cell[]>): Promise<void>
  /** The same tables through a connection of its own, for a query beside others; closing it closes that alone. */
  connect(): Promise<Database>
  /** The query that runs on this connection, if any, ends with an error. */
  interrupt(): void
  close(): void
}

export interface DatabaseOptions {
  readonly threads?: number
  readonly memoryLimit?: string
  /** False: what does not fit into memory is an error, instead of going to files. */
  readonly spill?: boolean
}

/** A private in-memory database; nothing of it outlives {@link Database.close}. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', {
    // Extensions cannot and must not be fetched: everything needed is built in.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    ...(options.threads ? { threads: String(options.threads) } : {}),
    ...(options.memoryLimit ? { memory_limit: options.memoryLimit } : {}),
    ...(options.spill === false ? { temp_directory: '', max_temp_directory_size: '0KB' } : {}),
  })
  return databaseOn(instance, await instance.connect(), () => instance.closeSync())
}

function databaseOn(
  instance: DuckDBInstance,
  connection: DuckDBConnection,
  afterwards: () => void,
): Database {
  return {
    run: async (sql) => void (await connection.run(sql)),
    rows: async <Row extends Record<string, unknown>>(sql: string) =>
      (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[],
    columns: (sql, count) => readColumns(connection, sql, count),
    append: (table, rows) => appendRows(connection, table, rows),
    connect: async () => databaseOn(instance, await instance.connect(), () => {}),
    interrupt: () => connection.interrupt(),
    close: () => {
      connection.closeSync()
      afterwards()
    },
  }
}

async function readColumns(
  connection: DuckDBConnection,
  sql: string,
  count: number,
): Promise<Float64Array[]> {
  const result = await connection.stream(sql)
  let columns = Array.from({ length: count }, () => new Float64Array(2048))
  let length = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (!chunk || chunk.rowCount === 0) break
    const rows = chunk.rowCount
    if (length + rows > columns[0]!.length)
      columns = columns.map((column) => {
        const larger = new Float64Array(Math.max(column.length * 2, length + rows))
        larger.set(column.subarray(0, length))
        return larger
      })
    for (let i = 0; i < count; i++) {
      // Numeric vectors hold their values as one typed array; every query casts to DOUBLE, INTEGER or smaller.
      const { items } = chunk.getColumnVector(i) as unknown as { items: ArrayLike<number> }
      columns[i]!.set(items.length === rows ? items : Array.prototype.slice.call(items, 0, rows), length)
    }
    length += rows
  }
  return columns.map((column) => column.subarray(0, length))
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
