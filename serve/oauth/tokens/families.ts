/**
 * Every transition of codes, grants and their families of refresh tokens. Each is one write of the store, so that
 * it is safe among several processes, and is on the disk when it resolves.
 */
import type { Store, StoreChange, StoreEntry } from '../../store/store.ts'
import { OAuthError } from '../errors.ts'
import { CODES, type Code, GRANTS, type GrantRecord, isAlive } from '../state/records.ts'

export type Redeemed =
  | {
      readonly outcome: 'redeemed'
      readonly grantId: string
      readonly grant: GrantRecord
      /** Ids of older grants of the same user and client that the new one replaced. */
      readonly displaced: readonly string[]
      /** The code that was redeemed; absent where a refresh token was. */
      readonly code?: Code
    }
  | { readonly outcome: 'refused'; readonly problem: OAuthError }
  /** The code or token was used a second time, and the grant is revoked now. */
  | { readonly outcome: 'reused'; readonly grantId: string }

type CodeCheck = (code: Code) => OAuthError | GrantRecord
type GrantCheck = (grant: GrantRecord) => OAuthError | GrantRecord

/**
 * Grants kept for one user and one client, of the active and of the ended ones each. Beyond this the oldest is
 * removed, as GitHub does with older tokens of a user and application: refusing would lock out a user who connects
 * again because the client lost its tokens.
 */
export const GRANTS_MAX = 100

/**
 * `check` may refuse; a refused code is not used up. It is called inside the write, so that it must read the
 * present state.
 */
export const redeemCode = (
  store: Store,
  key: string,
  clientId: string,
  now: number,
  check: CodeCheck,
): Promise<Redeemed> =>
  store.write(async (change): Promise<Redeemed> => {
    const code = await change.get(CODES, key)
    // The client is compared first, so that another client can neither use up a code nor revoke its grant.
    if (code === undefined || code.clientId !== clientId) return refused('the code is not valid')
    if (code.usedAt !== null) {
      await revoke(change, code.grantId, now)
      return { outcome: 'reused', grantId: code.grantId }
    }
    if (code.expiresAt <= now) return refused('the code has expired')
    const grant = check(code)
    if (grant instanceof OAuthError) return { outcome: 'refused', problem: grant }
    change.put(CODES, key, { ...code, usedAt: now })
    const displaced = await add(change, code.grantId, grant, now)
    return { outcome: 'redeemed', grantId: code.grantId, grant, displaced, code }
  })

/** Returns the ids of older grants that it replaced. */
export const addGrant = (
  store: Store,
  grantId: string,
  grant: GrantRecord,
  now: number,
): Promise<readonly string[]> => store.write((change) => add(change, grantId, grant, now))

async function add(
  change: StoreChange,
  grantId: string,
  grant: GrantRecord,
  now: number,
): Promise<readonly string[]> {
  const others = (await change.ofOwner(GRANTS, grant.userId)).filter(
    ({ record }) => record.clientId === grant.clientId,
  )
  const living = others.filter(({ record }) => isAlive(record, now))
  const dead = others.filter(({ record }) => !isAlive(record, now))
  const displaced = beyond(living, GRANTS_MAX - 1)
  // Removed and not revoked, since revoked grants are kept for a month and would accumulate.
  for (const { key } of [...displaced, ...beyond(dead, GRANTS_MAX)]) change.remove(GRANTS, key)
  change.put(GRANTS, grantId, grant)
  return displaced.map(({ key }) => key)
}

/** All but the newest `count`. */
const beyond = (
  grants: readonly StoreEntry<GrantRecord>[],
  count: number,
): readonly StoreEntry<GrantRecord>[] =>
  [...grants].sort((a, b) => b.record.createdAt - a.record.createdAt).slice(count)

/** One step of the family of refresh tokens; see refresh-token.ts. `check` is as in {@link redeemCode}. */
export const refreshGrant = (
  store: Store,
  grantId: string,
  n: number,
  clientId: string,
  now: number,
  check: GrantCheck,
): Promise<Redeemed> =>
  store.write(async (change): Promise<Redeemed> => {
    const grant = await change.get(GRANTS, grantId)
    if (grant === undefined || grant.clientId !== clientId) return refused('the refresh token is not valid')
    if (!isAlive(grant, now)) return refused('the refresh token has expired or was revoked')
    if (n > grant.head) return refused('the refresh token is not valid')
    if (n < grant.head - 1) {
      await revoke(change, grantId, now)
      return { outcome: 'reused', grantId }
    }
    const next = check(grant)
    if (next instanceof OAuthError) return { outcome: 'refused', problem: next }
    // The predecessor was used again: the answer was lost, or two workers refreshed at once. Both get the same
    // successor.
    const advanced = n === grant.head ? { ...next, head: grant.head + 1 } : next
    change.put(GRANTS, grantId, advanced)
    return { outcome: 'redeemed', grantId, grant: advanced, displaced: [] }
  })

/** Revokes all of them in one write; those that are revoked already stay as they are. */
export const revokeGrants = (store: Store, grantIds: readonly string[], now: number): Promise<void> =>
  store.write(async (change) => {
    for (const grantId of grantIds) await revoke(change, grantId, now)
  })

async function revoke(change: StoreChange, grantId: string, now: number): Promise<void> {
  const grant = await change.get(GRANTS, grantId)
  if (grant && grant.revokedAt === null) change.put(GRANTS, grantId, { ...grant, revokedAt: now })
}

const refused = (description: string): Redeemed => ({
  outcome: 'refused',
  problem: new OAuthError('invalid_grant', description),
})
