/** Spells public keys: `x` of an Ed25519 JWK (RFC 8037), 32 bytes in base64url. */

export const isPublicKey = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w-]{43}$/.test(text)

/**
 * The one spelling of a key. Two bits of the last letter are no part of the 32 bytes, so that each key can be written in four
 * ways (RFC 4648 §3.5): without this, one person could pass as two.
 */
export const canonicalKey = (x: string): string => Buffer.from(x, 'base64url').toString('base64url')
