/** The server's keys, read again when they change, so that all processes and servers on one state use the same. */
import type { CryptoKey, JWK } from 'jose'
import { exportJWK } from 'jose/key/export'
import { importJWK } from 'jose/key/import'
import { present } from '../../../builder/contract/present.ts'
import { unavailable } from '../errors.ts'
import { ALG, type KeyFile, newKeys, type StoredKey } from './key-file.ts'
import type { KeyPlace, KeyVersion } from './key-place.ts'

/** How long clients may cache the published keys. */
export const JWKS_CACHE_SECONDS = 3600

export interface TokenKey {
  readonly kid: string
  readonly useFrom: number
  readonly endsAt: number | null
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

/** The keys at one time; another object as soon as they change. Times are in milliseconds. */
export interface KeySet extends Secrets {
  signing(now: number): TokenKey
  verifying(kid: string | undefined, now: number): TokenKey | undefined
  jwks(now: number): { readonly keys: readonly JWK[] }
}

/** HMAC keys, base64url. */
interface Secrets {
  /** Authenticates refresh tokens. */
  readonly refresh: string
  /** Authenticates what pages send to browsers: requests, forms, sessions. */
  readonly pages: string
}

/** The secrets are those that were read last, since every endpoint calls `current` first. */
export interface ServerKeys extends Secrets {
  /**
   * Throws `temporarily_unavailable` while they cannot be read, since those known here may have been withdrawn.
   */
  current(): Promise<KeySet>
}

/** No version has this mark, so that the keys are read at the next call. */
const UNREAD = ''

/** Opens the keys at `place`, or makes the first ones. `report` is called once where they can no longer be read. */
export async function openKeys(
  place: KeyPlace,
  now: number,
  report: (problem: Error) => void = () => {},
): Promise<ServerKeys> {
  if ((await place.read()) === null) await place.create(await newKeys(now))
  const first = await readAgain(place)
  let mark = first.mark
  let set = await load(first.keys)
  let loading: { readonly seen: string | null; readonly set: Promise<KeySet> } | null = null
  let isReported = false

  const reload = async (): Promise<KeySet> => {
    try {
      const version = await readAgain(place)
      // The same object while nothing has changed, since tokens that were verified are kept for it.
      if (version.mark !== mark) set = await load(version.keys)
      mark = version.mark
      isReported = false
      return set
    } catch (cause) {
      mark = UNREAD
      if (!isReported) report(cause as Error)
      isReported = true
      throw unavailable('the keys of this server cannot be read at the moment', cause)
    } finally {
      loading = null
    }
  }
  const current = async (): Promise<KeySet> => {
    const seen = place.mark()
    if (seen === mark && loading === null) return set
    // One reading at a time, so that an older version never overwrites a newer one.
    if (loading !== null && loading.seen !== seen) return loading.set.catch(() => {}).then(current)
    loading ??= { seen, set: reload() }
    return loading.set
  }
  return {
    current,
    get refresh() {
      return set.refresh
    },
    get pages() {
      return set.pages
    },
  }
}

async function readAgain(place: KeyPlace): Promise<KeyVersion> {
  const version = await place.read()
  if (version === null)
    throw new Error('the keys were removed: restore them from a backup, or start the server anew')
  return version
}

async function load({ signing: stored, refresh, pages }: KeyFile): Promise<KeySet> {
  const keys = await Promise.all(stored.map(importSigning))
  keys.sort((a, b) => a.useFrom - b.useFrom)
  const published = await Promise.all(keys.map(async (key) => ({ key, jwk: await publicJwk(key) })))
  const byId = new Map(keys.map((key) => [key.kid, key]))
  const lives = ({ endsAt }: TokenKey, now: number): boolean => endsAt === null || endsAt > now
  return {
    refresh,
    pages,
    signing: (now) =>
      present(keys.findLast(({ useFrom }) => useFrom <= now) ?? keys[0], 'signing key among the keys'),
    verifying: (kid, now) => {
      const key = kid === undefined ? undefined : byId.get(kid)
      return key !== undefined && lives(key, now) ? key : undefined
    },
    jwks: (now) => ({ keys: published.filter(({ key }) => lives(key, now)).map(({ jwk }) => jwk) }),
  }
}

async function importSigning({ kid, useFrom, endsAt, jwk }: StoredKey): Promise<TokenKey> {
  const { kty, n, e } = jwk as JWK
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk as JWK, ALG),
    importJWK({ kty, n, e } as JWK, ALG, { extractable: true }),
  ])
  return { kid, useFrom, endsAt, privateKey: privateKey as CryptoKey, publicKey: publicKey as CryptoKey }
}

/** Made from the public key alone, so that no private member can be published. */
const publicJwk = async ({ kid, publicKey }: TokenKey): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  kid,
  use: 'sig',
  alg: ALG,
})
