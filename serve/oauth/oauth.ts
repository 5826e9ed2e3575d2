/** The authorization server: its routes, and the authentication of every request for data. First file of the room. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from '../../builder/workspace/access/access.ts'
import type { Store } from '../store/store.ts'
import { authorize } from './authorize.ts'
import {
  DISCOVERY_PATH,
  discoveryDocument,
  openIdPath,
  PATHS,
  serverMetadata,
  wellKnownPath,
} from './discovery.ts'
import { asOAuthError, OAuthError } from './errors.ts'
import type { KeyPlace } from './keys/key-place.ts'
import { JWKS_CACHE_SECONDS, openKeys } from './keys/keys.ts'
import { newGrantId } from './keys/secret.ts'
import { requireNoQuery } from './parameters.ts'
import { endOtherSessions, endOwnGrants, showAccount, signOut } from './people/account.ts'
import { consent, showConsent } from './people/consent.ts'
import { changeOwnPassword } from './people/own-password.ts'
import { OWN_PASSWORDS, type Passwords } from './people/passwords.ts'
import { createPeople, type People } from './people/people.ts'
import { sendProblemPage } from './people/problem-page.ts'
import { login, logout, showLogin } from './people/sign-in.ts'
import { styleDocument } from './people/style.ts'
import { type PublicDocument, requestIdOf, sendOAuthError, sendPublic } from './reply.ts'
import type { Route } from './route.ts'
import {
  logBegun,
  logCause,
  type OAuthEvent,
  type OAuthServer,
  type PublishedCompany,
  passwordMark,
} from './server.ts'
import { createThrottle, type Throttle } from './state/throttle.ts'
import { createAccessTokens } from './tokens/access-token.ts'
import { authenticate } from './tokens/bearer.ts'
import { addGrant } from './tokens/families.ts'
import { type Grant, type OAuthScope, SCOPES } from './tokens/grant.ts'
import { revoke } from './tokens/revoke.ts'
import { token } from './tokens/token.ts'
import { sendUserInfo } from './tokens/user-info.ts'

export interface OAuthOptions {
  /** Compared by clients byte for byte. Every URL is made from it, never from a Host header. */
  readonly issuer: string
  readonly keys: KeyPlace
  /** Opened with the records of records.ts, and closed by whoever opened it. */
  readonly store: Store
  readonly access: Access
  readonly companies: () => readonly PublishedCompany[]
  readonly accessTokenSeconds: number
  /** Throttles sign-ins. Several processes share one; by default this process has its own. */
  readonly throttle?: Throttle
  /** Hashes passwords; by default this process does. */
  readonly passwords?: Passwords
  /** Milliseconds since the epoch; Date.now by default. */
  readonly now?: () => number
  /** The address by which attempts are limited; by default that of the connection, behind a proxy the client's. */
  readonly addressOf?: (req: IncomingMessage) => string
  readonly log?: (event: OAuthEvent) => void
}

export interface OAuth {
  readonly routes: readonly Route[]
  /** The signed-in users, for pages of this server outside of OAuth. */
  readonly people: People
  /** Throws `BearerError` (grant.ts). Each route checks the scope that it needs with `requireScope`. */
  authenticate(req: IncomingMessage): Promise<Grant>
  /** Throws while nobody can be authenticated: the keys, `access.yaml` or the state cannot be read. */
  requireReadable(): Promise<void>
  /**
   * Makes an access token without the authorization flow, for `tieout token` and the demo. Its grant is stored and
   * can be revoked.
   */
  issueDemoToken(
    userId: string,
    clientId: string,
    companies: readonly string[],
    seconds: number,
    scopes?: readonly OAuthScope[],
  ): Promise<string>
  close(): Promise<void>
}

const PURGE_EVERY_MS = 10 * 60 * 1000

export async function createOAuth(options: OAuthOptions): Promise<OAuth> {
  const { issuer, access, store, companies, accessTokenSeconds, now = Date.now, log = () => {} } = options
  const keys = await openKeys(options.keys, now(), ({ message }) =>
    log({ event: 'keys-unreadable', detail: message }),
  )
  const server: OAuthServer = {
    issuer,
    base: new URL(issuer).pathname.replace(/\/$/, ''),
    access,
    companies,
    keys,
    store,
    accessTokens: createAccessTokens(keys, issuer, now),
    accessTokenSeconds,
    throttle: options.throttle ?? createThrottle(),
    passwords: options.passwords ?? OWN_PASSWORDS,
    now,
    addressOf: options.addressOf ?? ((req) => req.socket.remoteAddress ?? 'unknown'),
    log,
  }

  const purge = () =>
    store.forget(now()).catch((failure: Error) => log({ event: 'purge-failed', detail: failure.message }))
  await purge()
  const timer = setInterval(purge, PURGE_EVERY_MS)
  timer.unref()

  return {
    routes: routesOf(server),
    people: createPeople(server),
    authenticate: (req) => authenticate(server, req),
    requireReadable: async () => {
      await keys.current()
      access.findings()
      await store.requireInPlace()
    },
    issueDemoToken: (userId, clientId, granted, seconds, scopes = SCOPES) =>
      issueDemoToken(server, userId, clientId, granted, seconds, scopes),
    close: async () => {
      clearInterval(timer)
    },
  }
}

