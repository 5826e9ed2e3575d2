/** Lists the tables of a ledger that lie in buckets, and reads the ends of their files, where Parquet describes itself. */

import picomatch from 'picomatch'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import { BucketError } from '../../../system/refusals.ts'
import type { Checks } from '../../../workspace/check.ts'
import type { EngineSettings } from '../../../workspace/engine-setting.ts'
import {
  parseTableAddress,
  type TableAddress,
  type TableListing,
  type TableLog,
  type TableObject,
  type TableStore,
  tableFormatOf,
  tableLogProblem,
} from '../../../workspace/table-address.ts'
import type { Bucket } from './bucket.ts'
import { statusOf } from './problem.ts'
import { openS3, type S3Options } from './s3.ts'

/** The permissions that reading tables needs. */
const ALLOWED = 's3:GetObject and s3:ListBucket'

/** Opens the buckets of tables, by the settings of the engine. Nothing is sent yet. */
export const openTables = (
  { endpoint, region }: Pick<EngineSettings, 'endpoint' | 'region'>,
  options: Partial<S3Options> = {},
): TableStore =>
  new Tables((bucket) => openS3({ bucket, prefix: '', endpoint, region, allowed: ALLOWED, ...options }))

/** Enters whether a table can be listed and read. Returns the address of its first object; nothing if it cannot. */
export async function checkTable(
  store: TableStore,
  name: string,
  address: TableAddress,
  checks: Checks,
): Promise<string[]> {
  const remedy = 'correct its address in company.yaml, or what the message says'
  try {
    const listing = await store.list(address)
    const { objects } = listing
    const [first] = objects
    const log = first && (await store.log(address, listing))
    const problem = log && tableLogProblem(log)
    if (problem) checks.fail('lists', `${name} ${problem.what}`, problem.remedy)
    else if (first === undefined) checks.fail('lists', `there is no object "${name}"`, remedy)
    else if ((await store.tail(first, FEW_BYTES)) === null)
      checks.warn('reads', `${first.file} was replaced while it was read`, 'try again')
    else
      checks.holds(
        'lists and reads',
        `${name}, ${objects.length} ${objects.length === 1 ? 'object' : 'objects'}`,
      )
    return first === undefined ? [] : [first.file]
  } catch (problem) {
    checks.fail('lists', (problem as Error).message, remedy)
    return []
  }
}

const FEW_BYTES = 8

class Tables implements TableStore {
  bytesRead = 0
  readonly #open: (bucket: string) => Promise<Bucket>
  readonly #opened = new Map<string, Promise<Bucket>>()

  constructor(open: (bucket: string) => Promise<Bucket>) {
    this.#open = open
  }

  async list(address: TableAddress): Promise<TableListing> {
    const bucket = await this.#bucket(address.bucket)
    const base = baseOf(address)
    const found: TableObject[] = []
    // Lists the whole folder of the pattern: an engine that reads the folder reads the other files in it, too.
    for await (const { key, bytes, tag } of bucket.list(folderOf(address.pattern)))
      if (!key.endsWith('/')) found.push({ file: base + key, bytes, etag: bare(tag) })
    const isNamed = named(address.pattern, base, found)
    const objects = found.filter(isNamed).sort((a, b) => byCodePoint(a.file, b.file))
    return { objects, others: found.filter((each) => !isNamed(each)).map(({ file }) => file) }
  }

  async log(address: TableAddress, listing: TableListing): Promise<TableLog | null> {
    const bucket = await this.#bucket(address.bucket)
    const base = baseOf(address)
    const listed = folderOf(address.pattern)
    const keysOf = (files: readonly string[]) => files.map((file) => file.slice(base.length))
    const objects = keysOf(listing.objects.map(({ file }) => file))
    const names = namesByFolder([...objects, ...keysOf(listing.others)])
    for (const folder of foldersAbove(objects)) {
      const found = await tableFormatOf((log) =>
        folder.startsWith(listed)
          ? (names.get(`${folder}${log}/`) ?? [])
          : namesIn(`${folder}${log}/`, bucket),
      )
      if (found !== null) return { format: found.format, where: `${base}${folder}${found.log}` }
    }
    return null
  }

  async tail({ file, etag }: TableObject, length: number): ReturnType<TableStore['tail']> {
    const address = parseTableAddress(file)
    if (address === null) throw new RangeError(`"${file}" is no address of an object`)
    const bucket = await this.#bucket(address.bucket)
    const tail = await bucket.tail(address.pattern, `"${etag}"`, length)
    this.bytesRead += tail?.bytes.length ?? 0
    return tail
  }

  #bucket(name: string): Promise<Bucket> {
    const opened = this.#opened.get(name) ?? this.#open(name)
    this.#opened.set(name, opened)
    return opened
  }
}

/** What stands before the keys of a bucket in the addresses of its objects. */
const baseOf = ({ scheme, bucket }: TableAddress): string => `${scheme}://${bucket}/`

/** The folder of a key, with a slash at its end; empty at the top of the bucket. */
const folderOfKey = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

function namesByFolder(keys: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const key of keys) {
    const folder = folderOfKey(key)
    const own = names.get(folder) ?? []
    names.set(folder, own)
    own.push(key.slice(folder.length))
  }
  return names
}

/** Every folder above one of the keys, once. */
function foldersAbove(keys: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const key of keys)
    for (let folder = folderOfKey(key); !folders.has(folder); folder = folderOfKey(folder.slice(0, -1)))
      folders.add(folder)
  return folders
}

/** The names in a folder above what was listed. Where the credentials are for the table alone, nobody can look there. */
async function* namesIn(folder: string, bucket: Bucket): AsyncGenerator<string> {
  try {
    for await (const { key } of bucket.list(folder)) yield key.slice(folder.length)
  } catch (problem) {
    if (!(problem instanceof BucketError) || statusOf(problem.cause) !== 403) throw problem
  }
}

/** A tag without the quotes that it has in HTTP, as people and other tools write it. */
const bare = (tag: string): string => tag.replace(/^"(.*)"$/, '$1')

/** The folders with which a pattern begins, up to the first that is none by its own name. */
const folderOf = (pattern: string): string => /^(?:[^*?[\]{}()!+@\\/]*\/)*/.exec(pattern)?.[0] ?? ''

/**
 * Picks the objects that a pattern names, as files of a folder are found: an object whose own name is the pattern is
 * taken by its name.
 */
function named(
  pattern: string,
  base: string,
  found: readonly TableObject[],
): (object: TableObject) => boolean {
  const exact = base + pattern
  if (found.some(({ file }) => file === exact)) return ({ file }) => file === exact
  const matches = picomatch(pattern, { posix: true })
  return ({ file }) => matches(file.slice(base.length))
}
