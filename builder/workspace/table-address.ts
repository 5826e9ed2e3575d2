/**
 * Addresses of tables in a bucket, under which a cluster reads them: `s3a://lake/gl/*.parquet`. `s3a` is the name of
 * Hadoop, `s3` that of some clouds. Also defines what is asked of the store that has them.
 */

import { BUCKET_NAME } from './bucket-address.ts'
export interface TableAddress {
  readonly scheme: 's3' | 's3a'
  readonly bucket: string
  /** The pattern of the keys, written as patterns of files are. */
  readonly pattern: string
}

export const TABLE_FORM =
  'must be the address of a bucket with a pattern of Parquet files, such as s3a://acme-lake/gl/*.parquet'

const ADDRESS = new RegExp(`^(s3a?)://(${BUCKET_NAME})/(.+)$`)

export const isTableAddress = (text: string): boolean => /^s3[an]?:/i.test(text)

/** The parts of an address; null if it is none. */
export function parseTableAddress(text: string): TableAddress | null {
  const [, scheme, bucket, pattern] = ADDRESS.exec(text) ?? []
  if (scheme === undefined || bucket === undefined || pattern === undefined) return null
  if (pattern.split('/').some((part) => part === '' || part === '.' || part === '..')) return null
  return { scheme: scheme === 's3' ? 's3' : 's3a', bucket, pattern }
}

/** Whether engines of Hadoop's family skip a path: names that begin with `_` or `.` are hidden, but for folders that state a value. */
export const isHiddenPath = (path: string): boolean =>
  path.split('/').some((part) => part.startsWith('.') || (part.startsWith('_') && !part.includes('=')))

/** An object of a table as its store lists it. */
export interface TableObject {
  /** Its address, by which findings, the manifest and the books name it. */
  readonly file: string
  readonly bytes: number
  /** The store's name for this state of it. It is compared, and never computed: it need not depend on the content. */
  readonly etag: string
}

export interface TableListing {
  /** Those that the pattern names, in code point order of their addresses. */
  readonly objects: readonly TableObject[]
  /** The addresses of all others below the folder of the pattern, which the pattern does not name. */
  readonly others: readonly string[]
}

/** What the end of an object says, as it was when it was listed. */
interface ObjectTail {
  readonly bytes: Buffer
  /** The name of the version where the bucket keeps versions; else null. */
  readonly version: string | null
}

/** The stores of the tables that one company names. Each method throws {@link BucketError} where a store does not do its part. */
export interface TableStore {
  /** What the addresses name now. */
  list(address: TableAddress): Promise<TableListing>
  /** The log of a table to which one of the listed objects belongs; null where there is none, or the store does not let it be seen. */
  log(address: TableAddress, listing: TableListing): Promise<TableLog | null>
  /** The last bytes of an object, at most `length`; null if it is no longer the one that was listed. */
  tail(object: TableObject, length: number): Promise<ObjectTail | null>
  /** How many bytes of objects {@link TableStore.tail} has received. */
  readonly bytesRead: number
}

interface TableFormat {
  readonly format: string
  /** The folder of the log, inside the folder of the table. */
  readonly log: string
  /** A name in it by which it is known. */
  readonly name: RegExp
}

const FORMATS: readonly TableFormat[] = [
  { format: 'Delta Lake', log: '_delta_log', name: /^\d{20}\./ },
  {
    format: 'Apache Iceberg',
    log: 'metadata',
    name: /^(v\d+|\d+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.gz)?\.metadata\.json(\.gz)?$/,
  },
  { format: 'Apache Hudi', log: '.hoodie', name: /^hoodie\.properties$/ },
]

export interface TableLog extends Pick<TableFormat, 'format'> {
  /** Where the log is, for people. */
  readonly where: string
}

/** Says what a folder is the table of. `namesIn` gives the names in a folder inside of it; none where there is no such folder. */
export async function tableFormatOf(
  namesIn: (log: string) => Iterable<string> | AsyncIterable<string>,
): Promise<TableFormat | null> {
  for (const format of FORMATS)
    for await (const name of namesIn(format.log)) if (format.name.test(name)) return format
  return null
}

/** The message and remedy for the files of such a table. */
export const tableLogProblem = ({ format, where }: TableLog) => ({
  what: `belongs to a table of ${format} (${where}), whose folder also holds files of rows that were deleted or replaced: only its log says which files count`,
  remedy:
    'let an engine that knows the table write its rows as Parquet files into a folder of their own (CREATE TABLE … USING parquet AS SELECT …, or COPY (SELECT …) TO …), and name these',
})
