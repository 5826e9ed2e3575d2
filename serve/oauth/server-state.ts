/**
 * Opens the state of servers where tieout.yaml has it: in files of this machine, after making sure that no other user
 * of it can read them, or in a database that several machines share.
 */
import { join } from 'node:path'
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import { openStore } from '../store/lmdb-store.ts'
import type { Kind, Store } from '../store/store.ts'
import { type KeyPlace, keysInFile } from './key-place.ts'
import { KEYS, keysInStore } from './key-record.ts'
import { keepPrivate } from './private-files.ts'
import type { OAuthEvent } from './server.ts'
import { ACCESS } from './shared-access.ts'
import { createThrottle, type Throttle } from './throttle.ts'

export interface ServerState {
  readonly store: Store
  readonly keys: KeyPlace
  /** Counts attempts to sign in: of all servers together where they share a database. */
  readonly throttle: Throttle
  /** Servers on other machines have the same state. */
  readonly isShared: boolean
  close(): Promise<void>
}

/** `log` gets an event for every correction of the folder of the state. */
export async function openServerState(
  place: StatePlace,
  kinds: readonly Kind<unknown>[],
  log: (event: OAuthEvent) => void = () => {},
): Promise<ServerState> {
  if (place.database !== null) return openShared(place.database, kinds)
  for (const { file, mode } of keepPrivate(place.folder))
    log({
      event: 'mode-corrected',
      file,
      mode,
      detail: 'other users of this computer could read it until now',
    })
  const store = openStore(place.folder, kinds, ({ event, detail }) => log({ event, detail }))
  const keys = keysInFile(join(place.folder, 'oauth'))
  return { store, keys, throttle: createThrottle(), isShared: false, close: () => store.close() }
}

async function openShared(url: string, kinds: readonly Kind<unknown>[]): Promise<ServerState> {
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts')
  const { limitersIn } = await import('../store/postgres/counts.ts')
  const store = await openPostgresStore(url, [...kinds, KEYS, ACCESS])
  return {
    store,
    keys: keysInStore(store),
    throttle: createThrottle(limitersIn(store.connections)),
    isShared: true,
    close: () => store.close(),
  }
}

/** The keys while `work` runs. Where they are in a file, nothing else is opened or made. */
export async function withKeys<T>(place: StatePlace, work: (keys: KeyPlace) => Promise<T>): Promise<T> {
  if (place.database === null) return work(keysInFile(join(place.folder, 'oauth')))
  const { keys, close } = await openShared(place.database, [])
  try {
    return await work(keys)
  } finally {
    await close()
  }
}
