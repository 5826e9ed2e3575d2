/** Authenticates every request for data: one bearer token, in the header, of a grant that is still valid. */
import type { IncomingMessage } from 'node:http'
import { oncePerTurn } from '../../http/limits/per-turn.ts'
import { headersCalled } from '../../http/request/headers.ts'
import { isLive, liveCompanies, liveScopes, type OAuthServer } from '../server.ts'
import { GRANTS, type GrantRecord } from '../state/records.ts'
import type { AccessTokenClaims } from './access-token.ts'
import { BearerError, type Grant } from './grant.ts'

export const authenticate = async (server: OAuthServer, req: IncomingMessage): Promise<Grant> =>
  liveGrant(server, bearerToken(req))

/** Requests that arrive together with the same token share one lookup of its grant. */
export function createAuthenticate(server: OAuthServer): (req: IncomingMessage) => Promise<Grant> {
  const grantOf = oncePerTurn((token: string) => liveGrant(server, token))
  return async (req) => grantOf(bearerToken(req))
}

/**
 * The grant behind an Authorization header whose token was verified before; null where `authenticate` must be
 * called.
 */
export function createKnownGrant(server: OAuthServer): (authorization: string) => Grant | null {
  return oncePerTurn((authorization: string) => {
    const token = TOKEN.exec(authorization)?.[1]
    const claims = token === undefined ? null : server.accessTokens.known(token)
    try {
      // Null means that the store must be asked, which only `authenticate` can wait for.
      const record = claims && server.store.known(GRANTS, claims.grantId)
      return claims && record ? grantBehind(server, claims, record) : null
    } catch {
      // `authenticate` reports the failure.
      return null
    }
  })
}

async function liveGrant(server: OAuthServer, token: string): Promise<Grant> {
  const claims = await server.accessTokens.verify(token)
  // Only the owner of a token that this server signed learns that it expired; forged and withdrawn ones get one answer.
  if (claims === 'expired')
    throw new BearerError('invalid_token', 'the access token has expired: get another with the refresh token')
  const grant = claims && grantBehind(server, claims, await grantRecord(server, claims.grantId))
  if (grant === null)
    throw new BearerError(
      'invalid_token',
      'the access token is not valid, or its access has ended: the user has to connect again',
    )
  return grant
}

/**
 * Reads a grant, also from what this process remembers, so that known grants are served for some seconds while a
 * database is away.
 */
const grantRecord = async ({ store }: OAuthServer, id: string): Promise<GrantRecord | undefined> =>
  store.known(GRANTS, id) ?? (await store.get(GRANTS, id))

/** Null where the grant is no longer valid. */
function grantBehind(
  server: OAuthServer,
  claims: AccessTokenClaims,
  record: GrantRecord | undefined,
): Grant | null {
  if (record === undefined || !isLive(server, record)) return null
  const scopes = liveScopes(server, record)
  return {
    grantId: claims.grantId,
    userId: record.userId,
    clientId: record.clientId,
    scopes: new Set(claims.scopes.filter((scope) => scopes.includes(scope))),
    // Read from access.yaml now and not from the token, so that a withdrawn company is refused at once.
    companies: liveCompanies(server, record),
  }
}

/** Any letter of the name may be percent-encoded; a query with neither an escape nor the name is not parsed. */
function hasTokenInQuery(url: string): boolean {
  const query = url.slice(url.indexOf('?') + 1)
  if (query.length === url.length || !/%|access_token/.test(query)) return false
  return new URLSearchParams(query).has('access_token')
}

const TOKEN = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i

/**
 * RFC 6750 §2: of the three ways to send a token only the header is accepted, because the others end up in logs and
 * caches.
 */
function bearerToken(req: IncomingMessage): string {
  const headers = headersCalled('authorization', req.rawHeaders)
  if (hasTokenInQuery(req.url ?? ''))
    throw new BearerError('invalid_request', 'the access token belongs in the Authorization header')
  if (headers.length > 1)
    throw new BearerError('invalid_request', 'there is more than one Authorization header')
  const header = headers[0]
  if (header === undefined || !/^Bearer(?![^ ])/i.test(header))
    throw new BearerError('no_token', 'an access token is needed: Authorization: Bearer <token>')
  const token = TOKEN.exec(header)?.[1]
  if (token === undefined) throw new BearerError('invalid_request', 'the Authorization header is malformed')
  return token
}
