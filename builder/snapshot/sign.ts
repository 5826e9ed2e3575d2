/**
 * Signatures of manifests: detached JWS (RFC 7515 appendix F) over the very bytes of manifest.json, not encoded
 * (RFC 7797), Ed25519. The header carries the public key, so that a signature can be checked wherever it was copied
 * to; whose key that is, only a list of known keys can say. Beside serve/oauth the only file that imports jose.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { FlattenedSign } from 'jose/jws/flattened/sign'
import { flattenedVerify } from 'jose/jws/flattened/verify'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import { createOnce, replaceFile } from '../workspace/durable.ts'
import { error, FindingsError } from '../workspace/finding.ts'

const ALG = 'EdDSA'

export type { JWK }

export interface Signer {
  /** RFC 7638 thumbprint of the public key. */
  readonly keyId: string
  /** Ids of all keys that the workspace knows: the ones before this one, and those it trusts. */
  readonly known: ReadonlySet<string>
  /** The text of a signature file. */
  sign(bytes: Uint8Array): Promise<string>
}

/** Where a workspace keeps its keys, below its private state. Not in the snapshots: who has them can sign. */
export const signingKeyPath = (state: string): string => join(state, 'manifest-keys.json')

/** The key that signs; made on first use. Of several in the file the last one signs, all are known. */
export async function openSigner(state: string): Promise<Signer> {
  const path = signingKeyPath(state)
  if (!existsSync(path)) await makeKeyFile(path)
  // What a restored backup or a copy left open is closed again.
  chmodSync(path, 0o600)
  const jwk = readKeys(path).at(-1)!
  if (jwk.d === undefined) throw unreadable(path)
  const pen = await penOf(jwk).catch(() => {
    throw unreadable(path)
  })
  return { ...pen, known: (await knownKeys(state))! }
}

/** Signs with a private key, whoever's it is. */
export type Pen = Pick<Signer, 'keyId' | 'sign'>

export async function penOf(jwk: JWK): Promise<Pen> {
  const key = await importJWK(jwk, ALG)
  const publicKey = publicPart(jwk)
  const keyId = await calculateJwkThumbprint(publicKey)
  return {
    keyId,
    sign: async (bytes) => {
      const signed = await new FlattenedSign(bytes)
        .setProtectedHeader({ alg: ALG, b64: false, crit: ['b64'], kid: keyId, jwk: publicKey })
        .sign(key)
      return `${signed.protected}..${signed.signature}\n`
    },
  }
}

/** Public keys of others, whose snapshots were restored here by somebody who named their key. */
const trustedKeyPath = (state: string): string => join(state, 'trusted-keys.json')

/** Ids of the keys that a workspace knows: its own, and those it was told to trust; null where there is none yet. */
export async function knownKeys(state: string): Promise<KnownKeys> {
  const keys = [...(await publicKeys(signingKeyPath(state))), ...(await publicKeys(trustedKeyPath(state)))]
  return keys.length > 0 ? new Set(keys.map(({ kid }) => kid!)) : null
}

/** From now on what `key` signed counts in this workspace. */
export async function trustKey(state: string, key: JWK): Promise<void> {
  const trusted = await publicKeys(trustedKeyPath(state))
  if (trusted.some(({ kid }) => kid === key.kid)) return
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const keys = [...trusted, await described(publicPart(key))]
  replaceFile(trustedKeyPath(state), `${JSON.stringify({ keys }, null, 2)}\n`, 0o600)
}

/** The public keys in a file of keys (a JWK Set, RFC 7517 §5), with their thumbprints; a missing file has none. */
export async function publicKeys(path: string): Promise<JWK[]> {
  if (!existsSync(path)) return []
  return Promise.all(readKeys(path).map((jwk) => described(publicPart(jwk))))
}

/** Ids of the keys that may sign; null where nobody told, then any may. */
export type KnownKeys = ReadonlySet<string> | null

export type CheckedSignature =
  | { readonly keyId: string; readonly problem?: never }
  | { readonly keyId?: never; readonly problem: string }

/** Checks a signature file by the key that it carries; whether that key is a known one is for the caller to say. */
export async function checkSignature(bytes: Uint8Array, text: string): Promise<CheckedSignature> {
  // Strict: jose ignores blanks around a signature.
  const [, header, signature] = /^([\w-]+)\.\.([\w-]+)\n$/.exec(text) ?? []
  if (header === undefined || signature === undefined) return { problem: 'it is no detached signature' }
  const jwk = embeddedKey(header)
  if (!jwk) return { problem: 'it carries no Ed25519 key' }
  try {
    const key = await importJWK(jwk, ALG)
    const verified = await flattenedVerify({ protected: header, payload: bytes, signature }, key, {
      algorithms: [ALG],
    })
    // With b64 left out the signature would be over other bytes than the file's.
    if (verified.protectedHeader?.b64 !== false)
      return { problem: 'it is not over the bytes of the manifest' }
    return { keyId: await calculateJwkThumbprint(jwk) }
  } catch {
    return { problem: 'it was made over another manifest' }
  }
}

/** The RFC 7638 thumbprint of a public key that is told by its `x`. */
export const keyIdOf = (x: string): Promise<string> =>
  calculateJwkThumbprint({ crv: 'Ed25519', kty: 'OKP', x })

/** That public key, as {@link publicKeys} gives keys. */
export const jwkOf = (x: string): Promise<JWK> => described({ crv: 'Ed25519', kty: 'OKP', x } as JWK)

/** The public key that a signature file carries, as {@link publicKeys} gives keys; null where it carries none. */
export async function keyOf(text: string): Promise<JWK | null> {
  const key = embeddedKey(text.split('.')[0] ?? '')
  return key && described(key)
}

const described = async (key: JWK): Promise<JWK> => ({
  ...key,
  kid: await calculateJwkThumbprint(key),
  use: 'sig',
  alg: ALG,
})

function embeddedKey(header: string): JWK | null {
  try {
    const { jwk } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { jwk?: JWK }
    return jwk && isEd25519(jwk) ? publicPart(jwk) : null
  } catch {
    return null
  }
}

const isEd25519 = (jwk: JWK): boolean =>
  jwk?.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.x === 'string'

/** Built from the public members alone: a private one cannot slip in. */
const publicPart = ({ crv, kty, x }: JWK): JWK => ({ crv, kty, x }) as JWK

function readKeys(path: string): JWK[] {
  try {
    const { keys } = JSON.parse(readFileSync(path, 'utf8')) as { keys: JWK[] }
    if (keys.length > 0 && keys.every(isEd25519)) return keys
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== undefined) throw problem
  }
  throw unreadable(path)
}

const unreadable = (path: string): FindingsError =>
  new FindingsError([
    error('signing-key-unreadable', `${path} holds no keys that manifests are signed with`, {
      remedy: 'restore it from a backup; or move it away, and a new key is made (tell your auditor which)',
    }),
  ])

/** Of two processes that begin at once, one key remains. */
async function makeKeyFile(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const { privateKey } = await generateKeyPair(ALG, { crv: 'Ed25519', extractable: true })
  const jwk = await exportJWK(privateKey)
  createOnce(path, `${JSON.stringify({ keys: [jwk] })}\n`, 0o600)
}
