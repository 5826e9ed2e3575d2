/** Access tokens: JWTs as RFC 9068 has them, signed and verified here alone. Liveness of the grant is not theirs. */

import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { z } from 'zod'
import { keepNewest } from '../keep-newest.ts'
import type { KeySet, Keys, SigningKey } from './keys.ts'
import { randomToken } from './secret.ts'

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
  /** Null for whatever is not, at this moment, a token of this server. */
  verify(token: string): Promise<AccessTokenClaims | null>
  /** What `verify` would say of a token that it verified before; null where it must be asked. */
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

export function createAccessTokens(keys: Keys, issuer: string, now: () => number): AccessTokens {
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
      if (known !== undefined) return isInTime(known, seconds()) ? known : null
      const claims = await verify(keySet, issuer, token, now())
      if (claims !== null) verified.add(token, claims, keySet)
      return claims
    },
  }
}

const isInTime = ({ expiresAt }: AccessTokenClaims, seconds: number): boolean =>
  expiresAt + TOLERANCE_SECONDS > seconds

/**
 * What was verified with the present keys, by the exact text of the token: a variant of it is verified again. Refused tokens
 * are never remembered.
 */
class VerifiedTokens {
  readonly #claims = new Map<string, AccessTokenClaims>()
  #keySet: KeySet | null = null

  /** Other keys are current: a key that was withdrawn takes its tokens with it. */
  begin(keySet: KeySet): void {
    if (keySet !== this.#keySet) this.#claims.clear()
    this.#keySet = keySet
  }

  /** Undefined for a token that was not verified with these keys. */
  claimsOf(token: string, keySet: KeySet | null): AccessTokenClaims | undefined {
    return keySet !== null && keySet === this.#keySet ? this.#claims.get(token) : undefined
  }

  /** The keys that it was verified with may have been replaced meanwhile: then it is not remembered. */
  add(token: string, claims: AccessTokenClaims, keySet: KeySet): void {
    if (keySet !== this.#keySet) return
    this.#claims.set(token, claims)
    keepNewest(this.#claims, CACHED_MAX)
  }
}

/** `issuedAt`: seconds since the epoch. `lifetime`: in seconds. */
const signed = (
  { kid, privateKey }: SigningKey,
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

/** Null for whatever is not, at `now` (milliseconds), a token of this issuer under one of these keys. */
async function verify(
  keySet: KeySet,
  issuer: string,
  token: string,
  now: number,
): Promise<AccessTokenClaims | null> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        // A local JWK set would choose the only key where the header names none.
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
  } catch {
    return null
  }
}
