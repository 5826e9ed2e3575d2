/**
 * ID tokens (OpenID Connect Core §2): which user signed in, when, and in answer to which request. They come with the
 * tokens of a code where `openid` was granted, and open nothing here: access tokens are of another type.
 */
import { createHash } from 'node:crypto'
import { SignJWT } from 'jose/jwt/sign'
import type { User } from '../../../builder/workspace/access/access.ts'
import { ALG } from '../keys/key-file.ts'
import type { OAuthServer } from '../server.ts'

interface SignIn {
  readonly user: User
  readonly clientId: string
  readonly scopes: readonly string[]
  /** As the client sent it; null where it sent none. */
  readonly nonce: string | null
  /** When the user signed in, in milliseconds since the epoch. */
  readonly signedInAt: number
  readonly accessToken: string
}

export async function signIdToken(
  { keys, issuer, now, accessTokenSeconds }: OAuthServer,
  { user, clientId, scopes, nonce, signedInAt, accessToken }: SignIn,
): Promise<string> {
  const { kid, privateKey } = (await keys.current()).signing(now())
  const issuedAt = Math.floor(now() / 1000)
  return new SignJWT({
    auth_time: Math.floor(signedInAt / 1000),
    at_hash: halfHash(accessToken),
    ...(nonce !== null && { nonce }),
    ...(scopes.includes('profile') && {
      name: `${user.firstName} ${user.lastName}`,
      given_name: user.firstName,
      family_name: user.lastName,
    }),
    ...(scopes.includes('email') && { email: user.email }),
  })
    .setProtectedHeader({ alg: ALG, typ: 'JWT', kid })
    .setIssuer(issuer)
    .setSubject(user.id)
    .setAudience(clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + accessTokenSeconds)
    .sign(privateKey)
}

/** §3.1.3.6: the left half of the hash that the algorithm of the signature uses. */
const halfHash = (token: string): string =>
  createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url')
