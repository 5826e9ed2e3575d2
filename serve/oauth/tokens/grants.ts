/** Grants as their owner and the operator see them: to whom, since when, and whether they are still valid. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { disk } from '../../../builder/system/effects.ts'
import { writeOutput } from '../../../builder/system/output.ts'
import { PlaceError } from '../../../builder/system/refusals.ts'
import type { Access } from '../../../builder/workspace/access/access.ts'
import type { StatePlace } from '../../../builder/workspace/workspace.ts'
import type { StoreEntry } from '../../store/store.ts'
import { encodeKeys } from '../keys/key-file.ts'
import { keyPath } from '../keys/key-place.ts'
import { isLive, liveCompanies, liveScopes, type OAuthEvent, type OAuthServer } from '../server.ts'
import { GRANTS, type GrantRecord, OAUTH_RECORDS } from '../state/records.ts'
import { openServerState } from '../state/server-state.ts'
import { revokeGrants } from './families.ts'

export type GrantStatus = 'active' | 'revoked' | 'expired' | 'withdrawn'

export interface GrantInfo {
  readonly id: string
  readonly userId: string
  readonly clientId: string
  readonly status: GrantStatus
  readonly scopes: readonly string[]
  /** Companies that the grant can still read. */
  readonly companies: readonly string[]
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly usedAt: number
  readonly endsAt: number
  /** The grant ends then unless it is used before. */
  readonly idleEndsAt: number
}

type Source = Pick<OAuthServer, 'access' | 'store' | 'now'>

/** All grants, oldest first. */
const allGrants = async (server: Source): Promise<GrantInfo[]> =>
  described(server, await server.store.all(GRANTS))

/** The grants of one user, oldest first. */
export const grantsOf = async (server: Source, userId: string): Promise<GrantInfo[]> =>
  described(server, await server.store.ofOwner(GRANTS, userId))

const described = (server: Source, entries: readonly StoreEntry<GrantRecord>[]): GrantInfo[] =>
  entries
    .map(({ key, record }) => describe(server, key, record))
    .sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))

const describe = (server: Source, id: string, grant: GrantRecord): GrantInfo => ({
  id,
  userId: grant.userId,
  clientId: grant.clientId,
  status: statusOf(server, grant),
  scopes: liveScopes(server, grant),
  companies: liveCompanies(server, grant),
  since: grant.createdAt,
  usedAt: grant.usedAt,
  endsAt: grant.expiresAt,
  idleEndsAt: grant.idleExpiresAt,
})

/** `withdrawn`: user or client were removed from access.yaml, or the password was changed. */
function statusOf(server: Source, grant: GrantRecord): GrantStatus {
  if (grant.revokedAt !== null) return 'revoked'
  if (isLive(server, grant)) return 'active'
  return Math.min(grant.expiresAt, grant.idleExpiresAt) <= server.now() ? 'expired' : 'withdrawn'
}

export interface OperatorGrants {
  list(): Promise<GrantInfo[]>
  revoke(id: string): Promise<void>
  /**
   * Copies grants and sign-ins, and the keys if asked, to a new folder while servers run; the copy can replace `oauth` in a
   * state folder. Throws {@link PlaceError} where it cannot be made.
   */
  backup(to: string, what: { readonly keys: boolean }): Promise<void>
  close(): Promise<void>
}

/** Opens the state on which servers run, for the operator; servers refuse at once what is revoked here. */
export async function openGrants(
  place: StatePlace,
  access: Access,
  log: (event: OAuthEvent) => void = () => {},
): Promise<OperatorGrants> {
  const { store, keys, close } = await openServerState(place, OAUTH_RECORDS, log)
  return {
    list: () => allGrants({ access, store, now: Date.now }),
    revoke: (id) => revokeGrants(store, [id], Date.now()),
    backup: (to, what) =>
      writeOutput(to, 'folder', async (staged) => {
        chmodSync(staged, 0o700)
        disk.makeFolder(join(staged, 'state'), 0o700)
        await store.backup(join(staged, 'state'))
        if (!what.keys) return
        const version = await keys.read()
        if (version === null)
          throw new PlaceError('there are no keys yet: a server makes them when it first starts')
        disk.create(keyPath(staged), encodeKeys(version.keys), 0o600)
      }),
    close,
  }
}
