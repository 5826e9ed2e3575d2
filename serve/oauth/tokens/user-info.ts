/** GET /oauth2/user-info: the user who consented, and the companies of this grant. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { requireNoQuery } from '../parameters.ts'
import { JSON_TYPE, sendJson, sendTagged } from '../reply.ts'
import type { OAuthServer } from '../server.ts'
import { authenticate } from './bearer.ts'
import { BearerError, type Grant, requireScope } from './grant.ts'

/**
 * Allowed with `openid` or `read:company`, since a client learns only here which companies it may read. Whoever may
 * call it learns name and address, as the specification has it and the consent page says. Without `read:company`
 * there are no companies. The snapshots of all companies are in one answer with a validator, so that a client of many
 * learns by one conditional request which have changed.
 */
export async function sendUserInfo(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    const grant = await authenticate(server, req)
    if (!grant.scopes.has('read:company')) requireScope(grant, 'openid')
    requireNoQuery(req)
    const body = JSON.stringify(describe(server, grant))
    sendTagged(
      req,
      res,
      { type: JSON_TYPE, body },
      { 'Cache-Control': 'private, no-cache', Vary: 'Authorization' },
    )
  } catch (failure) {
    if (!(failure instanceof BearerError)) throw failure
    const { code, status, message, challenge } = failure
    sendJson(
      res,
      status,
      { error: code === 'no_token' ? 'invalid_token' : code, error_description: message },
      { 'WWW-Authenticate': challenge },
    )
  }
}

function describe(server: OAuthServer, grant: Grant): object {
  const user = server.access.user(grant.userId)
  if (user === undefined) throw new BearerError('invalid_token', 'the access token is not valid any more')
  const published = new Map(server.companies().map((company) => [company.id, company]))
  return {
    Id: user.id,
    // OpenID Connect Core §5.3.2; clients require it.
    sub: user.id,
    Email: user.email,
    FirstName: user.firstName,
    LastName: user.lastName,
    CompanyDetails: grant.scopes.has('read:company')
      ? grant.companies.flatMap((id) => {
          const company = published.get(id)
          if (company === undefined) return []
          const { name, snapshotId, booksThrough } = company
          return [{ Id: id, Name: name, SnapshotId: snapshotId, BooksThrough: booksThrough }]
        })
      : [],
  }
}
