/**
 * Reads the entries of `ledger` that name a table in a bucket. The store lists its files, and the end of each says which columns and how
 * many rows it has; the rows themselves are for the engine.
 */

import { inParallel } from '../system/parallel.ts'
import { BucketError } from '../system/refusals.ts'
import type { LedgerSetting } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'
import { tooWide } from '../workspace/source-files.ts'
import {
  isHiddenPath,
  type TableAddress,
  type TableLog,
  type TableObject,
  type TableStore,
  tableLogProblem,
} from '../workspace/table-address.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import type { FileReading } from './format/intake.ts'
import type { KnownFiles } from './known-files.ts'
import { type ParquetFooter, readFooterOf } from './parquet/footer.ts'
import { planParquet } from './tables/parquet.ts'

/** One entry of `ledger` that names a table in a bucket. */
interface TableEntry {
  readonly setting: LedgerSetting
  /** Its key, such as `ledger.0`. */
  readonly key: string
  readonly address: TableAddress
}

/** Most footers are shorter, so that one request reads them. */
const USUAL_FOOTER = 64 * 1024
/** How many files are asked at once. */
const AT_ONCE = 16

/** Reads what the files of a table state about themselves. */
export async function readTableOf(
  entry: TableEntry,
  known: KnownFiles,
  store: TableStore | null,
): Promise<FileReading> {
  const wide = tooWide(entry.address.pattern, placeOf(entry.setting, entry.key))
  if (wide !== null) return refused(wide)
  if (store === null) return refused(notHere(entry))
  try {
    const listing = await store.list(entry.address)
    const { objects, others } = listing
    if (objects.length === 0) return refused(nothingThere(entry))
    const log = await store.log(entry.address, listing)
    if (log !== null) return refused(withLog(entry, log))
    const ends: ObjectEnd[] = []
    await inParallel([...objects.entries()], AT_ONCE, async ([i, object]) => {
      ends[i] = await endOf(object, store)
    })
    const readings = ends.map((end) => planObject(end, others, entry, known))
    return {
      inputs: readings.flatMap(({ inputs }) => inputs),
      sources: readings.flatMap(({ sources }) => sources),
      findings: readings.flatMap(({ findings }) => findings),
      unread: readings.flatMap(({ unread }) => unread),
    }
  } catch (problem) {
    if (problem instanceof BucketError) return refused(notRead(entry, problem))
    throw problem
  }
}

const refused = (finding: Finding): FileReading => ({
  ...{ inputs: [], sources: [], findings: [finding], unread: [] },
})

/** What the end of an object says. */
interface ObjectEnd {
  readonly object: TableObject
  /** Null if it is not the object that was listed any more. */
  readonly footer: ParquetFooter | null
  readonly version: string | null
}

async function endOf(object: TableObject, store: TableStore): Promise<ObjectEnd> {
  let version: string | null = null
  let isSame = true
  const footer = await readFooterOf(object.bytes, USUAL_FOOTER, async (length) => {
    const tail = await store.tail(object, length)
    isSame &&= tail !== null
    version = tail?.version ?? version
    return tail?.bytes ?? Buffer.alloc(length)
  })
  return { object, footer: isSame ? footer : null, version }
}

function planObject(
  { object: { file, bytes, etag }, footer, version }: ObjectEnd,
  others: readonly string[],
  { setting, key, address }: TableEntry,
  known: KnownFiles,
): FileReading {
  if (isHidden(file, address)) return refused(hidden(file))
  if (footer === null) return refused(changedWhileRead(file))
  const twice =
    known.named(file, { key, setting }) ??
    known.copiedObject({ file, state: `${bytes} ${etag}` }, { setting }, footer)
  if (twice !== null) return refused(twice)
  const state = { bytes, sha256: null, etag, version }
  return planParquet({ file, path: file, table: { others }, footer, state }, setting, key)
}

/** Whether engines pass over a file, by the part of its path that the pattern leaves open. */
const isHidden = (file: string, { pattern, scheme, bucket }: TableAddress): boolean => {
  const parts = pattern.split('/')
  // What the pattern names itself is read, whatever it is called.
  const own = parts.findIndex((part) => /[*?[\]{}()]/.test(part))
  const below = file
    .slice(`${scheme}://${bucket}/`.length)
    .split('/')
    .slice(own === -1 ? parts.length - 1 : own)
  return isHiddenPath(below.join('/'))
}

const hidden = (file: string): Finding =>
  error(
    'table-file-hidden',
    'is passed over by engines of Hadoop: its name, or that of a folder, begins with "_" or "."',
    {
      file,
      remedy: 'narrow the pattern so that it does not name it, or give the file another name',
    },
  )

const nothingThere = ({ setting, key }: TableEntry): Finding =>
  error('no-such-file', `there is no object "${setting.files}"`, {
    ...placeOf(setting, key),
    remedy: 'check the bucket and the names: capitals count, and ** stands for any folders',
  })

function withLog({ setting, key }: TableEntry, log: TableLog): Finding {
  const { what, remedy } = tableLogProblem(log)
  return error('table-with-log', `"${setting.files}" ${what}`, { ...placeOf(setting, key), remedy })
}

const notRead = ({ setting, key }: TableEntry, { message }: BucketError): Finding =>
  error('table-unreachable', message, {
    ...placeOf(setting, key),
    remedy:
      'correct what the message says, in the environment or as engine in tieout.yaml; "tieout doctor" tries it',
  })

const notHere = ({ setting, key }: TableEntry): Finding =>
  error('table-unreachable', `"${setting.files}" lies in a bucket, which is not asked here`, {
    ...placeOf(setting, key),
    remedy: 'build it in its workspace',
  })

const placeOf = (setting: LedgerSetting, key: string) => ({
  file: COMPANY_FILE,
  column: `${key}.table`,
  text: setting.files,
})

/** An object was replaced between the list and a look at it. */
const changedWhileRead = (file: string): Finding =>
  error(
    'source-changed',
    'was replaced or removed while it was read: parts of two states may have been read',
    {
      file,
      remedy: 'build again, once nothing writes to the table',
    },
  )
