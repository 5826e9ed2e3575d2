/**
 * Writes a table as an Arrow file (IPC, as Feather 2), batch after batch, with the column types that the table
 * states.
 */

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
import { type ArrowColumn, DAY_MS, decimalData, MONEY_DIGITS } from '../../contract/arrow.ts'
import { minorOfText } from '../../contract/currency.ts'
import { present } from '../../contract/present.ts'
import type { Database } from '../../database/database.ts'
import { fileStream } from '../../system/effects.ts'
import { asTexts, type ExportColumn, type ExportTable } from './table.ts'

/** Rows of one Arrow batch; DuckDB's chunks are smaller, so that several of them make one. */
const BATCH = 65_536

export async function writeArrow(
  db: Database,
  table: ExportTable,
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

const typeOf = (kind: ExportColumn['kind'], decimals: number): DataType =>
  ({
    text: () => new Utf8(),
    money: () => new Decimal(decimals, MONEY_DIGITS, 128),
    date: () => new DateDay(),
    integer: () => new Int64(),
  })[kind]()

async function* batches(db: Database, table: ExportTable, schema: Schema): AsyncGenerator<RecordBatch> {
  const begun = () => table.columns.map(({ kind }): Values => ({ kind, texts: [] }))
  let columns = begun()
  let any = false
  for await (const chunk of db.texts(asTexts(table))) {
    for (const [i, { texts }] of columns.entries())
      for (const text of present(chunk[i], `column ${i} of ${table.name}`)) texts.push(text)
    if (rowsOf(columns) < BATCH) continue
    yield batchOf(columns, table, schema)
    any = true
    columns = begun()
  }
  // A table without rows is one empty batch, so that its columns are written.
  if (rowsOf(columns) > 0 || !any) yield batchOf(columns, table, schema)
}

/** The values of a column that are not written yet. */
interface Values {
  readonly kind: ExportColumn['kind']
  readonly texts: (string | null)[]
}

const rowsOf = ([first]: readonly Values[]): number => first?.texts.length ?? 0

function batchOf(columns: readonly Values[], { decimals }: ExportTable, schema: Schema): RecordBatch {
  const children = columns.map(({ kind, texts }) => dataOf(kind, texts, decimals))
  const type = new Struct(schema.fields)
  return new RecordBatch(schema, makeData({ type, length: rowsOf(columns), nullCount: 0, children }))
}

function dataOf(
  kind: ExportColumn['kind'],
  values: readonly (string | null)[],
  decimals: number,
): ArrowColumn {
  if (kind === 'text') return textData(values)
  if (kind === 'money') return decimalData(values, new Decimal(decimals, MONEY_DIGITS, 128), minorOfText)
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
  let end = 0
  values.forEach((text, i) => {
    end += text === null ? 0 : Buffer.byteLength(text)
    valueOffsets[i + 1] = end
  })
  const data = Buffer.alloc(end)
  let written = 0
  for (const text of values) if (text !== null) written += data.write(text, written)
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
    else nullBitmap[i >> 3] = (nullBitmap[i >> 3] ?? 0) | (1 << (i & 7))
  })
  return { nullBitmap, nullCount }
}
