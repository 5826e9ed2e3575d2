/**
 * The two cookies, one that identifies the browser in which a request began and one for the session; and the token
 * that proves that our page made a form.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '../../../builder/workspace/access/access.ts'
import { PATHS } from '../discovery.ts'
import { OAuthError } from '../errors.ts'
import { type AuthorizationRequest, type PendingRequest, seal, unseal } from '../keys/sealed-request.ts'
import { digest, hmac, isRandomToken, randomToken, sameSecret } from '../keys/secret.ts'
import { sendRedirect } from '../reply.ts'
import { isPasswordOf, type OAuthServer, passwordMark } from '../server.ts'
import { REQUESTS, SESSIONS, type Session } from '../state/records.ts'
import * as sessions from './sessions.ts'

const REQUEST_MS = 10 * 60 * 1000
/**
 * A sealed request stands in addresses, of which proxies accept up to 8 kB, and in forms. A state of 4096
 * characters fits.
 */
const SEALED_MAX = 7 * 1024
const IDLE_MS = 30 * 60 * 1000
const ABSOLUTE_MS = 12 * 3600 * 1000
/** The last use of a session is written at most this often. */
const SEEN_EVERY_MS = 60 * 1000

type CookieName = 'tieout-browser' | 'tieout-session'

/**
 * `__Host-` binds a cookie to this host and to https. Browsers refuse the prefix over http on a loopback address,
 * so that the plain name is used there. SameSite is Lax, since the client's own site navigates here.
 */
const isSecure = (server: OAuthServer): boolean => server.issuer.startsWith('https:')
const fullName = (server: OAuthServer, name: CookieName): string =>
  isSecure(server) ? `__Host-${name}` : name
const setCookie = (server: OAuthServer, name: CookieName, value: string, more = ''): string =>
  `${fullName(server, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(server) ? '; Secure' : ''}${more}`

/** Undefined where the cookie is absent, not in our form, or present twice (a neighbouring host set one). */
function cookie(server: OAuthServer, req: IncomingMessage, name: CookieName): string | undefined {
  const prefix = `${fullName(server, name)}=`
  const values = (req.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
  const value = values[0]?.slice(prefix.length)
  return values.length === 1 && value !== undefined && isRandomToken(value) ? value : undefined
}

export function browserCookie(
  server: OAuthServer,
  req: IncomingMessage,
): { readonly value: string; readonly header: string } {
  const value = cookie(server, req, 'tieout-browser') ?? randomToken()
  return { value, header: setCookie(server, 'tieout-browser', value) }
}

/** What a browser came for: the authorization that a client asks for, or a page of this server, by its path. */
type Aim = { readonly asked: AuthorizationRequest; readonly mustSignIn: boolean } | { readonly page: string }

/** Seals what this browser came for, until a user has signed in and answered. Nothing is stored. */
export async function beginSealedRequest(
  server: OAuthServer,
  req: IncomingMessage,
  aim: Aim,
): Promise<{ readonly sealed: string; readonly cookie: string }> {
  const browser = browserCookie(server, req)
  const createdAt = server.now()
  const sealed = await seal(server.keys.pages, {
    id: randomToken(),
    ...('page' in aim ? { asked: null, mustSignIn: false, page: aim.page } : { ...aim, page: null }),
    browser: digest(browser.value),
    createdAt,
    expiresAt: createdAt + REQUEST_MS,
  })
  if (sealed.length > SEALED_MAX)
    throw new OAuthError('invalid_request', 'the state and the redirect URI together are too long')
  return { sealed, cookie: browser.header }
}

/** Redirects to the sign-in, which leads to the page of this server at that path. */
export async function sendToSignIn(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
  page: string,
): Promise<void> {
  const { sealed, cookie } = await beginSealedRequest(server, req, { page })
  sendRedirect(res, `${server.base}${PATHS.login}?request=${sealed}`, { 'Set-Cookie': cookie })
}

/** Identifies where a form was shown: its id, and the value of the browser's cookie. */
export interface FormPlace {
  readonly id: string
  readonly browser: string
}

export interface OpenRequest extends FormPlace {
  /** As it stands in addresses and forms. */
  readonly sealed: string
  readonly request: PendingRequest
}

/** The request in `sealed`; throws where it has expired, began in another browser or was answered before. */
export async function openRequest(
  server: OAuthServer,
  req: IncomingMessage,
  sealed: string | undefined,
): Promise<OpenRequest> {
  const request = sealed === undefined ? null : await unseal(server.keys.pages, sealed)
  const isOver =
    request === null ||
    request.expiresAt <= server.now() ||
    (await server.store.get(REQUESTS, request.id)) !== undefined
  if (sealed === undefined || isOver)
    throw new OAuthError(
      'expired_request',
      'This sign-in has ended or took too long. Go back to the application and connect again.',
    )
  const browser = cookie(server, req, 'tieout-browser')
  if (browser === undefined || digest(browser) !== request.browser)
    throw new OAuthError(
      'cross_site',
      'This sign-in began in another browser, or cookies are blocked. Go back to the application and connect again.',
    )
  return { id: request.id, sealed, request, browser }
}

/**
 * The token that proves that we made a form: for this request, in this browser, for `userId` (null on the login
 * page). It is bound to the user and not to the session, so that signing in again in another tab does not
 * invalidate it.
 */
export const formToken = (server: OAuthServer, place: FormPlace, userId: string | null): string =>
  hmac(server.keys.pages, `form\n${place.browser}\n${place.id}\n${userId ?? ''}`)

/** Throws where the form was not made by our page; every POST of a form is checked with it. */
export function requireOwnForm(
  server: OAuthServer,
  req: IncomingMessage,
  place: FormPlace,
  userId: string | null,
  csrf: string | undefined,
): void {
  const expected = formToken(server, place, userId)
  if (!isSameOrigin(server, req) || csrf === undefined || !sameSecret(csrf, expected))
    throw new OAuthError(
      'cross_site',
      'This form was not sent from this page, or somebody else signed in meanwhile. Go back and begin again.',
    )
}

/** Our pages send no referrer, for which browsers send `Origin: null`; Sec-Fetch-Site is used then. */
function isSameOrigin(server: OAuthServer, req: IncomingMessage): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = req.headers.origin
  return origin === undefined || origin === 'null' || origin === new URL(server.issuer).origin
}

