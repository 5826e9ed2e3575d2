/**
 * Replaces the signing key while servers run: the next key is announced, later signs, and the old one ends when its
 * last token has expired.
 */

import { dirname } from 'node:path'
import { present } from '../../builder/contract/present.ts'
import { isThere } from '../../builder/workspace/effects.ts'
import { revokeGrants } from './families.ts'
import {
  keyPath,
  newSecrets,
  newSigningKey,
  readKeyFile,
  replaceKeyFile,
  type StoredKey,
} from './key-file.ts'
import { JWKS_CACHE_SECONDS } from './keys.ts'
import { GRANTS, OAUTH_RECORDS } from './records.ts'
import { openServerStore } from './state-store.ts'

const MINUTE_MS = 60 * 1000
/**
 * Long enough for clients that fetched the published keys just before the announcement to fetch them again before
 * the new key signs.
 */
const ANNOUNCED_MS = JWKS_CACHE_SECONDS * 1000 + 10 * MINUTE_MS
const SKEW_MS = 5 * MINUTE_MS

export type KeyStatus = 'announced' | 'signing' | 'ending' | 'ended'

export interface KeyInfo {
  readonly kid: string
  readonly status: KeyStatus
  readonly useFrom: number
  readonly endsAt: number | null
}

export interface Rotation {
  /** The longest lifetime of an access token, in seconds. */
  readonly longestTokenSeconds: number
  /** Others have seen the keys: they end at once, and with them everything that was made with them. */
  readonly compromised: boolean
}

export type Rotated =
  | { readonly outcome: 'rotated'; readonly key: KeyInfo }
  | { readonly outcome: 'announced-already'; readonly key: KeyInfo }
  | { readonly outcome: 'no-keys' }
  | { readonly outcome: 'changed-meanwhile' }

/** The keys, oldest first; null where no server has made any yet. `folder` is the folder of the OAuth state. */
export function listKeys(folder: string, now: number): readonly KeyInfo[] | null {
  const path = keyPath(folder)
  return isThere(path) ? describe(readKeyFile(path).signing, now) : null
}

export async function rotateKeys(
  folder: string,
  now: number,
  { longestTokenSeconds, compromised }: Rotation,
): Promise<Rotated> {
  const path = keyPath(folder)
  if (!isThere(path)) return { outcome: 'no-keys' }
  const before = readKeyFile(path)
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
  const secrets = compromised ? newSecrets() : {}
  if (!replaceKeyFile(path, before, { ...before, signing, ...secrets }))
    return { outcome: 'changed-meanwhile' }
  if (compromised) await endGrants(folder, now)
  const made = describe(signing, now).find(({ kid }) => kid === next.kid)
  return { outcome: 'rotated', key: present(made, 'new key among the signing keys') }
}

/** Revokes all grants. Their tokens are refused anyway; this only keeps them from being listed as active. */
async function endGrants(folder: string, now: number): Promise<void> {
  const store = openServerStore(dirname(folder), OAUTH_RECORDS)
  try {
    const grants = await store.all(GRANTS)
    await revokeGrants(
      store,
      grants.map(({ key }) => key),
      now,
    )
  } finally {
    await store.close()
  }
}

function describe(keys: readonly StoredKey[], now: number): KeyInfo[] {
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
