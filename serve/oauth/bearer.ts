/** The check that every request for data passes: one bearer token, in the header, of a grant that still holds. */
import type { IncomingMessage } from 'node:http'
import { BearerError, type Grant } from './grant.ts'
import { isLive, liveCompanies, type OAuthServer } from './server.ts'

export async function authenticate(server: OAuthServer, req: IncomingMessage): Promise<Grant> {
  const claims = await server.accessTokens.verify(bearerToken(req))
  const record = claims === null ? undefined : server.state.grant(claims.grantId)
  // One answer for all: whether it expired, was forged or withdrawn is nobody's business.
  if (claims === null || record === undefined || !isLive(server, record))
    throw new BearerError('invalid_token', 'the access token is not valid, or not any more')
  return {
    grantId: claims.grantId,
    userId: record.userId,
    clientId: record.clientId,
    scopes: new Set(claims.scopes.filter((scope) => record.scopes.includes(scope))),
    // From access.yaml at this moment, not from the token: a withdrawn company is gone at once.
    companies: liveCompanies(server, record),
  }
}

/** RFC 6750 §2: of the three ways to send a token only the header is open; the others end in logs and caches. */
function bearerToken(req: IncomingMessage): string {
  const headers = req.headersDistinct.authorization ?? []
  const query = new URLSearchParams(req.url?.split('?').slice(1).join('?') ?? '')
  if (query.has('access_token'))
    throw new BearerError('invalid_request', 'the access token belongs in the Authorization header')
  if (headers.length > 1)
    throw new BearerError('invalid_request', 'there is more than one Authorization header')
  const header = headers[0]
  if (header === undefined || !/^Bearer(?![^ ])/i.test(header))
    throw new BearerError('no_token', 'an access token is needed: Authorization: Bearer <token>')
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(header)?.[1]
  if (token === undefined) throw new BearerError('invalid_request', 'the Authorization header is malformed')
  return token
}
