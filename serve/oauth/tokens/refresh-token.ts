/**
 * The text of refresh tokens: `family.number.HMAC`. Only the number of the newest one is stored.
 *
 * A nightly client that lost an answer comes back a day later, so that rotation with a grace period of seconds
 * would lock it out. Here the newest token and its predecessor are valid; using the newest makes the next one and
 * ends the predecessor. The successor is derived and not random, so that retries and parallel workers get the same
 * one. A token older than the predecessor was stolen or copied, and ends the family (RFC 9700 §4.14.2). Two parties
 * that refresh alternately are not noticed: a stolen token is useless without the client's secret
 * (docs/security.md).
 */
import { hmac, sameSecret } from '../keys/secret.ts'

interface RefreshToken {
  readonly grantId: string
  readonly n: number
}

const sign = (key: string, { grantId, n }: RefreshToken): string => hmac(key, `refresh\n${grantId}\n${n}`)

export const formatRefreshToken = (key: string, token: RefreshToken): string =>
  `${token.grantId}.${token.n}.${sign(key, token)}`

const FORM = /^([A-Za-z0-9_-]{43})\.(0|[1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/

/** Null where the text is no refresh token of this server. */
export function parseRefreshToken(key: string, text: string): RefreshToken | null {
  const [, grantId, n, signature] = FORM.exec(text) ?? []
  if (grantId === undefined || signature === undefined) return null
  const token = { grantId, n: Number(n) }
  return sameSecret(signature, sign(key, token)) ? token : null
}
