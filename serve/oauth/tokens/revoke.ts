/** POST /oauth2/revoke (RFC 7009): a client ends its access. Every token is answered with 200. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { authenticateClient } from '../client-authentication.ts'
import { readForm, required } from '../parameters.ts'
import { sendJson } from '../reply.ts'
import type { OAuthServer } from '../server.ts'
import { GRANTS } from '../state/records.ts'
import { revokeGrants } from './families.ts'
import { parseRefreshToken } from './refresh-token.ts'
import { nothingIsRepeated } from './token.ts'

/**
 * Either token ends the grant, and with it all its other tokens. The kind of a token is seen in its text, so that
 * the type hint is not needed.
 */
export async function revoke(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = await readForm(req)
  nothingIsRepeated(form)
  const { client } = authenticateClient(server, req, form)
  const token = required(form, 'token')
  const found = parseRefreshToken(server.keys.refresh, token) ?? (await server.accessTokens.verify(token))
  const presented = found === 'expired' ? null : found
  const grant = presented === null ? undefined : await server.store.get(GRANTS, presented.grantId)
  // A token of another client is left alone, and its existence is not revealed.
  if (presented !== null && grant?.clientId === client.id) {
    await revokeGrants(server.store, [presented.grantId], server.now())
    server.log({ event: 'grant-revoked', grant: presented.grantId, client: client.id })
  }
  // RFC 7009 §2.2 has clients ignore the body, but some accept only JSON.
  sendJson(res, 200, {})
}
