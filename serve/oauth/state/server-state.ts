/**
 * Opens the state of servers where tieout.yaml has it: in files of this machine, after making sure that no other user
 * of it can read them, or in a database that several machines share.
 */

import { join, relative } from 'node:path'
import { closeBeyond, makeStateFolder, modesIn } from '../../../builder/workspace/state-folder.ts'
import type { StatePlace } from '../../../builder/workspace/workspace.ts'
import { openStore } from '../../store/lmdb-store.ts'
import type { RecordKind, Store } from '../../store/store.ts'
import { type KeyPlace, keysInFile } from '../keys/key-place.ts'
import { KEYS, keysInStore } from '../keys/key-record.ts'
import type { OAuthEvent } from '../server.ts'
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
  kinds: readonly RecordKind<unknown>[],
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
  const store = openStore(place.folder, kinds)
  const keys = keysInFile(join(place.folder, 'oauth'))
  return { store, keys, throttle: createThrottle(), isShared: false, close: () => store.close() }
}

async function openShared(url: string, kinds: readonly RecordKind<unknown>[]): Promise<ServerState> {
  const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts')
  const { limitersIn } = await import('../../store/postgres/counts.ts')
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
export async function withServerKeys<T>(place: StatePlace, work: (keys: KeyPlace) => Promise<T>): Promise<T> {
  if (place.database === null) return work(keysInFile(join(place.folder, 'oauth')))
  const { keys, close } = await openShared(place.database, [])
  try {
    return await work(keys)
  } finally {
    await close()
  }
}

interface Corrected {
  readonly file: string
  /** The octal mode before the correction. */
  readonly mode: string
}

/** Within the state folder, outermost first. A group that may read the state folder may not read these. */
const PRIVATE: readonly (readonly [path: string, mode: number])[] = [
  ['oauth', 0o700],
  ['oauth/state', 0o700],
  ['oauth/keys.json', 0o600],
  ['oauth/state/data.mdb', 0o600],
  ['oauth/state/lock.mdb', 0o600],
]

/**
 * Makes the folder of keys and state for the server's own user alone. Permissions of files that others could read are
 * corrected and reported: refusing to start would lock clients out after a restored backup, while whoever could read
 * the files may have done so already. Throws where they cannot be corrected (another owner).
 */
function keepPrivate(state: string): readonly Corrected[] {
  makeStateFolder(state)
  const all = [['.', modesIn(state).folder] as const, ...PRIVATE]
  const corrected = all.flatMap(([name, mode]) => {
    const path = join(state, name)
    const was = closed(path, mode)
    return was === null ? [] : [{ file: relative(join(state, '..'), path), mode: was.toString(8) }]
  })
  makeStateFolder(join(state, 'oauth'), 'state')
  return corrected
}

function closed(path: string, mode: number): number | null {
  try {
    return closeBeyond(path, mode)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).syscall !== 'chmod') throw cause
    const whom = (mode & 0o070) === 0 ? 'go' : 'o'
    throw new Error(
      `${path} is open to other users of this computer; run "chmod ${whom}= ${path}" as its owner`,
      { cause },
    )
  }
}