function routesOf(server: OAuthServer): readonly Route[] {
  const route = (method: Route['method'], path: string, fail: Failure, endpoint: Endpoint): Route => ({
    method,
    path,
    handle: guarded(server, fail, endpoint),
  })
  const forApplications = (path: string, endpoint: Endpoint): Route => ({
    ...route('GET', path, asJson, endpoint),
    isForApplications: true,
  })
  const document = (path: string, content: PublicDocument): Route =>
    forApplications(path, async (_server, req, res) => {
      requireNoQuery(req)
      sendPublic(req, res, content)
    })
  const metadata = serverMetadata(server.issuer)
  return [
    document(DISCOVERY_PATH, discoveryDocument(server.issuer)),
    document(wellKnownPath(server.base), metadata),
    document(openIdPath(server.base), metadata),
    forApplications(PATHS.jwks, jwks),
    // Pages link to it with the hash of its content as the query.
    route('GET', PATHS.style, asJson, async (_server, req, res) => sendPublic(req, res, styleDocument)),
    route('GET', PATHS.authorize, asPage, authorize),
    route('GET', PATHS.login, asPage, showLogin),
    route('POST', PATHS.login, asPage, login),
    route('POST', PATHS.logout, asPage, logout),
    route('GET', PATHS.consent, asPage, showConsent),
    route('POST', PATHS.consent, asPage, consent),
    route('GET', PATHS.account, asPage, showAccount),
    route('POST', PATHS.endGrant, asPage, endOwnGrants),
    route('POST', PATHS.password, asPage, changeOwnPassword),
    route('POST', PATHS.endSessions, asPage, endOtherSessions),
    route('POST', PATHS.signOut, asPage, signOut),
    route('POST', PATHS.token, asJson, token),
    route('POST', PATHS.revoke, asJson, revoke),
    forApplications(PATHS.userInfo, sendUserInfo),
  ]
}

/** The keys that verify now, and the announced one. */
async function jwks(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  requireNoQuery(req)
  const keys = await server.keys.current()
  sendPublic(req, res, {
    type: 'application/json; charset=utf-8',
    body: JSON.stringify(keys.jwks(server.now())),
    maxAgeSeconds: JWKS_CACHE_SECONDS,
  })
}

type Endpoint = (server: OAuthServer, req: IncomingMessage, res: ServerResponse) => Promise<void>
type Failure = (server: OAuthServer, res: ServerResponse, problem: OAuthError) => void
const asPage: Failure = sendProblemPage
const asJson: Failure = (_server, res, problem) => sendOAuthError(res, problem)

/**
 * Turns every failure of an endpoint into an answer; the only place that does. Events logged here carry the id of
 * the request, as the access log does.
 */
function guarded(shared: OAuthServer, fail: Failure, endpoint: Endpoint): Route['handle'] {
  return async (req, res) => {
    const requestId = requestIdOf(res)
    const server: OAuthServer = { ...shared, log: (event) => shared.log({ ...event, requestId }) }
    try {
      // Read first, since keys may have been withdrawn a moment ago.
      await server.keys.current()
      await endpoint(server, req, res)
    } catch (failure) {
      const problem = asOAuthError(failure)
      logCause(server, problem)
      fail(server, res, problem)
    }
  }
}

async function issueDemoToken(
  server: OAuthServer,
  userId: string,
  clientId: string,
  companies: readonly string[],
  seconds: number,
  scopes: readonly OAuthScope[],
): Promise<string> {
  const user = server.access.user(userId)
  if (user === undefined) throw new OAuthError('access_denied', `there is no user ${userId}`)
  if (server.access.client(clientId) === undefined)
    throw new OAuthError('unknown_client', `there is no client ${clientId}`)
  const grantId = newGrantId()
  const createdAt = server.now()
  const expiresAt = createdAt + seconds * 1000
  const displaced = await addGrant(
    server.store,
    grantId,
    {
      clientId,
      userId,
      password: passwordMark(user),
      scopes,
      companies,
      createdAt,
      expiresAt,
      idleExpiresAt: expiresAt,
      usedAt: createdAt,
      revokedAt: null,
      head: 0,
    },
    createdAt,
  )
  logBegun(server, { grantId, userId, clientId, displaced })
  return server.accessTokens.sign({ grantId, userId, clientId, scopes }, seconds)
}
