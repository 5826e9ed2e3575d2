/**
 * Signs and verifies access tokens: JWTs by RFC 9068. Only this file does. Whether the grant behind a token is
 * still valid is checked elsewhere (bearer.ts).
 */

import { JWTExpired } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { KeySet, ServerKeys, TokenKey } from '../keys/keys.ts'
import { randomToken } from '../keys/secret.ts'

export interface AccessTokenClaims {
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Seconds since the epoch. */
  readonly expiresAt: number
}

export interface AccessTokens {
  sign(claims: Omit<AccessTokenClaims, 'expiresAt'>, seconds: number): Promise<string>
  /** The claims of a token; `expired` where it was one, null where it is not a token of this server. */
  verify(token: string): Promise<AccessTokenClaims | 'expired' | null>
}

const TOLERANCE_SECONDS = 5
const KEPT_MAX = 2000

const payloadSchema = z.object({
  sub: z.string(),
  client_id: z.string(),
  scope: z.string(),
  gid: z.string(),
  iat: z.number(),
  exp: z.number(),
})

export function createAccessTokens(keys: ServerKeys, issuer: string, now: () => number): AccessTokens {
  /**
   * Verified tokens by their exact text; any variant of the text is verified again. Each set of keys has its own, so
   * that those of a withdrawn key are refused.
   */
  const verified = new WeakMap<KeySet, LRUCache<string, AccessTokenClaims>>()
  return {
    sign: async (claims, lifetime) =>
      signed((await keys.current()).signing(now()), issuer, claims, Math.floor(now() / 1000), lifetime),
    verify: async (token) => {
      const keySet = await keys.current()
      const known = verified.get(keySet) ?? new LRUCache({ max: KEPT_MAX })
      if (!verified.has(keySet)) verified.set(keySet, known)
      const claims = known.get(token)
      if (claims === undefined) {
        const found = await verify(keySet, issuer, token, now())
        if (found !== null && found !== 'expired') known.set(token, found)
        return found
      }
      return claims.expiresAt + TOLERANCE_SECONDS > now() / 1000 ? claims : 'expired'
    },
  }
}

/** `issuedAt` is in seconds since the epoch, `lifetime` in seconds. */
const signed = (
  { kid, privateKey }: TokenKey,
  issuer: string,
  { grantId, userId, clientId, scopes }: Omit<AccessTokenClaims, 'expiresAt'>,
  issuedAt: number,
  lifetime: number,
): Promise<string> =>
  new SignJWT({ client_id: clientId, scope: scopes.join(' '), gid: grantId })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(userId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetime)
    .setJti(randomToken())
    .sign(privateKey)

/**
 * The claims; null where the text is not a token of this issuer signed with one of these keys. `now` is in
 * milliseconds.
 */
async function verify(
  keySet: KeySet,
  issuer: string,
  token: string,
  now: number,
): Promise<AccessTokenClaims | 'expired' | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        // The key is chosen by its id here, since a local JWK set would accept a token without one where there is
        // a single key.
        const key = keySet.verifying(kid, now)
        if (key === undefined) throw new Error('no such key')
        return key.publicKey
      },
      {
        algorithms: ['RS256'],
        typ: 'at+jwt',
        issuer,
        audience: issuer,
        requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: new Date(now),
      },
    )
    const claims = payloadSchema.parse(payload)
    if (claims.iat > now / 1000 + TOLERANCE_SECONDS) return null
    return {
      grantId: claims.gid,
      userId: claims.sub,
      clientId: claims.client_id,
      scopes: claims.scope.split(' '),
      expiresAt: claims.exp,
    }
  } catch (problem) {
    // The last of all checks: what else is wrong with a token is found before.
    return problem instanceof JWTExpired ? 'expired' : null
  }
}
