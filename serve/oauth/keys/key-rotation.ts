/**
 * Replaces the signing key while servers run: the next key is announced, later signs, and the old one ends when its
 * last token has expired.
 */
import { present } from '../../../builder/contract/present.ts'
import { SecretError } from '../../../builder/system/refusals.ts'
import type { StatePlace } from '../../../builder/workspace/workspace.ts'
import { GRANTS, OAUTH_RECORDS } from '../state/records.ts'
import { openServerState, withServerKeys } from '../state/server-state.ts'
import { revokeGrants } from '../tokens/families.ts'
import { type KeyFile, newSecrets, newSigningKey, type StoredKey } from './key-file.ts'
import type { KeyPlace } from './key-place.ts'
import { JWKS_CACHE_SECONDS } from './keys.ts'

const MINUTE_MS = 60 * 1000
/**
 * Long enough for clients that fetched the published keys just before the announcement to fetch them again before
 * the new key signs.
 */
const ANNOUNCED_MS = JWKS_CACHE_SECONDS * 1000 + 10 * MINUTE_MS
const SKEW_MS = 5 * MINUTE_MS

type KeyStatus = 'announced' | 'signing' | 'ending' | 'ended'

export interface TokenKeyInfo {
  readonly kid: string
  readonly status: KeyStatus
  readonly useFrom: number
  readonly endsAt: number | null
}

interface Rotation {
  /** The longest lifetime of an access token, in seconds. */
  readonly longestTokenSeconds: number
  /** Whether others may have seen the keys: then they end at once, and with them everything that was made with them. */
  readonly compromised: boolean
}

type Rotated =
  | { readonly outcome: 'rotated'; readonly key: TokenKeyInfo }
  | { readonly outcome: 'announced-already'; readonly key: TokenKeyInfo }
  | { readonly outcome: 'no-keys' }
  | { readonly outcome: 'changed-meanwhile' }

/** The keys, oldest first; null where no server has made any yet. */
export const listKeys = (place: StatePlace, now: number): Promise<readonly TokenKeyInfo[] | null> =>
  withServerKeys(place, async (keys) => {
    const version = await keys.read()
    return version === null ? null : describe(version.keys.signing, now)
  })

export async function rotateKeys(
  place: StatePlace,
  now: number,
  { longestTokenSeconds, compromised }: Rotation,
): Promise<Rotated> {
  const rotated = await withServerKeys(place, async (keys): Promise<Rotated> => {
    const before = await readOrGiveUp(keys, compromised)
    if (before === null) return { outcome: 'no-keys' }
    const announced = describe(before.signing, now).find(({ status }) => status === 'announced')
    if (announced !== undefined && !compromised) return { outcome: 'announced-already', key: announced }
    const next = await newSigningKey(compromised ? now : now + ANNOUNCED_MS)
    const lastToken = next.useFrom + longestTokenSeconds * 1000 + SKEW_MS
    const kept = compromised
      ? []
      : before.signing
          .filter(({ endsAt }) => endsAt === null || endsAt > now)
          .map((key) => ({ ...key, endsAt: key.endsAt ?? lastToken }))
    const signing = [...kept, next]
    const secrets = compromised ? newSecrets() : before.secrets
    if (!(await keys.replace(before.mark, { signing, ...secrets }))) return { outcome: 'changed-meanwhile' }
    const made = describe(signing, now).find(({ kid }) => kid === next.kid)
    return { outcome: 'rotated', key: present(made, 'new key among the signing keys') }
  })
  if (rotated.outcome === 'rotated' && compromised) await endGrants(place, now)
  return rotated
}

interface Before {
  readonly mark: string | null
  readonly signing: readonly StoredKey[]
  readonly secrets: Pick<KeyFile, 'refresh' | 'pages'>
}

/** Keys that nobody can open any more are only given up where all access ends anyway. */
async function readOrGiveUp(place: KeyPlace, compromised: boolean): Promise<Before | null> {
  try {
    const version = await place.read()
    if (version === null) return null
    const { signing, ...secrets } = version.keys
    return { mark: version.mark, signing, secrets }
  } catch (problem) {
    if (!compromised || !(problem instanceof SecretError)) throw problem
    return { mark: null, signing: [], secrets: newSecrets() }
  }
}

/** Revokes all grants. Their tokens are refused anyway; this only keeps them from being listed as active. */
async function endGrants(place: StatePlace, now: number): Promise<void> {
  const { store, close } = await openServerState(place, OAUTH_RECORDS)
  try {
    const grants = await store.all(GRANTS)
    await revokeGrants(
      store,
      grants.map(({ key }) => key),
      now,
    )
  } finally {
    await close()
  }
}

function describe(keys: readonly StoredKey[], now: number): TokenKeyInfo[] {
  const sorted = [...keys].sort((a, b) => a.useFrom - b.useFrom)
  const signing = sorted.findLast(({ useFrom }) => useFrom <= now) ?? sorted[0]
  return sorted.map((key) => ({
    kid: key.kid,
    status: statusOf(key, key === signing, now),
    useFrom: key.useFrom,
    endsAt: key.endsAt,
  }))
}

function statusOf({ useFrom, endsAt }: StoredKey, signs: boolean, now: number): KeyStatus {
  if (signs) return 'signing'
  if (useFrom > now) return 'announced'
  return endsAt !== null && endsAt <= now ? 'ended' : 'ending'
}
