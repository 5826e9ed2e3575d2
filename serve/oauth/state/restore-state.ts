/** Takes over a copy of a state into one that is empty. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { disk } from '../../../builder/system/effects.ts'
import { ChangeRefusedError } from '../../../builder/system/refusals.ts'
import type { StatePlace } from '../../../builder/workspace/workspace.ts'
import { type Copy, readCopy } from '../../store/lmdb-store.ts'
import type { Store } from '../../store/store.ts'
import { keysInFile } from '../keys/key-place.ts'
import { GRANTS, OAUTH_RECORDS } from './records.ts'
import { openServerState } from './server-state.ts'

/**
 * `from` is a copy that `tieout state backup` made, or the folder of the OAuth state of a server that kept it in files. With `replace` what
 * the state has is put aside first; keys that the copy lacks stay. Throws a {@link PlaceError} where `from` is neither, and a
 * {@link ChangeRefusedError} where the state is not empty.
 */
export async function restoreState(
  place: StatePlace,
  from: string,
  { replace }: { readonly replace: boolean },
): Promise<{ readonly grants: number; readonly replaced: string | null }> {
  if (resolve(from) === resolve(place.folder, 'oauth') && place.database === null)
    throw new ChangeRefusedError(`${from} is the state itself`)
  const copy = await readCopy(join(from, 'state'), OAUTH_RECORDS)
  const oauth = join(place.folder, 'oauth')
  const copied = await keysInFile(from).read()
  const version = copied ?? (replace ? await keysInFile(oauth).read() : null)
  const replaced = replace ? putAside(place, oauth) : null
  const { store, keys, close } = await openServerState(place, OAUTH_RECORDS)
  try {
    // A state that a restore left in the middle has records, and no keys.
    const records = await Promise.all([...copy.keys()].map((kind) => store.all(kind)))
    const isEmpty = version === null ? records.flat().length === 0 : (await keys.read()) === null
    if (!isEmpty)
      throw new ChangeRefusedError(
        'the state is not empty: a server has made keys in it already, or records; restore into a new database, or stop the server and say --replace',
      )
    await store.write(async (change) => {
      for (const [kind, entries] of copy) for (const { key, record } of entries) change.put(kind, key, record)
    })
    await requireSame(store, copy, from)
    // Last, since a state without keys can be restored into once more.
    if (version !== null) await keys.create(version.keys)
    return { grants: copy.get(GRANTS)?.length ?? 0, replaced }
  } finally {
    await close()
  }
}

/** Returns where the folder of the state lies now; null where there was none. */
function putAside({ database }: StatePlace, oauth: string): string | null {
  if (database !== null)
    throw new ChangeRefusedError('what is in a database is not replaced: restore into a new one')
  if (!existsSync(oauth)) return null
  const aside = `${oauth}.replaced-${new Date().toISOString().replaceAll(/[-:]|\..*/g, '')}`
  disk.rename(oauth, aside)
  return aside
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
