/** The two cookies: which browser began a request, and who is signed in there. And the proof that a form is ours. */
import type { IncomingMessage } from 'node:http'
import { OAuthError } from './errors.ts'
import { digest, hmac, isRandomToken, randomToken, sameSecret } from './secret.ts'
import { type OAuthServer, passwordMark } from './server.ts'
import type { AuthorizationRequest, PendingRequest, Session } from './state.ts'

const REQUEST_MS = 10 * 60 * 1000
const IDLE_MS = 30 * 60 * 1000
const ABSOLUTE_MS = 12 * 3600 * 1000
/** A session's last use is written down no more often than this. */
const SEEN_EVERY_MS = 60 * 1000

type CookieName = 'tieout-browser' | 'tieout-session'

/**
 * `__Host-` pins a cookie to this host and to https. Over http on a loopback address browsers refuse the prefix,
 * so the plain name stands there. Lax: the client's own site navigates here.
 */
const isSecure = (server: OAuthServer): boolean => server.issuer.startsWith('https:')
const fullName = (server: OAuthServer, name: CookieName): string =>
  isSecure(server) ? `__Host-${name}` : name
const setCookie = (server: OAuthServer, name: CookieName, value: string, more = ''): string =>
  `${fullName(server, name)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(server) ? '; Secure' : ''}${more}`

/** Undefined where it is absent, not ours in form, or there twice (a neighbouring host planted one). */
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

/** Stores what this browser came for, until somebody signed in and answered. */
export async function beginRequest(
  server: OAuthServer,
  req: IncomingMessage,
  asked: AuthorizationRequest | null,
  mustSignIn: boolean,
): Promise<{ readonly id: string; readonly cookie: string }> {
  const browser = browserCookie(server, req)
  const id = randomToken()
  const createdAt = server.now()
  const request = {
    asked,
    browser: digest(browser.value),
    mustSignIn,
    createdAt,
    expiresAt: createdAt + REQUEST_MS,
  }
  await server.state.addRequest(digest(id), request, createdAt)
  return { id, cookie: browser.header }
}

/** Where a form was shown: its name, and the value of the browser's cookie. */
export interface FormPlace {
  readonly id: string
  readonly browser: string
}

export interface OpenRequest extends FormPlace {
  readonly key: string
  readonly request: PendingRequest
}

/** The stored request that `id` names, if it is alive and this browser began it. */
export function openRequest(server: OAuthServer, req: IncomingMessage, id: string | undefined): OpenRequest {
  const browser = cookie(server, req, 'tieout-browser')
  const key = id === undefined ? undefined : digest(id)
  const request = key === undefined ? undefined : server.state.request(key, server.now())
  if (id === undefined || key === undefined || request === undefined)
    throw new OAuthError(
      'expired_request',
      'This sign-in has ended or took too long. Go back to the application and connect again.',
    )
  if (browser === undefined || digest(browser) !== request.browser)
    throw new OAuthError(
      'cross_site',
      'This sign-in began in another browser, or cookies are blocked. Go back to the application and connect again.',
    )
  return { id, key, request, browser }
}

/**
 * Proof that a form was shown by us: for this request, in this browser, to `userId` (nobody yet on the login page).
 * Bound to the user and not to the session, so that signing in again in another tab does not spoil this one.
 */
export const formToken = (server: OAuthServer, place: FormPlace, userId: string | null): string =>
  hmac(server.keys.pages, `form\n${place.browser}\n${place.id}\n${userId ?? ''}`)

/** Every POST of a form passes here. */
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

/** Our pages send no referrer, for which browsers write `Origin: null`; Sec-Fetch-Site tells in its place. */
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

export function currentSession(server: OAuthServer, req: IncomingMessage): SignedIn | null {
  const id = cookie(server, req, 'tieout-session')
  if (id === undefined) return null
  const key = digest(id)
  const session = server.state.session(key)
  const now = server.now()
  if (session === undefined || session.seenAt + IDLE_MS <= now || session.signedInAt + ABSOLUTE_MS <= now)
    return null
  const user = server.access.user(session.userId)
  return user !== undefined && passwordMark(user) === session.password ? { key, session } : null
}

export async function touchSession(server: OAuthServer, { key, session }: SignedIn): Promise<void> {
  const now = server.now()
  if (session.seenAt + SEEN_EVERY_MS <= now) await server.state.putSession(key, { ...session, seenAt: now })
}

/** A new id at each sign-in: one that was planted beforehand is worth nothing. Gives the Set-Cookie value. */
export async function beginSession(server: OAuthServer, userId: string, password: string): Promise<string> {
  const id = randomToken()
  const now = server.now()
  await server.state.putSession(digest(id), { userId, password, signedInAt: now, seenAt: now })
  return setCookie(server, 'tieout-session', id)
}

export async function endSession(server: OAuthServer, req: IncomingMessage): Promise<string> {
  const id = cookie(server, req, 'tieout-session')
  if (id !== undefined) await server.state.removeSession(digest(id))
  return setCookie(server, 'tieout-session', '', '; Max-Age=0')
}
