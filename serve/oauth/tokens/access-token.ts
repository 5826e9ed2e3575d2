/**
 * Signs and verifies access tokens: JWTs by RFC 9068. Only this file does. Whether the grant behind a token is
 * still valid is checked elsewhere (bearer.ts).
 */

import { JWTExpired } from 'jose/errors'
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { z } from 'zod'
import { keepNewest } from '../../store/keep-newest.ts'
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
  /** What `verify` would return for a token that it verified before; null where `verify` must be called. */
  known(token: string): AccessTokenClaims | null
}

const TOLERANCE_SECONDS = 5
const CACHED_MAX = 2000

const payloadSchema = z.object({
  sub: z.string(),
  client_id: z.string(),
  scope: z.string(),
  gid: z.string(),
  iat: z.number(),
  exp: z.number(),
})

export function createAccessTokens(keys: ServerKeys, issuer: string, now: () => number): AccessTokens {
  const verified = new VerifiedTokens()
  const seconds = () => now() / 1000
  return {
    sign: async (claims, lifetime) =>
      signed((await keys.current()).signing(now()), issuer, claims, Math.floor(seconds()), lifetime),
    known: (token) => {
      const claims = verified.claimsOf(token, keys.now())
      return claims !== undefined && isInTime(claims, seconds()) ? claims : null
    },
    verify: async (token) => {
      const keySet = await keys.current()
      verified.begin(keySet)
      const known = verified.claimsOf(token, keySet)
      if (known !== undefined) return isInTime(known, seconds()) ? known : 'expired'
      const claims = await verify(keySet, issuer, token, now())
      if (claims !== null && claims !== 'expired') verified.add(token, claims, keySet)
      return claims
    },
  }
}

const isInTime = ({ expiresAt }: AccessTokenClaims, seconds: number): boolean =>
  expiresAt + TOLERANCE_SECONDS > seconds

/**
 * Tokens verified with the present keys, by their exact text; any variant of the text is verified again. Refused
 * tokens are not kept.
 */
class VerifiedTokens {
  readonly #claims = new Map<string, AccessTokenClaims>()
  #keySet: KeySet | null = null

  /** Forgets all tokens where the keys have changed, so that those of a withdrawn key are refused. */
  begin(keySet: KeySet): void {
    if (keySet !== this.#keySet) this.#claims.clear()
    this.#keySet = keySet
  }

  /** Undefined for a token that was not verified with these keys. */
  claimsOf(token: string, keySet: KeySet | null): AccessTokenClaims | undefined {
    return keySet !== null && keySet === this.#keySet ? this.#claims.get(token) : undefined
  }

  /** Keeps the claims, unless the keys have changed since they were verified. */
  add(token: string, claims: AccessTokenClaims, keySet: KeySet): void {
    if (keySet !== this.#keySet) return
    this.#claims.set(token, claims)
    keepNewest(this.#claims, CACHED_MAX)
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
