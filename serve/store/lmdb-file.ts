/**
 * A file of lmdb that survives a failing disk: each change is one transaction, undone completely where it fails,
 * and reading continues. Several processes may use the same file. Its tables hold texts.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase, type RootDatabaseOptions } from 'lmdb'
import { isThere } from '../../builder/system/effects.ts'
import { PlaceError } from '../../builder/system/refusals.ts'
import { StoreUnavailableError } from './store.ts'

type Table = Pick<Database<string, string>, 'get' | 'put' | 'remove' | 'getRange'>

export interface LmdbFile {
  /** Throws where there is no table of that name. */
  table(name: string): Table
  /** Later reads see the present state, including what other processes wrote during this turn of the event loop. */
  refresh(): void
  /**
   * Runs `action`, which changes tables and must not wait for anything, in a transaction. Throws {@link
   * StoreUnavailableError} where nothing can be written.
   */
  transactSync<T>(action: () => T): T
  /** Throws {@link StoreUnavailableError} where the file was removed or replaced by another. */
  requireInPlace(): void
  backup(folder: string): Promise<void>
  close(): Promise<void>
}

interface LmdbOptions {
  readonly tables: readonly string[]
  /**
   * A change is on the disk when the call returns. Otherwise it survives the end of this process only, and is not
   * waited for.
   */
  readonly durable: boolean
  readonly mode: number
}

/**
 * With less free space lmdb is not asked to write: where a page cannot be written, its native part formats the
 * error into a buffer that is too short for it (mdb_page_flush, lmdb 3.5.6), and the heap is damaged.
 */
const RESERVE_BYTES = 8 * 1024 * 1024
const LOCK = 'lock.mdb'
const MAGIC = 0xbeefc0de
const LARGEST_PAGE = 64 * 1024
/** Time for the answer to be sent. */
const END_AFTER_MS = 500

interface Opened {
  readonly environment: RootDatabase
  readonly tables: ReadonlyMap<string, Table>
  readonly identity: string
}

/** The file itself, in its folder. */
export const dataPath = (folder: string): string => join(folder, 'data.mdb')

/** Opens the file in the folder `path`, or makes it; throws where it is damaged. */
export function openLmdbFile(path: string, options: LmdbOptions): LmdbFile {
  let opened = openAll(path, options)
  /** After a failed write lmdb may refuse everything, reads included (MDB_PANIC), until the file is opened again. */
  const reopen = (): void => {
    opened.environment.close().catch(() => {})
    try {
      opened = openAll(path, options)
    } catch {
      // The next write tries again.
    }
  }
  const requireInPlace = (): void => {
    if (identityOf(path) !== opened.identity)
      throw new StoreUnavailableError(
        `${dataPath(path)} was moved away or replaced while this process has it open: put it back, or start the server anew`,
      )
  }
  return {
    table: (name) => tableOf(opened, name),
    refresh: () => opened.environment.resetReadTxn(),
    requireInPlace,
    transactSync: (action) => {
      requireInPlace()
      requireRoom(path)
      try {
        // Synchronous, since a failed commit of lmdb's own queue rejects promises that nobody handles, which ends
        // the process.
        return opened.environment.transactionSync(action)
      } catch (cause) {
        if (/Attempting to write page/.test(String(cause))) endSoon(path, cause)
        reopen()
        throw new StoreUnavailableError(`${path} cannot be written`, { cause })
      }
    },
    backup: async (folder) => {
      try {
        await opened.environment.backup(folder, true)
      } catch (cause) {
        throw new PlaceError(`${folder} cannot be written: ${messageOf(cause)}`, { cause })
      }
      chmodSync(dataPath(folder), options.mode)
    },
    close: () => opened.environment.close(),
  }
}

/**
 * The entries of a table in a file that other processes write, read without joining them; null where the file does
 * not exist.
 */
export async function readLmdbTable(
  path: string,
  name: string,
): Promise<readonly (readonly [key: string, text: string])[] | null> {
  // Only a file that does not exist is null; one that may not be read is an error.
  if (!isThere(dataPath(path))) return null
  // lmdb enters readers in its lock file, and reports missing permissions less clearly.
  accessSync(dataPath(path), constants.R_OK)
  accessSync(join(path, LOCK), constants.R_OK | constants.W_OK)
  const environment = open(path, { readOnly: true })
  try {
    const table = environment.openDB<string, string>(name, TEXTS)
    return [...table.getRange()].map(({ key, value }) => [key, value] as const)
  } finally {
    await environment.close()
  }
}

const TEXTS = { encoding: 'string' } as const
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

function openAll(path: string, options: LmdbOptions): Opened {
  const environment = openEnvironment(path, options)
  const tables = new Map(
    options.tables.map((name) => [name, environment.openDB<string, string>(name, TEXTS)] as const),
  )
  return { environment, tables, identity: identityOf(path) }
}

function tableOf({ tables }: Opened, name: string): Table {
  const table = tables.get(name)
  if (table === undefined) throw new Error(`this store was opened without ${name}`)
  return table
}

/** Identifies the file, to notice another one in its place. */
function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(dataPath(path))
    return `${dev} ${ino}`
  } catch (problem) {
    return messageOf(problem)
  }
}

function requireRoom(path: string): void {
  let free: number
  try {
    const { bavail, bsize } = statfsSync(path)
    free = bavail * bsize
  } catch (cause) {
    throw new StoreUnavailableError(`${path} cannot be reached`, { cause })
  }
  if (free < RESERVE_BYTES) throw new StoreUnavailableError(`the disk of ${path} is full`)
}

/** Ends the process: the disk takes no pages and the heap may be damaged. A supervisor should start it again. */
function endSoon(path: string, cause: unknown): void {
  setTimeout(() => {
    throw new Error(`${path} cannot be written: this process must not go on`, { cause })
  }, END_AFTER_MS)
}

function openEnvironment(path: string, { durable, mode }: LmdbOptions): RootDatabase {
  refuseForeignFile(dataPath(path))
  // The binding reads `permissionsMode`, which its types lack; the default is 0664. Without overlappingSync a
  // transaction ends only after its fsync.
  const waiting = durable ? { overlappingSync: false } : { noSync: true }
  const options: RootDatabaseOptions & { readonly permissionsMode: number } = {
    ...waiting,
    permissionsMode: mode,
    ...TEXTS,
  }
  const environment = open(path, options)
  lengthen(path, environment)
  return environment
}

/** The binding ends the process where a file is not of lmdb, so that its two meta pages are checked before. */
function refuseForeignFile(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) return
  const head = Buffer.alloc(2 * LARGEST_PAGE)
  const descriptor = openSync(file, 'r')
  const bytes = readSync(descriptor, head)
  closeSync(descriptor)
  const isMeta = (at: number): boolean => head.readUInt32LE(at + 24) === MAGIC
  const pageSize = isMeta(0) ? head.readUInt32LE(48) : 0
  const holdsBoth = pageSize > 0 && pageSize <= LARGEST_PAGE && bytes >= 2 * pageSize
  if (!holdsBoth || !isMeta(pageSize)) throw new Error(`${file} is not a file of this store`)
}

/**
 * Lengthens a file that was cut off: its last pages are then zeros, which lmdb refuses with an error. Reading
 * beyond the end of the file would end the process.
 */
function lengthen(path: string, environment: RootDatabase): void {
  const { lastPageNumber, root } = environment.getStats() as {
    lastPageNumber: number
    root: { pageSize: number }
  }
  const file = dataPath(path)
  const bytes = (lastPageNumber + 1) * root.pageSize
  if (statSync(file).size < bytes) truncateSync(file, bytes)
}
