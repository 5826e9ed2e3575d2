/** Lists the tables of a ledger that lie in buckets, and reads the ends of their files, where Parquet describes itself. */
import picomatch from 'picomatch'
import { byCodePoint } from '../contract/vocabulary.ts'
import type { Checks } from '../workspace/check.ts'
import type { EngineSettings } from '../workspace/engine-setting.ts'
import type { TableAddress, TableListing, TableObject, TableStore } from '../workspace/table-address.ts'
import { parseTableAddress } from '../workspace/table-address.ts'
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
    const { objects } = await store.list(address)
    const [first] = objects
    if (first === undefined) checks.fail('lists', `there is no object "${name}"`, remedy)
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
    for await (const { key, bytes, tag } of bucket.list(folderOf(address.pattern)))
      if (!key.endsWith('/')) found.push({ file: base + key, bytes, etag: bare(tag) })
    const isNamed = named(address.pattern, base, found)
    const objects = found.filter(isNamed).sort((a, b) => byCodePoint(a.file, b.file))
    return { objects, others: found.filter((each) => !isNamed(each)).map(({ file }) => file) }
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
