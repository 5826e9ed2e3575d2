/**
 * An authorization request under way travels with the browser, sealed: in the address of the sign-in and consent pages
 * and in their forms. Anybody may begin one, so the server keeps nothing of it until somebody has signed in. Only this
 * server's keys can read or make one (JWE, RFC 7516: `dir`, `A256GCM`).
 */
import { createHmac } from 'node:crypto'
import { compactDecrypt } from 'jose/jwe/compact/decrypt'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { z } from 'zod'

const schema = z.object({
  /** Random; what is remembered of a request that was answered. */
  id: z.string(),
  /** What a client asks for, judged and good; null where somebody signs in to see a page of this server. */
  asked: z
    .object({
      clientId: z.string(),
      redirectUri: z.string(),
      state: z.string().nullable(),
      scopes: z.array(z.string()).readonly(),
      challenge: z.string().nullable(),
    })
    .nullable(),
  /** Path of that page. */
  page: z.string().nullable().default(null),
  /** Digest of the cookie of the browser that began it; no other browser can go on with it. */
  browser: z.string(),
  /** `prompt=login`: a session that began before this request does not count. */
  mustSignIn: z.boolean(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  expiresAt: z.number(),
})
export type PendingRequest = Readonly<z.output<typeof schema>>
export type AuthorizationRequest = Readonly<NonNullable<PendingRequest['asked']>>

const ALGORITHMS = { alg: 'dir', enc: 'A256GCM' }

/** `pagesKey` is the secret behind the pages' forms (base64url): with another one nothing that was sealed opens any more. */
export const seal = (pagesKey: string, request: PendingRequest): Promise<string> =>
  new CompactEncrypt(Buffer.from(JSON.stringify(request)))
    .setProtectedHeader(ALGORITHMS)
    .encrypt(sealingKey(pagesKey))

/** Null where it is not ours, was changed on the way, or was sealed with a key that has ended. */
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

/** A key for this use alone, 256 bits: the pages' secret itself authenticates their forms. */
const sealingKey = (pagesKey: string): Uint8Array =>
  createHmac('sha256', Buffer.from(pagesKey, 'base64url')).update('sealed request').digest()
