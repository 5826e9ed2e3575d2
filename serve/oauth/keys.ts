/** The server's keys, read again when the file changes, so that all processes on one state use the same. */

import { statSync } from 'node:fs'
import type { CryptoKey, JWK } from 'jose'
import { exportJWK } from 'jose/key/export'
import { importJWK } from 'jose/key/import'
import { present } from '../../builder/contract/present.ts'
import { oncePerTurn } from '../per-turn.ts'
import { unavailable } from './errors.ts'
import { ALG, ensureKeyFile, type KeyFile, keyPath, readKeyFile, type StoredKey } from './key-file.ts'

/** How long clients may cache the published keys. */
export const JWKS_CACHE_SECONDS = 3600

export interface SigningKey {
  readonly kid: string
  readonly useFrom: number
  readonly endsAt: number | null
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

/** The contents of the file at one time; another object as soon as the file changes. Times are in milliseconds. */
export interface KeySet extends Secrets {
  signing(now: number): SigningKey
  verifying(kid: string | undefined, now: number): SigningKey | undefined
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
export interface Keys extends Secrets {
  /**
   * Throws `temporarily_unavailable` while the file cannot be read, since it may have withdrawn the keys known
   * here.
   */
  current(): Promise<KeySet>
  /** The same where the file need not be read, else null. */
  now(): KeySet | null
}

/** No file has this mark, so that the file is read at the next call. */
const UNREAD = ''

/** Opens `folder`/keys.json, or makes it. `report` is called once where the file can no longer be read. */
export async function openKeys(
  folder: string,
  now: number,
  report: (problem: Error) => void = () => {},
): Promise<Keys> {
  const path = keyPath(folder)
  await ensureKeyFile(path, now)
  let mark = markOf(path)
  let set = await load(readKeyFile(path))
  let loading: Promise<KeySet> | null = null
  let isReported = false
  const markNow = oncePerTurn(markOf)

  const reload = async (): Promise<KeySet> => {
    try {
      set = await load(readKeyFile(path))
      isReported = false
      return set
    } catch (cause) {
      mark = UNREAD
      if (!isReported) report(cause as Error)
      isReported = true
      throw unavailable('the keys of this server cannot be read at the moment', cause)
    }
  }
  const current = async (): Promise<KeySet> => {
    const seen = markNow(path)
    if (seen === mark) return loading ?? set
    // One reading at a time, so that an older version never overwrites a newer one.
    if (loading) return loading.catch(() => {}).then(current)
    mark = seen
    loading = reload().finally(() => {
      loading = null
    })
    return loading
  }
  return {
    current,
    now: () => (loading === null && markNow(path) === mark ? set : null),
    get refresh() {
      return set.refresh
    },
    get pages() {
      return set.pages
    },
  }
}

/** Identifies a version of the file, which is replaced as a whole and therefore has another inode each time. */
function markOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino}-${mtimeNs}-${size}`
  } catch (problem) {
    // Reading the file will report the failure in words.
    return (problem as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}

async function load({ signing: stored, refresh, pages }: KeyFile): Promise<KeySet> {
  const keys = await Promise.all(stored.map(importSigning))
  keys.sort((a, b) => a.useFrom - b.useFrom)
  const published = await Promise.all(keys.map(async (key) => ({ key, jwk: await publicJwk(key) })))
  const byId = new Map(keys.map((key) => [key.kid, key]))
  const lives = ({ endsAt }: SigningKey, now: number): boolean => endsAt === null || endsAt > now
  return {
    refresh,
    pages,
    signing: (now) =>
      present(keys.findLast(({ useFrom }) => useFrom <= now) ?? keys[0], 'signing key in the key file'),
    verifying: (kid, now) => {
      const key = kid === undefined ? undefined : byId.get(kid)
      return key !== undefined && lives(key, now) ? key : undefined
    },
    jwks: (now) => ({ keys: published.filter(({ key }) => lives(key, now)).map(({ jwk }) => jwk) }),
  }
}

async function importSigning({ kid, useFrom, endsAt, jwk }: StoredKey): Promise<SigningKey> {
  const { kty, n, e } = jwk as JWK
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk as JWK, ALG),
    importJWK({ kty, n, e } as JWK, ALG, { extractable: true }),
  ])
  return { kid, useFrom, endsAt, privateKey: privateKey as CryptoKey, publicKey: publicKey as CryptoKey }
}

/** Made from the public key alone, so that no private member can be published. */
const publicJwk = async ({ kid, publicKey }: SigningKey): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  kid,
  use: 'sig',
  alg: ALG,
})
