/**
 * Encodes a statement or metric answer as an Apache Arrow stream, for data tools. It is made from the bytes
 * of the JSON document, so that both have the same figures. The stream is one long table with a row per
 * account (or metric) and month. Equal documents give equal bytes, since no types are inferred and no
 * dictionaries are used.
 */
import {
  type DataType,
  DateDay,
  Decimal,
  Field,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow'
import { currencyDecimals, minorFromJson } from './currency.ts'

/**
 * Precision of money: published figures have up to 15 digits, and data tools keep up to 18 digits in 64 bits.
 */
export const MONEY_DIGITS = 18
/** The same precision as in `books/metrics.parquet`. */
const METRIC = { digits: 38, decimals: 6 }
export const DAY_MS = 24 * 3600 * 1000

/**
 * A number in statements, which have at most 15 digits; text in metrics, which may have more digits than a
 * double holds.
 */
type Figure = number | string

/** The members that statement and metric answers have in common. */
interface Document {
  readonly Currency?: string
  readonly Periods: readonly { readonly Month: string }[]
  readonly Data: readonly {
    readonly AccountId?: string
    readonly NonFinancialId?: string
    readonly Values: readonly (Figure | null)[]
  }[]
  readonly [member: string]: unknown
}

/**
 * Encodes a JSON document of the encoder as an Arrow stream with the columns `AccountId` (or
 * `NonFinancialId`), `Month` (its first day) and `Value`, in the order of the document. The other members
 * become metadata of the schema. Totals are left out, since they are sums of the rows.
 */
export function encodeArrow(json: Uint8Array): Buffer {
  const text = Buffer.from(json).toString('utf8')
  const stated = JSON.parse(text) as Document
  const isStatement = stated.Currency !== undefined
  const document = isStatement ? stated : (JSON.parse(withTexts(text)) as Document)
  const decimals = isStatement ? currencyDecimals(document.Currency ?? '') : METRIC.decimals
  const toInteger = (value: Figure) =>
    typeof value === 'number' ? BigInt(minorFromJson(value, decimals)) : shifted(value, decimals)
  const ids = document.Data.map((row) => row.AccountId ?? row.NonFinancialId ?? '')
  const months = document.Periods.map(({ Month }) => Date.parse(`${Month}-01T00:00:00Z`) / DAY_MS)
  const columns = [
    column(isStatement ? 'AccountId' : 'NonFinancialId', textData(ids, months.length)),
    column('Month', monthData(months, ids.length)),
    column(
      'Value',
      decimalData(
        document.Data.flatMap((row) => row.Values),
        new Decimal(decimals, isStatement ? MONEY_DIGITS : METRIC.digits, 128),
        toInteger,
      ),
    ),
  ]
  const schema = new Schema(
    columns.map(({ field }) => field),
    metadataOf(document),
  )
  const length = ids.length * months.length
  const rows = makeData({
    type: new Struct(schema.fields),
    length,
    nullCount: 0,
    children: columns.map(({ data }) => data),
  })
  const stream = new RecordBatchStreamWriter()
  stream.write(new RecordBatch(schema, rows))
  stream.finish()
  return Buffer.from(stream.toUint8Array(true))
}

/**
 * Turns the values into texts. Quotation marks in names are escaped, so `"Values":[` cannot occur inside a
 * name.
 */
const withTexts = (json: string): string =>
  json.replace(
    /"Values":\[([^\]]*)\]/g,
    (_, values: string) => `"Values":[${values.replace(/-?\d[^\s,]*/g, '"$&"')}]`,
  )

/** `-12.5`, 6 → -12500000n. Only moves the decimal point, so that nothing is rounded. */
function shifted(value: string, decimals: number): bigint {
  const [whole, fraction = ''] = value.split('.') as [string, string?]
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

export type ArrowColumn = ReturnType<typeof makeData>

const column = (name: string, data: ArrowColumn): { readonly field: Field; readonly data: ArrowColumn } => ({
  field: new Field(name, data.type as DataType, name === 'Value'),
  data,
})

/** apache-arrow gives each kind of data its own type, but a record batch takes columns of any kind. */
const columnOf = (data: unknown): ArrowColumn => data as ArrowColumn

/** Sets a bit of an Arrow validity bitmap: the value at this place is present. */
function setBit(bitmap: Uint8Array, place: number): void {
  bitmap[place >> 3] = (bitmap[place >> 3] ?? 0) | (1 << (place & 7))
}

/** Repeats each id once per month. */
function textData(ids: readonly string[], times: number): ArrowColumn {
  const texts = ids.map((id) => Buffer.from(id, 'utf8'))
  const valueOffsets = new Int32Array(ids.length * times + 1)
  const parts: Buffer[] = []
  let at = 0
  let bytes = 0
  for (const text of texts)
    for (let i = 0; i < times; i++) {
      parts.push(text)
      bytes += text.length
      valueOffsets[++at] = bytes
    }
  const data = Buffer.concat(parts)
  return columnOf(makeData({ type: new Utf8(), length: at, nullCount: 0, valueOffsets, data }))
}

/** Repeats all months once per id. */
function monthData(months: readonly number[], times: number): ArrowColumn {
  const data = new Int32Array(months.length * times)
  for (let i = 0; i < times; i++) data.set(months, i * months.length)
  return columnOf(makeData({ type: new DateDay(), length: data.length, nullCount: 0, data }))
}

/** Encodes values as 128-bit two's complement integers, least significant word first. */
export function decimalData<Value>(
  values: readonly (Value | null)[],
  type: Decimal,
  toInteger: (value: Value) => bigint,
): ArrowColumn {
  const words = new BigInt64Array(values.length * 2)
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8))
  let nullCount = 0
  values.forEach((value, i) => {
    if (value === null) {
      nullCount++
      return
    }
    const integer = toInteger(value)
    words[i * 2] = BigInt.asIntN(64, integer)
    words[i * 2 + 1] = integer >> 64n
    setBit(nullBitmap, i)
  })
  const data = new Uint32Array(words.buffer)
  return columnOf(makeData({ type, length: values.length, nullCount, nullBitmap, data }))
}

/** Lists the members of the document as metadata; those that are null are left out. */
function metadataOf({ Data: _, Summary: __, Periods, ...head }: Document): Map<string, string> {
  const given = Object.entries(head).filter(([, value]) => value !== null)
  return new Map([
    ...given.map(
      ([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const,
    ),
    ['Periods', JSON.stringify(Periods)] as const,
  ])
}
