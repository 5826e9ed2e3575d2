/** A table as an Arrow file (IPC, as Feather 2): batch after batch, types as stated, nothing inferred. */
import { pipeline } from 'node:stream/promises'
import {
  type DataType,
  DateDay,
  Decimal,
  Field,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow'
import type { Database } from '../books/database.ts'
import { type Column as ArrowColumn, DAY_MS, decimalData, MONEY_DIGITS } from '../contract/arrow.ts'
import { fileStream } from '../workspace/effects.ts'
import { asTexts, type Column, type Table } from './table.ts'

/** Rows of a batch: as DuckDB's chunks are small, several make one. */
const BATCH = 65_536

export async function writeArrow(
  db: Database,
  table: Table,
  path: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  const fields = table.columns.map(({ name, kind }) => new Field(name, typeOf(kind, table.decimals), true))
  const schema = new Schema(fields, new Map(Object.entries(metadata)))
  await pipeline(
    batches(db, table, schema),
    RecordBatchFileWriter.throughNode({ autoDestroy: true }),
    fileStream(path),
  )
}

const typeOf = (kind: Column['kind'], decimals: number): DataType =>
  ({
    text: () => new Utf8(),
    money: () => new Decimal(decimals, MONEY_DIGITS, 128),
    date: () => new DateDay(),
    integer: () => new Int64(),
  })[kind]()

async function* batches(db: Database, table: Table, schema: Schema): AsyncGenerator<RecordBatch> {
  const begun = () => table.columns.map((): (string | null)[] => [])
  let columns = begun()
  let any = false
  for await (const chunk of db.texts(asTexts(table))) {
    for (const [i, values] of chunk.entries()) for (const value of values) columns[i]!.push(value)
    if (columns[0]!.length < BATCH) continue
    yield batchOf(columns, table, schema)
    any = true
    columns = begun()
  }
  // A table without rows still has its columns.
  if (columns[0]!.length > 0 || !any) yield batchOf(columns, table, schema)
}

function batchOf(
  values: readonly (readonly (string | null)[])[],
  { columns, decimals }: Table,
  schema: Schema,
): RecordBatch {
  const children = columns.map(({ kind }, i) => dataOf(kind, values[i]!, decimals))
  const type = new Struct(schema.fields)
  return new RecordBatch(schema, makeData({ type, length: values[0]!.length, nullCount: 0, children }))
}

function dataOf(kind: Column['kind'], values: readonly (string | null)[], decimals: number): ArrowColumn {
  if (kind === 'text') return textData(values)
  if (kind === 'money')
    return decimalData(values, new Decimal(decimals, MONEY_DIGITS, 128), (text) =>
      BigInt(text.replace('.', '')),
    )
  const { nullBitmap, nullCount } = nullsOf(values)
  const shared = { length: values.length, nullBitmap, nullCount }
  if (kind === 'date') {
    const data = Int32Array.from(values, (text) =>
      text === null ? 0 : Date.parse(`${text}T00:00:00Z`) / DAY_MS,
    )
    return makeData({ type: new DateDay(), ...shared, data }) as unknown as ArrowColumn
  }
  const data = BigInt64Array.from(values, (text) => BigInt(text ?? 0))
  return makeData({ type: new Int64(), ...shared, data }) as unknown as ArrowColumn
}

function textData(values: readonly (string | null)[]): ArrowColumn {
  const { nullBitmap, nullCount } = nullsOf(values)
  const valueOffsets = new Int32Array(values.length + 1)
  values.forEach((text, i) => {
    valueOffsets[i + 1] = valueOffsets[i]! + (text === null ? 0 : Buffer.byteLength(text))
  })
  const data = Buffer.alloc(valueOffsets.at(-1)!)
  values.forEach((text, i) => {
    if (text !== null) data.write(text, valueOffsets[i]!)
  })
  return makeData({
    type: new Utf8(),
    length: values.length,
    nullBitmap,
    nullCount,
    valueOffsets,
    data,
  }) as unknown as ArrowColumn
}

function nullsOf(values: readonly unknown[]): { nullBitmap: Uint8Array; nullCount: number } {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8))
  let nullCount = 0
  values.forEach((value, i) => {
    if (value === null) nullCount++
    else nullBitmap[i >> 3]! |= 1 << (i & 7)
  })
  return { nullBitmap, nullCount }
}
