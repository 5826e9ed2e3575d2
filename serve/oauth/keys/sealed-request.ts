/**
 * An authorization request in progress is kept by the browser, sealed, in the address of the sign-in and consent
 * pages and in their forms. Anybody may begin one, so that the server stores nothing about it until a user has
 * signed in. Only this server's keys can read or make one (JWE, RFC 7516: `dir`, `A256GCM`).
 */
import { createHmac } from 'node:crypto'
import { compactDecrypt } from 'jose/jwe/compact/decrypt'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { z } from 'zod'

const schema = z.object({
  /** A random id, by which an answered request is remembered. */
  id: z.string(),
  /** The request of a client after all checks; null where a user signs in to see a page of this server. */
  asked: z
    .object({
      clientId: z.string(),
      redirectUri: z.string(),
      state: z.string().nullable(),
      scopes: z.array(z.string()).readonly(),
      challenge: z.string().nullable(),
      nonce: z.string().nullable().default(null),
    })
    .nullable(),
  /** The path of the page of this server that a user signs in to see; null for the request of a client. */
  page: z.string().nullable().default(null),
  /** Digest of the cookie of the browser in which it began; no other browser can continue it. */
  browser: z.string(),
  /** `prompt=login`: a session that began before this request is not used. */
  mustSignIn: z.boolean(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  expiresAt: z.number(),
})
export type PendingRequest = Readonly<z.output<typeof schema>>
export type AuthorizationRequest = Readonly<NonNullable<PendingRequest['asked']>>

const ALGORITHMS = { alg: 'dir', enc: 'A256GCM' }

/**
 * `pagesKey` is the secret behind the forms of pages (base64url); with another secret no earlier request can be
 * opened.
 */
export const seal = (pagesKey: string, request: PendingRequest): Promise<string> =>
  new CompactEncrypt(Buffer.from(JSON.stringify(request)))
    .setProtectedHeader(ALGORITHMS)
    .encrypt(sealingKey(pagesKey))

/** Null where it was not made by this server, was changed, or was sealed with a key that has ended. */
export async function unseal(pagesKey: string, sealed: string): Promise<PendingRequest | null> {
  try {
    const { plaintext } = await compactDecrypt(sealed, sealingKey(pagesKey), {
      keyManagementAlgorithms: [ALGORITHMS.alg],
      contentEncryptionAlgorithms: [ALGORITHMS.enc],
    })
    return schema.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')))
  } catch {
    return null
  }
}

/** Derives a key of 256 bits for this use alone, since the pages' secret authenticates their forms. */
const sealingKey = (pagesKey: string): Uint8Array =>
  createHmac('sha256', Buffer.from(pagesKey, 'base64url')).update('sealed request').digest()
