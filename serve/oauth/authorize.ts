/** GET /oauth2/authorize: checks the request, seals it, and redirects the browser to sign-in or consent. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DATA_SCOPE } from '../../builder/contract/operations.ts'
import type { Client } from '../../builder/workspace/access/access.ts'
import { PATHS } from './discovery.ts'
import { asOAuthError, OAuthError } from './errors.ts'
import { type Parameters, queryOf, required, single } from './parameters.ts'
import { beginSealedRequest, currentSession, type SignedIn } from './people/browser.ts'
import { isRegistered, withParameters } from './redirect-uri.ts'
import { sendRedirect } from './reply.ts'
import { logCause, type OAuthServer } from './server.ts'
import { ALL_SCOPES, SCOPES } from './tokens/grant.ts'

/** A longer state or nonce is refused rather than cut (FAPI requires some kilobytes). */
const LENGTH_MAX = 4096

/** Run in this order; each throws the error that the client is redirected with. */
const CHECKS: readonly ((parameters: Parameters, client: Client) => void)[] = [
  nothingIsRepeated,
  noRequestObjects,
  responseTypeIsCode,
  responseModeIsQuery,
  stateAndNonceAreNotTooLong,
  challengeIsS256,
  challengeIsThereWhereRequired,
  promptIsPossible,
  maxAgeIsSeconds,
]

/** Until client and redirect URI are verified, an error is shown on our own page (RFC 6749 §4.1.2.1). */
export async function authorize(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const parameters = queryOf(req)
  const client = knownClient(server, parameters)
  const redirectUri = trustedRedirectUri(parameters, client)
  try {
    for (const check of CHECKS) check(parameters, client)
    const scopes = requestedScopes(parameters, client)
    const prompt = prompts(parameters)
    const session = await currentSession(server, req)
    // Consent is asked for every time, so that without a page the answer can only be an error.
    if (prompt.has('none'))
      throw session
        ? new OAuthError('consent_required', 'the user has to consent')
        : new OAuthError('login_required', 'the user has to sign in')

    const asked = {
      clientId: client.id,
      redirectUri,
      state: single(parameters, 'state') ?? null,
      scopes,
      challenge: single(parameters, 'code_challenge') ?? null,
      nonce: single(parameters, 'nonce') ?? null,
    }
    const mustSignIn = prompt.has('login') || (session !== null && isOlder(session, parameters, server.now()))
    const { sealed, cookie } = await beginSealedRequest(server, req, { asked, mustSignIn })
    const next = session && !mustSignIn ? PATHS.consent : PATHS.login
    sendRedirect(res, `${server.base}${next}?request=${sealed}`, { 'Set-Cookie': cookie })
  } catch (failure) {
    const problem = asOAuthError(failure)
    logCause(server, problem)
    server.log({ event: 'authorization-refused', client: client.id, error: problem.code })
    const [state = null, ...otherStates] = parameters.get('state') ?? []
    sendRedirect(
      res,
      withParameters(redirectUri, {
        error: problem.code,
        error_description: problem.message,
        state: otherStates.length === 0 ? state : null,
        iss: server.issuer,
      }),
    )
  }
}

function knownClient(server: OAuthServer, parameters: Parameters): Client {
  const client = server.access.client(required(parameters, 'client_id'))
  if (client === undefined)
    throw new OAuthError('unknown_client', 'The application that sent you here is not known to this server.')
  return client
}

function trustedRedirectUri(parameters: Parameters, client: Client): string {
  const uri = required(parameters, 'redirect_uri')
  if (!isRegistered(client, uri))
    throw new OAuthError(
      'untrusted_redirect',
      'The address that the application wants its answer sent to is not registered for it.',
    )
  return uri
}

const KNOWN_PARAMETERS = [
  'response_type',
  'scope',
  'state',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'request',
  'request_uri',
  'nonce',
]

function nothingIsRepeated(parameters: Parameters): void {
  for (const name of KNOWN_PARAMETERS) single(parameters, name)
}

function noRequestObjects(parameters: Parameters): void {
  for (const [name, code] of [
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
  ] as const)
    if (parameters.has(name)) throw new OAuthError(code, `the parameter ${name} is not supported`)
}

function responseTypeIsCode(parameters: Parameters): void {
  if (required(parameters, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'the response type must be code')
}

function responseModeIsQuery(parameters: Parameters): void {
  if ((single(parameters, 'response_mode') ?? 'query') !== 'query')
    throw new OAuthError('invalid_request', 'the response mode must be query')
}

function stateAndNonceAreNotTooLong(parameters: Parameters): void {
  for (const name of ['state', 'nonce'])
    if ((single(parameters, name) ?? '').length > LENGTH_MAX)
      throw new OAuthError('invalid_request', `the ${name} is longer than ${LENGTH_MAX} characters`)
}

/** RFC 7636 §4.3 reads a missing method as plain. Plain protects nothing, and is refused whether stated or implied. */
function challengeIsS256(parameters: Parameters): void {
  const challenge = single(parameters, 'code_challenge')
  const method = single(parameters, 'code_challenge_method')
  if (challenge === undefined && method === undefined) return
  if (method !== 'S256') throw new OAuthError('invalid_request', 'the code challenge method must be S256')
  if (challenge === undefined || !/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'the code challenge must be 43 characters of base64url')
}

function challengeIsThereWhereRequired(parameters: Parameters, client: Client): void {
  if (client.requirePkce && single(parameters, 'code_challenge') === undefined)
    throw new OAuthError('invalid_request', 'this client must send a code challenge')
}

const prompts = (parameters: Parameters): ReadonlySet<string> =>
  new Set((single(parameters, 'prompt') ?? '').split(' ').filter((word) => word !== ''))

function promptIsPossible(parameters: Parameters): void {
  const prompt = prompts(parameters)
  if (prompt.has('none') && prompt.size > 1)
    throw new OAuthError('invalid_request', 'the prompt none cannot be combined with others')
}

function maxAgeIsSeconds(parameters: Parameters): void {
  const maxAge = single(parameters, 'max_age')
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
    throw new OAuthError('invalid_request', 'max_age must be a number of seconds')
}

/** OpenID Connect Core §3.1.2.1: a user who signed in longer ago than max_age has to sign in again. */
function isOlder({ session }: SignedIn, parameters: Parameters, now: number): boolean {
  const maxAge = single(parameters, 'max_age')
  return maxAge !== undefined && now - session.signedInAt > Number(maxAge) * 1000
}

/**
 * Leaves out scopes that this server does not know or the client may not have; the token response states the rest
 * (RFC 6749 §3.3). Without the parameter the scopes of the specification are asked for, and the user decides.
 */
function requestedScopes(parameters: Parameters, client: Client): readonly string[] {
  const scope = single(parameters, 'scope')
  if (scope === undefined) return SCOPES
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope))
    throw new OAuthError('invalid_scope', 'the scope is malformed')
  const asked = new Set(scope.split(' '))
  const offered = client.allowLedger && asked.has(DATA_SCOPE) ? ALL_SCOPES : SCOPES
  const scopes = offered.filter((known) => asked.has(known))
  if (scopes.length === 0) throw new OAuthError('invalid_scope', 'none of the scopes is known')
  return scopes
}
