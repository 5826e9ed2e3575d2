/**
 * The store in files of lmdb: durable records in `oauth/state`, which only the server can read; passing records in
 * `pins`, which builds may read, so that they remove no snapshot that clients are reading.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bootId } from '../../builder/snapshot/log/lock.ts'
import { namesIn } from '../../builder/system/durable.ts'
import { PlaceError } from '../../builder/system/refusals.ts'
import { makeStateFolder, modesIn } from '../../builder/workspace/state-folder.ts'
import { beginAttempt, type TableOf } from './attempt.ts'
import { forgetOver, SEEN_OVER } from './forgetting.ts'
import { type KindTable, openKind } from './kind-table.ts'
import { dataPath, type LmdbFile, openLmdbFile, readLmdbTable } from './lmdb-file.ts'
import { createParsed } from './parsed.ts'
import {
  type RecordKind,
  type Store,
  type StoreChange,
  type StoreEntry,
  StoreUnavailableError,
} from './store.ts'

type Keeps = RecordKind<unknown>['keeps']
type Opened = ReadonlyMap<RecordKind<unknown>, KindTable<unknown>>

/** How often a write is tried: another process may change what it has read, but not this often by chance. */
const ATTEMPTS_MAX = 100

/**
 * Passing records are written without waiting for the disk, so that a crash of the computer may leave anything.
 * Each start of the computer therefore has its own folder.
 */
const PASSING = 'pins'
const passingFolder = (): string => join(PASSING, bootId() ?? 'current')

/**
 * Opens the records of these kinds in `state`, the server's private folder, or makes their files. Throws where they
 * are damaged.
 */
export function openStore(state: string, kinds: readonly RecordKind<unknown>[]): Store {
  const kept = (keeps: Keeps) => kinds.filter((kind) => kind.keeps === keeps)
  const tables: Opened = new Map([
    ...(kept('durable').length > 0 ? openDurable(state, [...kept('durable'), SEEN_OVER]) : []),
    ...(kept('passing').length > 0 ? openPassing(state, kept('passing')) : []),
  ])
  return createStore(kinds, tables)
}

/** The passing records of this kind that running servers keep in `state`, read without joining them. */
export async function lookAtPassingFiles<T>(
  state: string,
  kind: RecordKind<T>,
): Promise<readonly StoreEntry<T>[]> {
  const entries = await readLmdbTable(join(state, passingFolder()), kind.name)
  const { record } = createParsed(kind)
  return (entries ?? []).map(([key, text]) => ({ key, record: record(key, text) }))
}

export type Copy = ReadonlyMap<RecordKind<unknown>, readonly StoreEntry<unknown>[]>

/** Writes records into the empty `folder`, as {@link Store.backup} leaves it. */
export async function writeCopy(folder: string, copy: Copy): Promise<void> {
  const tables = openTables(folder, [...copy.keys()], true, 0o600)
  for (const file of filesOf(tables)) {
    file.transactSync(() => {
      for (const [kind, entries] of copy)
        for (const { key, record } of entries) tables.get(kind)?.put(key, record)
    })
    await file.close()
  }
  rmSync(join(folder, 'lock.mdb'), { force: true })
}

/** Reads what {@link Store.backup} or a server of this machine has left in `folder`. Throws {@link PlaceError} where there is nothing. */
export async function readCopy(folder: string, kinds: readonly RecordKind<unknown>[]): Promise<Copy> {
  if (!existsSync(dataPath(folder))) throw new PlaceError(`${folder} holds no copy of a state`)
  const tables = openTables(folder, [...durableOf(kinds), SEEN_OVER], true, 0o600)
  const copy = new Map([...tables].map(([kind, table]) => [kind, table.entries()]))
  for (const file of filesOf(tables)) await file.close()
  return copy
}

const filesOf = (tables: Opened): ReadonlySet<LmdbFile> =>
  new Set([...tables.values()].map(({ file }) => file))

export const durableOf = (kinds: readonly RecordKind<unknown>[]): readonly RecordKind<unknown>[] =>
  kinds.filter(({ keeps }) => keeps === 'durable')

const openDurable = (state: string, kinds: readonly RecordKind<unknown>[]): Opened =>
  openTables(makeStateFolder(join(state, 'oauth'), 'state'), kinds, true, 0o600)

function openPassing(state: string, kinds: readonly RecordKind<unknown>[]): Opened {
  const path = makeStateFolder(state, passingFolder())
  const folder = join(state, PASSING)
  for (const name of namesIn(folder)) if (join(folder, name) !== path) removeOld(join(folder, name))
  return openTables(path, kinds, false, modesIn(state).file)
}

/**
 * Removes the folder of an earlier start of the computer, or of an earlier version; it does no harm where it cannot
 * be removed.
 */
function removeOld(path: string): void {
  try {
    rmSync(path, { recursive: true })
  } catch {
    // The next server that starts tries again.
  }
}

function openTables(
  path: string,
  kinds: readonly RecordKind<unknown>[],
  durable: boolean,
  mode: number,
): Opened {
  try {
    const file = openLmdbFile(path, { tables: kinds.map(({ name }) => name), durable, mode })
    const opened = new Map(kinds.map((kind) => [kind, openKind(file, kind)] as const))
    // Reads every record, so that a damaged one is found when the server starts and not in a request.
    for (const table of opened.values()) table.entries()
    return opened
  } catch (cause) {
    const remedy = 'restore it from a backup, or remove it: every client then has to connect again'
    throw new Error(`${path} cannot be read or is damaged; ${remedy}`, { cause })
  }
}

function createStore(kinds: readonly RecordKind<unknown>[], tables: Opened): Store {
  const tableOf: TableOf = <T>(kind: RecordKind<T>) => {
    const table = tables.get(kind)
    if (table === undefined) throw new Error(`this store was opened without ${kind.name}`)
    // The table was opened for this very kind.
    return table as KindTable<T>
  }
  const files = filesOf(tables)
  const durable = [...tables].filter(([{ keeps }]) => keeps === 'durable').map(([, { file }]) => file)
  const write = inTurn((action) => attempt(tableOf, files, action))
  const store: Store = {
    get: async (kind, key) => tableOf(kind).get(key),
    known: (kind, key) => tableOf(kind).get(key),
    ofOwner: async (kind, owner) => tableOf(kind).ofOwner(owner),
    all: async (kind) => tableOf(kind).entries(),
    write,
    forget: (now) => forgetOver(store, kinds, now),
    requireInPlace: async () => {
      for (const file of durable) file.requireInPlace()
    },
    backup: async (folder) => {
      for (const file of new Set(durable)) await file.backup(folder)
    },
    close: async () => {
      for (const file of files) await file.close()
    },
  }
  return store
}

type Write = Store['write']

/** Runs the writes of this process one after the other, so that they do not make each other start again. */
function inTurn(write: Write): Write {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const mine = last.then(() => write(action))
    last = mine.catch(() => {})
    return mine
  }
}

async function attempt<T>(
  tableOf: TableOf,
  files: ReadonlySet<LmdbFile>,
  action: (change: StoreChange) => Promise<T>,
): Promise<T> {
  for (let i = 0; i < ATTEMPTS_MAX; i++) {
    for (const file of files) file.refresh()
    const { change, file, commit } = beginAttempt(tableOf)
    const result = await action(change)
    const changed = file()
    const isDone = changed === null || changed.transactSync(commit)
    // Another process may have written meanwhile, so that the next read must not see what this attempt has read.
    for (const each of files) each.refresh()
    if (isDone) return result
  }
  throw new StoreUnavailableError('other processes change the same records all the time')
}
