/** Lists the tables of a ledger that lie in buckets, and reads the ends of their files, where Parquet describes itself. */
import picomatch from 'picomatch'
import { byCodePoint } from '../contract/vocabulary.ts'
import type { Checks } from '../workspace/check.ts'
import type { EngineSettings } from '../workspace/engine-setting.ts'
import type { TableAddress, TableListing, TableObject, TableStore } from '../workspace/table-address.ts'
import { parseTableAddress } from '../workspace/table-address.ts'
import { type TableLog, tableLogAbove, tableLogProblem } from '../workspace/table-log.ts'
import type { Bucket } from './bucket.ts'
import { openS3, type S3Options } from './s3.ts'

/** What the credentials need for it. */
const ALLOWED = 's3:GetObject and s3:ListBucket'

/** The buckets of tables, by the settings of the engine. Nothing is sent yet. */
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
    const { objects, log } = await store.list(address)
    const [first] = objects
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
    const base = `${address.scheme}://${address.bucket}/`
    const found: TableObject[] = []
    // What lies beside the files of the pattern is listed as well: whoever reads the whole folder would read it too.
    const listed = folderOf(address.pattern)
    for await (const { key, bytes, tag } of bucket.list(listed))
      if (!key.endsWith('/')) found.push({ file: base + key, bytes, etag: bare(tag) })
    const isNamed = named(address.pattern, base, found)
    const objects = found.filter(isNamed).sort((a, b) => byCodePoint(a.file, b.file))
    const others = found.filter((each) => !isNamed(each)).map(({ file }) => file)
    return { objects, others, log: await logOf(found, isNamed, { base, listed, bucket }) }
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

/** The log of a table to which one of the objects that were found belongs, by its address. */
async function logOf(
  found: readonly TableObject[],
  isNamed: (object: TableObject) => boolean,
  { base, listed, bucket }: { readonly base: string; readonly listed: string; readonly bucket: Bucket },
): Promise<TableLog | null> {
  const names = new Map<string, string[]>()
  for (const { file } of found) {
    const [folder, name] = divided(file.slice(base.length))
    const own = names.get(folder)
    if (own === undefined) names.set(folder, [name])
    else own.push(name)
  }
  const namesIn = (folder: string): Iterable<string> | AsyncIterable<string> =>
    folder.startsWith(listed) ? (names.get(folder) ?? []) : namesAbove(folder, listed, bucket)
  const folders = new Set(found.filter(isNamed).map(({ file }) => divided(file.slice(base.length))[0]))
  for (const folder of folders) {
    const log = await tableLogAbove(folder, namesIn)
    if (log !== null) return { ...log, path: base + log.path }
  }
  return null
}

/** The folder of a key, with a slash at its end, and the name below it. */
const divided = (key: string): readonly [folder: string, name: string] => {
  const at = key.lastIndexOf('/') + 1
  return [key.slice(0, at), key.slice(at)]
}

/** The names in a folder of a log above what was listed. It is asked for only if the folders in between may be parts of a table. */
async function* namesAbove(log: string, listed: string, bucket: Bucket): AsyncGenerator<string> {
  const [table] = divided(log.slice(0, -1))
  const between = listed.slice(table.length).split('/').slice(0, -1)
  if (!between.every((folder) => PART_OF_TABLE.test(folder))) return
  for await (const { key } of bucket.list(log)) yield key.slice(log.length)
}

/** The folder of one value, the folder of the data (Iceberg), or a number (a day, or what spreads objects over the store). */
const PART_OF_TABLE = /^([^=]+=.*|data|\d+)$/

/** A tag without the quotes that it has in HTTP, as people and other tools write it. */
const bare = (tag: string): string => tag.replace(/^"(.*)"$/, '$1')

/** The folders with which a pattern begins, up to the first that is none by its own name. */
const folderOf = (pattern: string): string => /^(?:[^*?[\]{}()!+@\\/]*\/)*/.exec(pattern)?.[0] ?? ''

/** As files of a folder are found: by a pattern, but an object of the pattern's own name is taken by it. */
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
