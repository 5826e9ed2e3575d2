/** Authenticates every request for data: one bearer token, in the header, of a grant that is still valid. */
import type { IncomingMessage } from 'node:http'
import { headersCalled } from '../../http/request/headers.ts'
import { isLive, liveCompanies, liveScopes, type OAuthServer } from '../server.ts'
import { GRANTS } from '../state/records.ts'
import type { AccessTokenClaims } from './access-token.ts'
import { BearerError, type Grant } from './grant.ts'

export async function authenticate(server: OAuthServer, req: IncomingMessage): Promise<Grant> {
  const claims = await server.accessTokens.verify(bearerToken(req))
  // Only the owner of a token that this server signed learns that it expired; forged and withdrawn ones get one answer.
  if (claims === 'expired')
    throw new BearerError('invalid_token', 'the access token has expired: get another with the refresh token')
  const grant = claims && (await liveGrant(server, claims))
  if (grant === null)
    throw new BearerError(
      'invalid_token',
      'the access token is not valid, or its access has ended: the user has to connect again',
    )
  return grant
}

/** Null where the grant is no longer valid. */
async function liveGrant(
  server: OAuthServer,
  { grantId, scopes: asked }: AccessTokenClaims,
): Promise<Grant | null> {
  const { store } = server
  // Also from what this process remembers, so that known grants are served for some seconds while a database is away.
  const record = store.known(GRANTS, grantId) ?? (await store.get(GRANTS, grantId))
  if (record === undefined || !isLive(server, record)) return null
  const scopes = liveScopes(server, record)
  return {
    grantId,
    userId: record.userId,
    clientId: record.clientId,
    scopes: new Set(asked.filter((scope) => scopes.includes(scope))),
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
