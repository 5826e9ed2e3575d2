/** Takes over a copy of a state into one that is empty. */
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ChangeRefusedError, PlaceError } from '../../builder/workspace/refusals.ts'
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import { type Copy, readCopy } from '../store/lmdb-store.ts'
import type { Store } from '../store/store.ts'
import { keysInFile } from './key-place.ts'
import { GRANTS, OAUTH_RECORDS } from './records.ts'
import { openServerState } from './server-state.ts'

/**
 * `from` is a copy that `tieout grants backup` made, or the folder of the OAuth state of a server that kept it in files. Throws a
 * {@link PlaceError} where it is neither, and a {@link ChangeRefusedError} where the state is not empty.
 */
export async function restoreState(place: StatePlace, from: string): Promise<{ readonly grants: number }> {
  if (resolve(from) === resolve(place.folder, 'oauth') && place.database === null)
    throw new ChangeRefusedError(`${from} is the state itself`)
  const copy = await readCopy(join(from, 'state'), OAUTH_RECORDS)
  const version = await keysInFile(from).read()
  if (version === null) throw new PlaceError(`${from} holds no keys (keys.json)`)
  const { store, keys, close } = await openServerState(place, OAUTH_RECORDS)
  try {
    if ((await keys.read()) !== null)
      throw new ChangeRefusedError(
        'the state is not empty: a server has made keys in it already; restore into a new database, or a folder without "oauth"',
      )
    await store.write(async (change) => {
      for (const [kind, entries] of copy) for (const { key, record } of entries) change.put(kind, key, record)
    })
    await requireSame(store, copy, from)
    // Last, since a state without keys can be restored into once more.
    await keys.create(version.keys)
    return { grants: copy.get(GRANTS)?.length ?? 0 }
  } finally {
    await close()
  }
}

/** Reads back what was written. The store holds nothing else, since it was empty. */
async function requireSame(store: Store, copy: Copy, from: string): Promise<void> {
  for (const [kind, entries] of copy) {
    const there = new Map((await store.all(kind)).map(({ key, record }) => [key, record]))
    if (
      there.size !== entries.length ||
      entries.some(({ key, record }) => !isDeepStrictEqual(there.get(key), record))
    )
      throw new ChangeRefusedError(
        `the restored ${kind.name} are not those of ${from}, and no keys were restored: another server or command uses this state; restore into a new one`,
      )
  }
}