export interface SignedIn {
  readonly key: string
  readonly session: Session
}

/** Made with the pages' secret, so that all sessions end where the keys are replaced after a compromise. */
const sessionKey = (server: OAuthServer, id: string): string => hmac(server.keys.pages, `session\n${id}`)

export async function currentSession(server: OAuthServer, req: IncomingMessage): Promise<SignedIn | null> {
  const id = cookie(server, req, 'tieout-session')
  if (id === undefined) return null
  const key = sessionKey(server, id)
  const session = await server.store.get(SESSIONS, key)
  return session !== undefined && isSignedIn(server, session) ? { key, session } : null
}

/**
 * Whether the session is valid: it has not expired, and the operator has neither removed the user nor set another
 * password.
 */
export function isSignedIn(server: OAuthServer, { userId, password, seenAt, signedInAt }: Session): boolean {
  const now = server.now()
  if (seenAt + IDLE_MS <= now || signedInAt + ABSOLUTE_MS <= now) return false
  const user = server.access.user(userId)
  return user !== undefined && passwordMark(user) === password
}

/** The number of other browsers in which the user is signed in. */
export async function otherSessions(server: OAuthServer, { key, session }: SignedIn): Promise<number> {
  const own = await server.store.ofOwner(SESSIONS, session.userId)
  return own.filter((other) => other.key !== key && isSignedIn(server, other.record)).length
}

export async function touchSession(server: OAuthServer, { key, session }: SignedIn): Promise<void> {
  const now = server.now()
  if (session.seenAt + SEEN_EVERY_MS <= now) await sessions.noteSessionUse(server.store, key, now)
}

/**
 * Makes a new id at each sign-in, so that one that was planted before is worthless. Returns the Set-Cookie value;
 * null where the password has changed since it was compared with `hash`.
 */
export async function beginSession(server: OAuthServer, user: User, hash: string): Promise<string | null> {
  const id = randomToken()
  const now = server.now()
  const session = { userId: user.id, password: passwordMark(user), signedInAt: now, seenAt: now }
  const isRight = isPasswordOf(server, user.id, hash)
  if (!(await sessions.storeSession(server.store, sessionKey(server, id), session, isRight))) return null
  return setCookie(server, 'tieout-session', id)
}

export async function endSession(server: OAuthServer, req: IncomingMessage): Promise<string> {
  const id = cookie(server, req, 'tieout-session')
  // Anybody can send a cookie: only an existing session causes a write.
  const key = id === undefined ? null : sessionKey(server, id)
  if (key !== null && (await server.store.get(SESSIONS, key)) !== undefined)
    await sessions.removeSession(server.store, key)
  return setCookie(server, 'tieout-session', '', '; Max-Age=0')
}
