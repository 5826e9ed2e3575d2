/**
 * The text of refresh tokens: `family.number.HMAC`. Nothing of them is stored but the newest number.
 *
 * A nightly client that loses an answer comes back a day later, so that rotation with a grace of seconds would lock
 * it out. Here the newest token and its predecessor are good; using the newest makes the next one and ends the
 * predecessor. The successor is derived, not drawn: retries and parallel workers get the same one. A token older
 * than the predecessor was stolen or copied, and ends the family (RFC 9700 §4.14.2). Two who refresh in turn are not
 * noticed: what protects a stolen token is that only its client can use it, with its secret (docs/security.md).
 */
import { hmac, sameSecret } from './secret.ts'

export interface RefreshToken {
  readonly grantId: string
  readonly n: number
}

const sign = (key: string, { grantId, n }: RefreshToken): string => hmac(key, `refresh\n${grantId}\n${n}`)

export const formatRefreshToken = (key: string, token: RefreshToken): string =>
  `${token.grantId}.${token.n}.${sign(key, token)}`

const FORM = /^([A-Za-z0-9_-]{43})\.(0|[1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/

/** Null where this server never issued such a token. */
export function parseRefreshToken(key: string, text: string): RefreshToken | null {
  const [, grantId, n, signature] = FORM.exec(text) ?? []
  if (grantId === undefined || signature === undefined) return null
  const token = { grantId, n: Number(n) }
  return sameSecret(signature, sign(key, token)) ? token : null
}
