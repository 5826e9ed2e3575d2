/** What people have granted, as its owner and the operator see it: whom to, since when, and whether it still holds. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Access } from '../../builder/workspace/access.ts'
import { disk } from '../../builder/workspace/effects.ts'
import { writeOutput } from '../../builder/workspace/output.ts'
import { readFileSync } from '../../builder/workspace/plain-file.ts'
import type { PlaceError } from '../../builder/workspace/refusals.ts'
import type { Entry } from '../store/store.ts'
import { revokeGrants } from './families.ts'
import { keyPath } from './key-file.ts'
import { GRANTS, type GrantRecord, OAUTH_RECORDS } from './records.ts'
import { isLive, liveCompanies, liveScopes, type OAuthEvent, type OAuthServer } from './server.ts'
import { openServerStore } from './state-store.ts'

export type GrantStatus = 'active' | 'revoked' | 'expired' | 'withdrawn'

export interface GrantInfo {
  readonly id: string
  readonly userId: string
  readonly clientId: string
  readonly status: GrantStatus
  readonly scopes: readonly string[]
  /** Those that still may be read. */
  readonly companies: readonly string[]
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly usedAt: number
  readonly endsAt: number
  /** Unless it is used until then. */
  readonly idleEndsAt: number
}

type Source = Pick<OAuthServer, 'access' | 'store' | 'now'>

/** Of everybody, oldest first. */
export const allGrants = async (server: Source): Promise<GrantInfo[]> =>
  described(server, await server.store.all(GRANTS))

/** Of one person, oldest first. */
export const grantsOf = async (server: Source, userId: string): Promise<GrantInfo[]> =>
  described(server, await server.store.ofOwner(GRANTS, userId))

const described = (server: Source, entries: readonly Entry<GrantRecord>[]): GrantInfo[] =>
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

/** Withdrawn: user or client are gone from access.yaml, or the password is another. */
function statusOf(server: Source, grant: GrantRecord): GrantStatus {
  if (grant.revokedAt !== null) return 'revoked'
  if (isLive(server, grant)) return 'active'
  return Math.min(grant.expiresAt, grant.idleExpiresAt) <= server.now() ? 'expired' : 'withdrawn'
}

export interface OperatorGrants {
  list(): Promise<GrantInfo[]>
  revoke(id: string): Promise<void>
  /**
   * Copies the keys, grants and sign-ins to a new folder, while servers run: it can take the place of `oauth` in a folder
   * of state. Throws {@link PlaceError} where it cannot be made.
   */
  backup(to: string): Promise<void>
  close(): Promise<void>
}

/** The same state that servers run on, for the operator; what is revoked here they refuse at once. */
export function openGrants(
  stateDir: string,
  access: Access,
  log: (event: OAuthEvent) => void = () => {},
): OperatorGrants {
  const store = openServerStore(stateDir, OAUTH_RECORDS, log)
  return {
    list: () => allGrants({ access, store, now: Date.now }),
    revoke: (id) => revokeGrants(store, [id], Date.now()),
    backup: (to) =>
      writeOutput(to, 'folder', async (staged) => {
        chmodSync(staged, 0o700)
        disk.makeFolder(join(staged, 'state'), 0o700)
        await store.backup(join(staged, 'state'))
        disk.create(keyPath(staged), readFileSync(keyPath(join(stateDir, 'oauth'))), 0o600)
      }),
    close: () => store.close(),
  }
}
