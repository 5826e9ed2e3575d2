/**
 * lmdb, held so that a failing disk costs answers and nothing else: each write is one transaction, undone whole where it
 * fails; reading goes on. Several processes may hold the same folder. All that a server keeps lies in such stores.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase, type RootDatabaseOptions } from 'lmdb'
import { PlaceError } from '../builder/workspace/refusals.ts'

export type Table<T> = Pick<Database<T, string>, 'get' | 'put' | 'remove' | 'getRange' | 'getStats'>

export interface Store<Tables> {
  /** What is read here was durable, or is part of nothing. */
  read<T>(look: (tables: Tables) => T): T
  /** Throws {@link StoreUnavailableError} where it cannot be written; `action` must not wait for anything. */
  write<T>(action: (tables: Tables) => T): Promise<T>
  /** Writes what is durable now into `folder`, which is there and empty, while other processes go on writing. */
  backup(folder: string): Promise<void>
  close(): Promise<void>
}

/** Nothing was written, since the disk is full or fails: it can be tried again. */
export class StoreUnavailableError extends Error {
  readonly code = 'store-unavailable'
}

export interface StoreOptions {
  /** A write is on the disk when it returns. Else it need only survive this process, and waits for no disk. */
  readonly durable: boolean
  /** Of its files. */
  readonly mode?: number
  /** Errors that `action` throws itself: the disk has no part in them. */
  readonly isRefusal?: (problem: unknown) => boolean
}

/**
 * Below this lmdb is not asked to write: where a page cannot be written, its native part formats the error into a
 * buffer that is too short for it (mdb_page_flush, lmdb 3.5.6), and the heap is damaged.
 */
const RESERVE_BYTES = 8 * 1024 * 1024
const DATA = 'data.mdb'
const MAGIC = 0xbeefc0de
const LARGEST_PAGE = 64 * 1024
/** So that the answer still goes out. */
const END_AFTER_MS = 500

export function openStore<Tables extends Readonly<Record<string, Table<unknown>>>>(
  path: string,
  tablesOf: (table: <T>(name: string) => Table<T>) => Tables,
  { durable, mode = 0o600, isRefusal = () => false }: StoreOptions,
): Store<Tables> {
  const openAll = () => {
    const environment = openEnvironment(path, durable, mode)
    const tables = tablesOf(<T>(name: string) => environment.openDB<T, string>(name, { encoding: 'json' }))
    return { environment, tables }
  }
  let opened = orDamaged(path, () => {
    const first = openAll()
    readAll(first.tables)
    return first
  })

  /** After a failed write lmdb may refuse everything, reads too (MDB_PANIC), until it is opened anew. */
  const reopen = async (): Promise<void> => {
    const closed = opened.environment.close()
    opened = openAll()
    await closed
  }
  return {
    read: (look) => look(opened.tables),
    write: async (action) => {
      requireRoom(path)
      try {
        // Synchronous: a failed commit of lmdb's own queue rejects promises that nobody holds, and ends the process.
        return opened.environment.transactionSync(() => action(opened.tables))
      } catch (cause) {
        if (isRefusal(cause)) throw cause
        if (/Attempting to write page/.test(String(cause))) endSoon(path, cause)
        await reopen().catch(() => {})
        throw new StoreUnavailableError(`${path} cannot be written`, { cause })
      }
    },
    backup: async (folder) => {
      try {
        await opened.environment.backup(folder, true)
      } catch (cause) {
        throw new PlaceError(`${folder} cannot be written: ${(cause as Error).message}`, { cause })
      }
      chmodSync(join(folder, DATA), mode)
    },
    close: () => opened.environment.close(),
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

/** A disk that takes no pages, and a heap that may be damaged: whoever supervises the process starts it anew. */
function endSoon(path: string, cause: unknown): void {
  setTimeout(() => {
    throw new Error(`${path} cannot be written: this process must not go on`, { cause })
  }, END_AFTER_MS)
}

function orDamaged<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (cause) {
    const remedy = 'restore it from a backup, or remove it: every client then has to connect again'
    throw new Error(`${path} cannot be read or is damaged; ${remedy}`, { cause })
  }
}

function openEnvironment(path: string, durable: boolean, mode: number): RootDatabase {
  refuseForeignFile(join(path, DATA))
  // `permissionsMode` is read by the binding but absent from its types; the default is 0664.
  // Without overlappingSync a transaction ends only after its fsync.
  const waiting = durable ? { overlappingSync: false } : { noSync: true }
  const options: RootDatabaseOptions & { readonly permissionsMode: number } = {
    ...waiting,
    permissionsMode: mode,
    encoding: 'json',
  }
  const environment = open(path, options)
  lengthen(path, environment)
  return environment
}

/** The binding ends the process where a file is none of lmdb's: its two meta pages are looked at before. */
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

/** Pages that were cut off are zeros then, which lmdb refuses; beyond the end of the file reading ends the process. */
function lengthen(path: string, environment: RootDatabase): void {
  const { lastPageNumber, root } = environment.getStats() as {
    lastPageNumber: number
    root: { pageSize: number }
  }
  const file = join(path, DATA)
  const bytes = (lastPageNumber + 1) * root.pageSize
  if (statSync(file).size < bytes) truncateSync(file, bytes)
}

/** A damaged entry is found when the server starts, not when a client comes. */
function readAll(tables: Readonly<Record<string, Table<unknown>>>): void {
  for (const table of Object.values(tables)) for (const { value } of table.getRange()) void value
}
