/**
 * Signatures of manifests and of lines of the log: detached JWS (RFC 7515 appendix F) over the very bytes, not encoded
 * (RFC 7797), Ed25519. The header carries the public key, so that a signature can be checked wherever it was copied
 * to; whose key that is, only a list of known keys can say. A line of a log whose key an earlier line carries names it by its
 * id alone. Beside serve/oauth the only file that imports jose.
 */
import { createPrivateKey, type JsonWebKey, sign as signBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { flattenedVerify } from 'jose/jws/flattened/verify'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'

export type { JWK }

const ALG = 'EdDSA'

/** What can sign: a private key, or a command that has one. */
export interface SigningKey {
  readonly publicKey: JWK
  /** The 64 bytes of an Ed25519 signature (RFC 8032). */
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/** A private JWK as something that signs; throws where it is none of Ed25519. */
export function privateKeyOf(jwk: JWK): SigningKey {
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
  return { publicKey: publicPart(jwk), sign: async (bytes) => signBytes(null, bytes, key) }
}

/** A new private key. */
export async function newPrivateKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALG, { crv: 'Ed25519', extractable: true })
  return exportJWK(privateKey)
}

/** What signs, whoever's key it is. */
export interface Pen {
  /** RFC 7638 thumbprint of the public key. */
  readonly keyId: string
  /** The text of a signature file: a JWS with its payload left out; its header carries the public key unless said. */
  sign(bytes: Uint8Array, carriesKey?: boolean): Promise<string>
}

export async function penOf({ publicKey, sign }: SigningKey): Promise<Pen> {
  const keyId = await keyIdOf(publicKey.x!)
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

/** Ids of the keys that may sign; null where nobody told, then any may. */
export type KnownKeys = ReadonlySet<string> | null

export type CheckedSignature =
  | { readonly keyId: string; readonly publicKey: JWK; readonly problem?: never }
  | {
      readonly keyId?: never
      readonly publicKey?: never
      readonly problem: string
      /** The id of a key that is named, and neither carried nor met before. */
      readonly missingKey?: string
    }

/** A public key that was met before, by its id. */
export type MetKeys = ReadonlyMap<string, JWK>

/**
 * Checks a signature file by the key that it carries, or by the one of `met` that it names; whether that key is a known one
 * is for the caller to say.
 */
export async function checkSignature(
  bytes: Uint8Array,
  text: string,
  met: MetKeys = new Map(),
): Promise<CheckedSignature> {
  // Strict: jose ignores blanks around a signature.
  const [, header, signature] = /^([\w-]+)\.\.([\w-]+)\n$/.exec(text) ?? []
  if (header === undefined || signature === undefined) return { problem: 'it is no detached signature' }
  const { jwk, kid } = keysOfHeader(header)
  const publicKey = jwk ?? (kid === null ? null : (met.get(kid) ?? null))
  if (!publicKey)
    return { problem: 'it carries no Ed25519 key', ...(kid === null ? {} : { missingKey: kid }) }
  try {
    const key = await importJWK(publicKey, ALG)
    const verified = await flattenedVerify({ protected: header, payload: bytes, signature }, key, {
      algorithms: [ALG],
    })
    // With b64 left out the signature would be over other bytes than the file's.
    if (verified.protectedHeader?.b64 !== false)
      return { problem: 'it is not over the bytes of the manifest' }
    return { keyId: await keyIdOf(publicKey.x!), publicKey }
  } catch {
    return { problem: 'it was made over another manifest' }
  }
}

/** The RFC 7638 thumbprint of a public key that is told by its `x`. */
export const keyIdOf = (x: string): Promise<string> =>
  calculateJwkThumbprint({ crv: 'Ed25519', kty: 'OKP', x })

/** That public key, as {@link described} keys are. */
export const jwkOf = (x: string): Promise<IdentifiedKey> =>
  described({ crv: 'Ed25519', kty: 'OKP', x } as JWK)

/** The public key that a signature file carries, as a {@link described} key; null where it carries none. */
export async function keyOf(text: string): Promise<IdentifiedKey | null> {
  const { jwk } = keysOfHeader(text.split('.')[0] ?? '')
  return jwk && described(jwk)
}

/** A public key with its id: its thumbprint (RFC 7638). */
export type IdentifiedKey = JWK & { readonly kid: string }

/** A public key with its id and what it is for, as a JWK Set lists it. */
export const described = async (key: JWK): Promise<IdentifiedKey> => ({
  ...publicPart(key),
  kid: await keyIdOf(key.x!),
  use: 'sig',
  alg: ALG,
})

/** The key that a header carries, and the id of the one that it names. */
function keysOfHeader(header: string): { readonly jwk: JWK | null; readonly kid: string | null } {
  try {
    const { jwk, kid } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Partial<
      Record<'jwk' | 'kid', unknown>
    >
    return {
      jwk: isEd25519(jwk as Partial<JWK>) ? publicPart(jwk as JWK) : null,
      // One that carries something else than a key is not taken for one that names its key.
      kid: jwk === undefined && typeof kid === 'string' ? kid : null,
    }
  } catch {
    return { jwk: null, kid: null }
  }
}

export const isEd25519 = (jwk: Partial<JWK>): jwk is JWK =>
  jwk?.kty === 'OKP' && jwk.crv === 'Ed25519' && typeof jwk.x === 'string'

/** Built from the public members alone: a private one cannot slip in. */
export const publicPart = ({ crv, kty, x }: JWK): JWK => ({ crv, kty, x }) as JWK
