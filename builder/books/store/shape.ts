/**
 * Finds what the books of a snapshot hold beside the members and columns that any format has: nothing is computed from them, so that the
 * figures would not tell.
 */
import { join } from 'node:path'
import { parseJson } from '../../contract/json.ts'
import { type Database, parquetSql } from '../../database/database.ts'
import { EXTRA_COLUMNS } from '../../ingest/format/ledger-columns.ts'
import { readFile } from '../../system/plain-file.ts'
import { frameSchema } from '../reference/frame-schema.ts'

const PLACE = ['account', 'class', 'department', 'amount']
const SOURCE = ['file', 'row']
const BEFORE = ['seq', 'basis', 'transaction_id', 'line_id', 'date', ...PLACE, 'kind', 'memo', 'reference']
/** The columns of each table, in their order. Earlier versions left out some. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'postings.parquet': [
    ...BEFORE,
    ...['settles', 'journal', 'type', 'open_item', 'source_date', ...SOURCE],
    ...EXTRA_COLUMNS,
  ],
  'openings.parquet': [
    ...['basis', ...PLACE, 'current', ...SOURCE, ...EXTRA_COLUMNS],
    ...['transaction_id', 'line_id', 'open_item', 'source_date'],
  ],
  'budgets.parquet': ['budget', 'month', ...PLACE, ...SOURCE],
  'metrics.parquet': ['metric', 'date', 'whole_month', 'value', 'class', 'department', 'budget', ...SOURCE],
}

/** A table of the books. */
export interface BookTable {
  readonly file: string
  readonly path: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** The tables in `folder`, with the columns that they have. */
export async function bookTables(db: Database, folder: string): Promise<BookTable[]> {
  const tables: BookTable[] = []
  for (const file of Object.keys(COLUMNS)) {
    const path = join(folder, file)
    const columns = await db.rows<{ name: string; type: string }>(
      `SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM ${parquetSql(path)})`,
    )
    tables.push({ file, path, columns })
  }
  return tables
}

/** A sentence, with the file, for each table or frame in `folder` with columns or members of its own. */
export async function shapeProblems(
  tables: readonly BookTable[],
  folder: string,
): Promise<{ readonly file: string; readonly message: string }[]> {
  const problems: { file: string; message: string }[] = []
  for (const { file, columns } of tables) {
    const names = columns.map(({ name }) => name)
    const known = COLUMNS[file] ?? []
    const expected = known.filter((name) => names.includes(name))
    if (names.join() !== expected.join())
      problems.push({
        file,
        message: `has the columns ${names.join(', ')}; its format has ${known.join(', ')}`,
      })
  }
  const file = 'frame.json'
  const unknown = [
    ...unknownIn(frameSchema as Parts, parseJson(await readFile(join(folder, file), 'utf8')), ''),
  ]
  if (unknown.length > 0)
    problems.push({ file, message: `has members that its format has not: ${unknown.join(', ')}` })
  return problems
}

/** What a schema is made of: an array, an object, or something that may be absent or null. */
interface Parts {
  readonly element?: Parts
  readonly shape?: Readonly<Record<string, Parts>>
  unwrap?(): Parts
}

/** The members of a value that its schema does not name. */
function* unknownIn(schema: Parts, value: unknown, place: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  const { element, shape } = schema
  if (Array.isArray(value) && element) for (const each of value) yield* unknownIn(element, each, place)
  else if (shape)
    for (const [name, member] of Object.entries(value))
      if (Object.hasOwn(shape, name)) yield* unknownIn(shape[name] ?? {}, member, `${place}${name}.`)
      else yield place + name
  else if (schema.unwrap) yield* unknownIn(schema.unwrap(), value, place)
}
