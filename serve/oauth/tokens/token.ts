/** POST /oauth2/token: exchanges a code or a refresh token for an access token. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '../../../builder/workspace/access/access.ts'
import { type AuthenticatedClient, authenticateClient } from '../client-authentication.ts'
import { OAuthError } from '../errors.ts'
import { sameSecret } from '../keys/secret.ts'
import { type Parameters, queryOf, readForm, required, single } from '../parameters.ts'
import { sendJson } from '../reply.ts'
import {
  codeKey,
  EXPIRY_WARNING_MS,
  GRANT_MS,
  IDLE_MS,
  isLive,
  liveScopes,
  logBegun,
  type OAuthServer,
} from '../server.ts'
import type { Code, GrantRecord } from '../state/records.ts'
import { type Redeemed, redeemCode, refreshGrant } from './families.ts'
import { signIdToken } from './id-token.ts'
import { formatRefreshToken, parseRefreshToken } from './refresh-token.ts'

type Redemption = Extract<Redeemed, { outcome: 'redeemed' }>
/** The redeemed grant, and the scopes of the access token made for it. */
interface Issued {
  readonly grantId: string
  readonly grant: GrantRecord
  readonly scopes: readonly string[]
  /** The code that it was redeemed with; an ID token comes with a code alone (OpenID Connect Core §12.2 lets it). */
  readonly code?: Code
}
type GrantType = (server: OAuthServer, form: Parameters, asking: AuthenticatedClient) => Promise<Issued>

const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', byCode],
  ['refresh_token', byRefreshToken],
])

export async function token(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  noCredentialsInQuery(req)
  const form = await readForm(req)
  nothingIsRepeated(form)
  const asking = authenticateClient(server, req, form)
  const { grantId, grant, scopes, code } = await grantType(form)(server, form, asking)
  const accessToken = await server.accessTokens.sign(
    { grantId, userId: grant.userId, clientId: grant.clientId, scopes },
    server.accessTokenSeconds,
  )
  sendJson(res, 200, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: server.accessTokenSeconds,
    scope: scopes.join(' '),
    // Sent always, since some clients drop the old one where the member is absent.
    refresh_token: formatRefreshToken(server.keys.refresh, { grantId, n: grant.head }),
    ...(await withIdToken(server, grant, code, accessToken)),
  })
}

async function withIdToken(
  server: OAuthServer,
  { userId, clientId, scopes }: GrantRecord,
  code: Code | undefined,
  accessToken: string,
): Promise<{ readonly id_token?: string }> {
  const user = server.access.user(userId)
  if (code === undefined || code.signedInAt === null || user === undefined || !scopes.includes('openid'))
    return {}
  const { nonce, signedInAt } = code
  return { id_token: await signIdToken(server, { user, clientId, scopes, nonce, signedInAt, accessToken }) }
}

/** RFC 6749 §2.3.1: credentials in a URL end up in logs. */
function noCredentialsInQuery(req: IncomingMessage): void {
  if (queryOf(req).size > 0) throw new OAuthError('invalid_request', 'parameters belong in the body')
}

export function nothingIsRepeated(form: Parameters): void {
  for (const name of form.keys()) single(form, name)
}

function grantType(form: Parameters): GrantType {
  const found = GRANT_TYPES.get(required(form, 'grant_type'))
  if (found === undefined)
    throw new OAuthError(
      'unsupported_grant_type',
      'the grant type must be authorization_code or refresh_token',
    )
  return found
}

async function byCode(
  server: OAuthServer,
  form: Parameters,
  { client, isStillRight }: AuthenticatedClient,
): Promise<Issued> {
  const code = required(form, 'code')
  const redirectUri = required(form, 'redirect_uri')
  const verifier = single(form, 'code_verifier')
  const now = server.now()
  const redeemed = await redeemCode(server.store, codeKey(server, code), client.id, now, (stored) => {
    if (stored.redirectUri !== redirectUri)
      return invalidGrant('redirect_uri differs from that of the authorization request')
    const grant = newGrant(stored, now)
    const holds = isStillRight() && isLive(server, grant)
    return verifierMistake(stored, verifier) ?? (holds ? grant : accessEnded())
  })
  const { grantId, grant, displaced, code: used } = accepted(server, client, redeemed)
  logBegun(server, { grantId, userId: grant.userId, clientId: client.id, displaced })
  return { grantId, grant, scopes: liveScopes(server, grant), ...(used && { code: used }) }
}

const newGrant = (code: Code, now: number): GrantRecord => ({
  clientId: code.clientId,
  userId: code.userId,
  password: code.password,
  scopes: code.scopes,
  companies: code.companies,
  createdAt: now,
  expiresAt: now + GRANT_MS,
  idleExpiresAt: now + IDLE_MS,
  usedAt: now,
  revokedAt: null,
  head: 0,
})

/** RFC 7636 §4.6; a verifier without a challenge means that the challenge was removed on the way (RFC 9700 §4.8.2). */
function verifierMistake({ challenge }: Code, verifier: string | undefined): OAuthError | null {
  if (challenge === null)
    return verifier === undefined ? null : invalidGrant('the authorization request had no code challenge')
  if (verifier === undefined) return invalidGrant('code_verifier is missing')
  const matches =
    /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) &&
    sameSecret(createHash('sha256').update(verifier).digest('base64url'), challenge)
  return matches ? null : invalidGrant('code_verifier does not match')
}

async function byRefreshToken(
  server: OAuthServer,
  form: Parameters,
  { client, isStillRight }: AuthenticatedClient,
): Promise<Issued> {
  const presented = parseRefreshToken(server.keys.refresh, required(form, 'refresh_token'))
  if (presented === null) throw invalidGrant('the refresh token is not valid')
  const scope = single(form, 'scope')
  const now = server.now()
  const { grantId, n } = presented
  const redeemed = await refreshGrant(server.store, grantId, n, client.id, now, (grant) => {
    if (!isStillRight() || !isLive(server, grant)) return accessEnded()
    if (!scopesWithin(scope, liveScopes(server, grant)))
      return new OAuthError('invalid_scope', 'the scope exceeds what was granted')
    // Never set back: otherwise a clock that was behind would end the grant once it is corrected.
    const idleExpiresAt = Math.max(grant.idleExpiresAt, now + IDLE_MS)
    return { ...grant, usedAt: Math.max(grant.usedAt, now), idleExpiresAt }
  })
  const { grant } = accepted(server, client, redeemed)
  if (grant.expiresAt - now < EXPIRY_WARNING_MS)
    server.log({
      event: 'grant-ends-soon',
      grant: grantId,
      client: client.id,
      ends: new Date(grant.expiresAt).toISOString(),
    })
  // RFC 6749 §6: only the access token is narrowed; the refresh token keeps the granted scopes.
  const live = liveScopes(server, grant)
  const scopes = scope === undefined ? live : live.filter((known) => scope.split(' ').includes(known))
  return { grantId, grant, scopes }
}

const scopesWithin = (scope: string | undefined, granted: readonly string[]): boolean =>
  scope === undefined || scope.split(' ').every((asked) => granted.includes(asked))

function accepted(server: OAuthServer, client: Client, redeemed: Redeemed): Redemption {
  if (redeemed.outcome === 'redeemed') return redeemed
  if (redeemed.outcome === 'refused') throw redeemed.problem
  server.log({ event: 'reuse-detected', grant: redeemed.grantId, client: client.id })
  throw invalidGrant('this was used before; the access it gave has ended')
}

const invalidGrant = (description: string): OAuthError => new OAuthError('invalid_grant', description)
const accessEnded = (): OAuthError => invalidGrant('the access has ended')
