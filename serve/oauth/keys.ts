/** The server's keys as every process on the same state sees them: read again when the file changes. */
import { statSync } from 'node:fs'
import type { CryptoKey, JWK } from 'jose'
import { exportJWK } from 'jose/key/export'
import { importJWK } from 'jose/key/import'
import { oncePerTurn } from '../per-turn.ts'
import { ALG, ensureKeyFile, type KeyFile, keyPath, readKeyFile, type StoredKey } from './key-file.ts'

/** How long others may keep the published keys. */
export const JWKS_CACHE_SECONDS = 3600

export interface SigningKey {
  readonly kid: string
  readonly useFrom: number
  readonly endsAt: number | null
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

/** One state of the file; another object as soon as the file is another. Times are milliseconds. */
export interface KeySet {
  signing(now: number): SigningKey
  verifying(kid: string | undefined, now: number): SigningKey | undefined
  jwks(now: number): { readonly keys: readonly JWK[] }
}

export interface Keys {
  current(): Promise<KeySet>
  /** The same where nothing need be read for it, else null. */
  now(): KeySet | null
  /** HMAC keys, base64url: of refresh tokens, and of the pages' anti-forgery tokens. */
  readonly refresh: string
  readonly pages: string
}

/** Opens `folder`/keys.json, or makes it. `report` hears of a file that cannot be read later on: the last one holds. */
export async function openKeys(
  folder: string,
  now: number,
  report: (problem: Error) => void = () => {},
): Promise<Keys> {
  const path = keyPath(folder)
  await ensureKeyFile(path, now)
  let mark = markOf(path)
  const first = readKeyFile(path)
  let set = await load(first)
  let loading: Promise<KeySet> | null = null
  const markNow = oncePerTurn(markOf)

  const reload = async (): Promise<KeySet> => {
    try {
      set = await load(readKeyFile(path))
    } catch (problem) {
      report(problem as Error)
    } finally {
      loading = null
    }
    return set
  }
  return {
    current: async () => {
      const seen = markNow(path)
      if (seen === mark) return loading ?? set
      mark = seen
      loading = reload()
      return loading
    },
    now: () => (loading === null && markNow(path) === mark ? set : null),
    refresh: first.refresh,
    pages: first.pages,
  }
}

/** Replaced as a whole, so that another version is another inode. */
function markOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.ino}-${stats.mtimeNs}-${stats.size}` : 'missing'
}

async function load({ signing: stored }: KeyFile): Promise<KeySet> {
  const keys = await Promise.all(stored.map(importSigning))
  keys.sort((a, b) => a.useFrom - b.useFrom)
  const published = await Promise.all(keys.map(async (key) => ({ key, jwk: await publicJwk(key) })))
  const byId = new Map(keys.map((key) => [key.kid, key]))
  const lives = ({ endsAt }: SigningKey, now: number): boolean => endsAt === null || endsAt > now
  return {
    signing: (now) => keys.findLast(({ useFrom }) => useFrom <= now) ?? keys[0]!,
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

/** Built from the public key alone: a private member cannot slip in. */
const publicJwk = async ({ kid, publicKey }: SigningKey): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  kid,
  use: 'sig',
  alg: ALG,
})
