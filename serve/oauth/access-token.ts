/** Access tokens: JWTs as RFC 9068 has them, signed and verified here alone. Liveness of the grant is not theirs. */
import { SignJWT } from 'jose/jwt/sign'
import { jwtVerify } from 'jose/jwt/verify'
import { z } from 'zod'
import type { KeySet, Keys } from './keys.ts'
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
  // Keyed by the exact text: a variant of a token is verified again. Never a list of what is refused.
  const verified = new Map<string, AccessTokenClaims>()

  let keysSeen: KeySet | undefined

  const isInTime = ({ expiresAt }: AccessTokenClaims): boolean => expiresAt + TOLERANCE_SECONDS > now() / 1000

  const verify = async (keySet: KeySet, token: string): Promise<AccessTokenClaims | null> => {
    const currentDate = new Date(now())
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          // A local JWK set would choose the only key where the header names none.
          const key = keySet.verifying(kid, now())
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
          currentDate,
        },
      )
      const claims = payloadSchema.parse(payload)
      if (claims.iat > currentDate.getTime() / 1000 + TOLERANCE_SECONDS) return null
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

  return {
    sign: async ({ grantId, userId, clientId, scopes }, seconds) => {
      const key = (await keys.current()).signing(now())
      const issuedAt = Math.floor(now() / 1000)
      return new SignJWT({ client_id: clientId, scope: scopes.join(' '), gid: grantId })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(userId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + seconds)
        .setJti(randomToken())
        .sign(key.privateKey)
    },
    known: (token) => {
      const claims = keys.now() === keysSeen ? verified.get(token) : undefined
      return claims !== undefined && isInTime(claims) ? claims : null
    },
    verify: async (token) => {
      const keySet = await keys.current()
      // A key that was withdrawn takes its tokens with it.
      if (keySet !== keysSeen) verified.clear()
      keysSeen = keySet
      const known = verified.get(token)
      if (known !== undefined) {
        if (isInTime(known)) return known
        verified.delete(token)
        return null
      }
      const claims = await verify(keySet, token)
      // A key may have been withdrawn meanwhile.
      if (claims !== null && keySet === keysSeen) {
        if (verified.size >= CACHED_MAX) verified.delete(verified.keys().next().value!)
        verified.set(token, claims)
      }
      return claims
    },
  }
}
