/**
 * Reads the footer of a Parquet file: its columns with their types, and the number of its rows. First file of the room that owns
 * what Parquet files and their folders state about themselves. Must not read rows: the books do, inside DuckDB.
 */
import { open } from 'node:fs/promises'
import type { SchemaElement } from 'hyparquet'

/**
 * What a column holds: texts; whole numbers or UUIDs, whose text is exact; days; days with a time but without a time zone; exact
 * decimals; or anything that is not read here.
 */
export type ParquetKind = 'text' | 'number' | 'uuid' | 'day' | 'time' | 'decimal' | 'other'

export interface ParquetColumn {
  readonly name: string
  readonly kind: ParquetKind
  /** The type for people, such as `DOUBLE` or `DECIMAL(18, 2)`. */
  readonly type: string
  /** The digits after the point of a decimal; 0 for all others. */
  readonly scale: number
}

/** A Parquet file as its footer describes it, or the reason why it cannot be read. */
export type ParquetFooter =
  | { readonly columns: readonly ParquetColumn[]; readonly rows: number; readonly problem: null }
  | { readonly problem: { readonly what: string; readonly remedy: string } }

const MAGIC = 'PAR1'
/** The magic of a file whose footer is encrypted. */
const ENCRYPTED = 'PARE'
/** The length of the footer and the magic, at the end of the file. */
const TAIL = 8
/** Footers have some kilobytes for each row group; no honest one comes near this. */
const LARGEST_FOOTER = 512 * 1024 ** 2

/** Whether a file that begins with these bytes is Parquet. */
export const isParquet = (head: Buffer): boolean =>
  [MAGIC, ENCRYPTED].includes(head.toString('latin1', 0, MAGIC.length))

/** Reads the footer of the Parquet file at `path`. A damaged file is a problem of the result and never thrown. */
export async function readFooter(path: string): Promise<ParquetFooter> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return await readFooterOf(size, TAIL, async (length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
      return buffer.subarray(0, bytesRead)
    })
  } finally {
    await file.close()
  }
}

/**
 * As {@link readFooter}, of a file of this size that lies anywhere. `ending` reads its last bytes; the first time it is asked for as
 * many as `guess`, and again only if the footer is longer.
 */
export async function readFooterOf(
  size: number,
  guess: number,
  ending: (length: number) => Promise<Buffer>,
): Promise<ParquetFooter> {
  const bytes = await footerBytes(size, guess, ending)
  if (!Buffer.isBuffer(bytes)) return { problem: bytes }
  const { parquetMetadata } = await import('hyparquet')
  try {
    const { schema, num_rows } = parquetMetadata(bytes)
    const top = topColumns(schema)
    if (top === null) return { problem: TOO_DEEP }
    return { columns: top.map(columnOf), rows: Number(num_rows), problem: null }
  } catch {
    return { problem: DAMAGED }
  }
}

const DAMAGED = {
  what: 'is a damaged Parquet file: its footer cannot be read',
  remedy: 'copy or write the file again',
}
/** DuckDB fails where columns are nested 256 deep. */
const DEEPEST = 100
const TOO_DEEP = {
  what: `is a Parquet file with columns that are nested more than ${DEEPEST} deep`,
  remedy: 'write it without these columns',
}
const CUT_OFF = {
  what: 'is a Parquet file that was cut off: its footer is missing',
  remedy: 'wait until it is written completely, or copy it again',
}
const IS_ENCRYPTED = {
  what: 'is an encrypted Parquet file',
  remedy: 'write it without encryption, for Tieout to read',
}

/** The footer with its length and magic, as the last bytes of the file. */
async function footerBytes(
  size: number,
  guess: number,
  ending: (length: number) => Promise<Buffer>,
): Promise<Buffer | typeof DAMAGED> {
  if (size < MAGIC.length + TAIL) return CUT_OFF
  const tail = await ending(Math.min(size, guess))
  const magic = tail.toString('latin1', tail.length - MAGIC.length)
  if (magic === ENCRYPTED) return IS_ENCRYPTED
  if (magic !== MAGIC) return CUT_OFF
  const length = tail.readUInt32LE(tail.length - TAIL) + TAIL
  if (length > size || length > LARGEST_FOOTER) return DAMAGED
  return length <= tail.length ? tail.subarray(tail.length - length) : await ending(length)
}

/** The columns of the table itself. Those inside a structure, a list or a map follow their own parent and are passed over. */
function topColumns([root, ...elements]: readonly SchemaElement[]): SchemaElement[] | null {
  const columns: SchemaElement[] = []
  let at = 0
  let deepest = 0
  const pass = (depth: number): void => {
    deepest = Math.max(deepest, depth)
    const children = elements[at++]?.num_children ?? 0
    // A damaged footer states more children than it has elements.
    for (let i = 0; i < children && at < elements.length; i++) pass(depth + 1)
  }
  for (let i = 0; i < (root?.num_children ?? 0); i++) {
    const element = elements[at]
    if (element === undefined) break
    columns.push(element)
    pass(1)
  }
  return deepest > DEEPEST ? null : columns
}

function columnOf(element: SchemaElement): ParquetColumn {
  const { name } = element
  const [kind, type] = typeOf(element)
  return { name, kind, type, scale: kind === 'decimal' ? decimalOf(element).scale : 0 }
}

/** Types that are named in the same way by the older and the newer annotation of Parquet. */
const NAMED: Readonly<Record<string, readonly [ParquetKind, string]>> = {
  UTF8: ['text', 'text'],
  STRING: ['text', 'text'],
  ENUM: ['text', 'text'],
  DATE: ['day', 'DATE'],
  // Some writers give this type to a column without any value.
  NULL: ['number', 'NULL'],
  UUID: ['uuid', 'UUID'],
  // By the specification of Parquet, the older annotation means an instant in UTC, unless the newer one beside it says otherwise.
  TIMESTAMP_MILLIS: ['other', 'TIMESTAMP in UTC'],
  TIMESTAMP_MICROS: ['other', 'TIMESTAMP in UTC'],
}

function typeOf(element: SchemaElement): readonly [ParquetKind, string] {
  const { type, num_children, repetition_type, converted_type, logical_type } = element
  if (num_children !== undefined || repetition_type === 'REPEATED') return ['other', 'list or structure']
  const annotated = logical_type?.type ?? converted_type
  if (annotated === 'DECIMAL') {
    const { precision, scale } = decimalOf(element)
    return ['decimal', `DECIMAL(${precision}, ${scale})`]
  }
  if (logical_type?.type === 'TIMESTAMP')
    return logical_type.isAdjustedToUTC ? ['other', 'TIMESTAMP in UTC'] : ['time', 'TIMESTAMP']
  const named = NAMED[annotated ?? '']
  if (named !== undefined) return named
  const isWhole = annotated === undefined || /^U?INT/.test(annotated)
  if ((type === 'INT32' || type === 'INT64') && isWhole)
    return ['number', type === 'INT32' ? 'INTEGER' : 'BIGINT']
  return ['other', annotated ?? type ?? 'unknown type']
}

/** The digits of a decimal, which the newer annotation states itself and the older one beside it. */
const decimalOf = ({ logical_type, precision = 0, scale = 0 }: SchemaElement) =>
  logical_type?.type === 'DECIMAL' ? logical_type : { precision, scale }
