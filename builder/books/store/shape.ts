/**
 * Finds what the books of a snapshot hold beside the members and columns that any format has: nothing is computed from them, so that the
 * figures would not tell.
 */
import { join } from 'node:path'
import { parseJson } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { type Database, openDatabase, parquetSql } from '../../database/database.ts'
import { EXTRA_COLUMNS } from '../../ingest/format/ledger-columns.ts'
import { readFile } from '../../system/plain-file.ts'
import { isOfMachine } from '../../system/refusals.ts'
import { decimalsOf, type Frame } from '../reference/frame.ts'
import { frameSchema } from '../reference/frame-schema.ts'

const PLACE = ['account', 'class', 'department', 'amount']
const SOURCE = ['file', 'row']
const BEFORE = ['seq', 'basis', 'transaction_id', 'line_id', 'date', ...PLACE, 'kind', 'memo', 'reference']
/** The columns that each table has, and behind them those that only some have, in their order. */
const COLUMNS: Readonly<Record<string, Record<'all' | 'some', readonly string[]>>> = {
  'postings.parquet': {
    all: [...BEFORE, 'settles', 'journal', 'type', 'open_item', 'source_date', ...SOURCE],
    some: EXTRA_COLUMNS,
  },
  'openings.parquet': {
    all: ['basis', ...PLACE, 'current', ...SOURCE],
    some: [...EXTRA_COLUMNS, 'transaction_id', 'line_id', 'open_item', 'source_date'],
  },
  'budgets.parquet': { all: ['budget', 'month', ...PLACE, ...SOURCE], some: [] },
  // Earlier versions left out the source.
  'metrics.parquet': {
    all: ['metric', 'date', 'whole_month', 'value', 'class', 'department', 'budget'],
    some: SOURCE,
  },
}
/** The types of columns by their names; amounts have the decimals of the currency, and all others are text. */
const TYPES: Readonly<Record<string, string>> = {
  ...{ seq: 'INTEGER', row: 'BIGINT', value: 'DECIMAL(38,6)', current: 'BOOLEAN', whole_month: 'BOOLEAN' },
  ...{ date: 'DATE', source_date: 'DATE', due_date: 'DATE', entered_on: 'DATE' },
}
/** The columns that are empty in no row. */
const FILLED =
  'file seq basis transaction_id date account amount kind current month metric whole_month value'.split(' ')

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

/**
 * Why a table in `folder` cannot be read as one of books; null where all can. Queries rely on it: a column that is missing, empty or of
 * another type, or a day outside the calendar, would end them as a fault of the program, or give figures that are wrong.
 */
export async function unreadableTable(folder: string, frame: Frame): Promise<string | null> {
  const db = await openDatabase({ folders: [folder] })
  try {
    for (const table of await bookTables(db, folder)) {
      const problem = await unreadableColumn(db, table, decimalsOf(frame))
      if (problem !== null) return `${table.file} ${problem}`
    }
    return null
  } catch (problem) {
    if (isOfMachine(problem)) throw problem
    return (problem as Error).message.split('\n')[0] ?? null
  } finally {
    db.close()
  }
}

async function unreadableColumn(db: Database, { file, path, columns }: BookTable, decimals: number) {
  const { all, some } = present(COLUMNS[file], `table ${file}`)
  const missing = all.find((known) => !columns.some(({ name }) => name === known))
  if (missing !== undefined) return `has no column ${missing}`
  const read = columns.filter(({ name }) => all.includes(name) || some.includes(name))
  const typeOf = (name: string) =>
    name === 'amount' ? `DECIMAL(18,${decimals})` : (TYPES[name] ?? 'VARCHAR')
  const odd = read.find(({ name, type }) => type !== typeOf(name))
  if (odd) return `holds ${odd.type} as ${odd.name}`
  const wrong = read.map(({ name, type }, i) => {
    const isFilled = FILLED.includes(name) && all.includes(name)
    const isNoDay = `coalesce(${name} NOT BETWEEN DATE '0001-01-01' AND DATE '9999-12-31', ${isFilled})`
    return `min(${i}) FILTER (${type === 'DATE' ? isNoDay : isFilled ? `${name} IS NULL` : 'false'})`
  })
  const { at } = await db.row<{ at: number | null }>(
    `SELECT least(${wrong.join(', ')}) AS at FROM ${parquetSql(path)}`,
  )
  return at === null ? null : `has rows with no ${read[at]?.name} that can be read`
}

/** A sentence, with the file, for each table or frame in `folder` with columns or members of its own. */
export async function shapeProblems(
  tables: readonly BookTable[],
  folder: string,
): Promise<{ readonly file: string; readonly message: string }[]> {
  const problems: { file: string; message: string }[] = []
  for (const { file, columns } of tables) {
    const names = columns.map(({ name }) => name)
    const { all, some } = present(COLUMNS[file], `table ${file}`)
    const known = [...all, ...some]
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
