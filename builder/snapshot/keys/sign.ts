/**
 * Signs manifests and lines of the log: Ed25519, as detached JWS (RFC 7515 appendix F) over the unencoded bytes (RFC
 * 7797). The header carries the public key, so that a copied signature can be checked anywhere; whose key it is, only a
 * list of known keys can tell. A line of the log carries only the id of its key if an earlier line carries the key. Besides
 * serve/oauth, no other file imports jose.
 */
import { createPrivateKey, type JsonWebKey, sign as signBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { flattenedVerify } from 'jose/jws/flattened/verify'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import { parseJson } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { canonicalKey } from '../../workspace/public-key.ts'

export type { JWK }

const ALG = 'EdDSA'

/** A key that signs: a private key, or a command that holds one. */
export interface SigningKey {
  readonly publicKey: JWK
  /** The 64 bytes of an Ed25519 signature (RFC 8032). */
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/** The signing key of a private Ed25519 JWK. Throws if the JWK is not one. */
export function privateKeyOf(jwk: JWK): SigningKey {
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
  return { publicKey: publicPart(jwk), sign: async (bytes) => signBytes(null, bytes, key) }
}

/** A new key. Its id does not begin with a hyphen, as one in 64 would: commands that take the id would read an option. */
export async function newPrivateKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALG, { crv: 'Ed25519', extractable: true })
  const jwk = await exportJWK(privateKey)
  return (await idOf(jwk)).startsWith('-') ? newPrivateKey() : jwk
}

/** Writes signatures with one key. */
export interface Pen {
  /** RFC 7638 thumbprint of the public key. */
  readonly keyId: string
  /** The text of a signature file: a JWS without its payload. The header carries the public key unless `carriesKey` is false. */
  sign(bytes: Uint8Array, carriesKey?: boolean): Promise<string>
}

export async function penOf({ publicKey, sign }: SigningKey): Promise<Pen> {
  const keyId = await idOf(publicKey)
  const header = { alg: ALG, b64: false, crit: ['b64'], kid: keyId }
  const encode = (all: object) => Buffer.from(JSON.stringify(all), 'utf8').toString('base64url')
  const [short, whole] = [encode(header), encode({ ...header, jwk: publicKey })]
  return {
    keyId,
    sign: async (bytes, carriesKey = true) => {
      const encoded = carriesKey ? whole : short
      const signature = await sign(Buffer.concat([Buffer.from(`${encoded}.`, 'ascii'), bytes]))
      return `${encoded}..${Buffer.from(signature).toString('base64url')}\n`
    },
  }
}

/** Ids of the keys that may sign; null if they are unknown, and then any key may. */
export type KnownKeys = ReadonlySet<string> | null

type CheckedSignature =
  | { readonly keyId: string; readonly publicKey: JWK; readonly problem?: never }
  | {
      readonly keyId?: never
      readonly publicKey?: never
      readonly problem: string
      /** Id of the key that is named, but neither carried nor met before. */
      readonly missingKey?: string
    }

/** Public keys that earlier signatures carried, by their ids. */
export type MetKeys = ReadonlyMap<string, JWK>

/**
 * Checks a signature file with the key that it carries, or with the key in `met` that it names. Whether that key is known is for
 * the caller to decide.
 */
export async function checkSignature(
  bytes: Uint8Array,
  text: string,
  met: MetKeys = new Map(),
): Promise<CheckedSignature> {
  // jose ignores white space around a signature, which must not be changed unnoticed.
  const [, header, signature] = /^([\w-]+)\.\.([\w-]+)\n$/.exec(text) ?? []
  if (header === undefined || signature === undefined) return { problem: 'it is not a detached signature' }
  const { jwk, kid } = keysOfHeader(header)
  const publicKey = jwk ?? (kid === null ? null : (met.get(kid) ?? null))
  if (!publicKey)
    return { problem: 'it carries no Ed25519 key', ...(kid === null ? {} : { missingKey: kid }) }
  try {
    const key = await importJWK(publicKey, ALG)
    const verified = await flattenedVerify({ protected: header, payload: bytes, signature }, key, {
      algorithms: [ALG],
    })
    // Without "b64": false (RFC 7797) the signature would cover the encoded bytes.
    if (verified.protectedHeader?.b64 !== false)
      return { problem: 'it is not over the bytes of the manifest' }
    return { keyId: await idOf(publicKey), publicKey }
  } catch {
    return { problem: 'it was made over another manifest' }
  }
}

/** The id of a public key: the RFC 7638 thumbprint of the Ed25519 JWK with the member `x`. */
export const keyIdOf = (x: string): Promise<string> =>
  calculateJwkThumbprint({ crv: 'Ed25519', kty: 'OKP', x: canonicalKey(x) })

export const idOf = ({ x }: JWK): Promise<string> => keyIdOf(present(x, 'member x in a public key'))

/** The public key with the member `x`, with its id. */
export const jwkOf = (x: string): Promise<IdentifiedKey> =>
  described({ crv: 'Ed25519', kty: 'OKP', x } as JWK)

/** The public key that a signature file carries, with its id; null if it carries none. */
export async function keyCarriedBy(text: string): Promise<IdentifiedKey | null> {
  const { jwk } = keysOfHeader(text.split('.')[0] ?? '')
  return jwk && described(jwk)
}

/** A public key with its id, the thumbprint of RFC 7638. */
export type IdentifiedKey = JWK & { readonly kid: string }

/** A public key with its id and purpose, as a JWK Set lists it. */
export const described = async (key: JWK): Promise<IdentifiedKey> => ({
  ...publicPart(key),
  kid: await idOf(key),
  use: 'sig',
  alg: ALG,
})

/** The key that a header carries, and the id of the key that it names. */
function keysOfHeader(header: string): { readonly jwk: JWK | null; readonly kid: string | null } {
  try {
    const { jwk, kid } = parseJson(Buffer.from(header, 'base64url').toString('utf8')) as Partial<
      Record<'jwk' | 'kid', unknown>
    >
    return {
      jwk: isEd25519(jwk as Partial<JWK>) ? publicPart(jwk as JWK) : null,
      // A header with an invalid key must not pass as one that only names its key.
      kid: jwk === undefined && typeof kid === 'string' ? kid : null,
    }
  } catch {
    return { jwk: null, kid: null }
  }
}

/** Whether an untrusted value is an Ed25519 JWK. */
export const isEd25519 = (jwk: Partial<JWK>): jwk is JWK =>
  jwk?.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.x === 'string'

/** The public part of a key. It is built from the public members, so that no private member can slip in. */
export const publicPart = ({ crv, kty, x }: JWK): JWK =>
  ({ crv, kty, x: canonicalKey(present(x, 'member x in a public key')) }) as JWK
