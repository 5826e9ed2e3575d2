/** /oauth2/login and /oauth2/logout: who is at the browser. Both go on with a sealed authorization request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PasswordsBusyError, verifyPassword } from '../../builder/workspace/password.ts'
import { loginPage } from '../pages/login.ts'
import {
  beginSession,
  currentSession,
  endSession,
  formToken,
  type OpenRequest,
  openRequest,
  requireOwnForm,
} from './browser.ts'
import { PATHS } from './discovery.ts'
import { OAuthError } from './errors.ts'
import { queryOf, readForm, single } from './parameters.ts'
import { sendPage, sendRedirect } from './reply.ts'
import { type OAuthServer, passwordMark } from './server.ts'
import { styleHref } from './style.ts'

export async function showLogin(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const open = await openRequest(server, req, single(queryOf(req), 'request'))
  render(server, res, open, 200, '', null)
}

export async function login(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = await readForm(req)
  const open = await openRequest(server, req, single(form, 'request'))
  requireOwnForm(server, req, open, null, single(form, 'csrf'))
  const email = single(form, 'email') ?? ''
  const password = single(form, 'password') ?? ''
  const address = server.addressOf(req)

  const wait = await server.throttle.attempt(address, email)
  if (wait > 0) {
    server.log({ event: 'login-throttled', address })
    const problem = `Too many attempts. Wait ${waitText(wait)} and try again.`
    return render(server, res, open, 429, email, problem, { 'Retry-After': String(wait) })
  }

  const user = server.access.userByEmail(email)
  if (!(await passwordMatches(password, user?.password)) || user === undefined) {
    server.log({ event: 'login-failed', user: user?.id ?? null, address })
    // Which of the two was wrong is nobody's business (ASVS 6.3.8).
    return render(server, res, open, 400, email, 'That e-mail address and password do not match.')
  }
  await server.throttle.succeeded(address, email)
  // Whoever was signed in here before is not any more.
  await endSession(server, req)
  const sessionCookie = await beginSession(server, user.id, passwordMark(user))
  server.log({ event: 'login', user: user.id, address })
  const next = open.request.asked === null ? PATHS.account : `${PATHS.consent}?request=${open.sealed}`
  sendRedirect(res, server.base + next, { 'Set-Cookie': sessionCookie })
}

const waitText = (seconds: number): string =>
  seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} second${seconds === 1 ? '' : 's'}`

async function passwordMatches(password: string, hash: string | undefined): Promise<boolean> {
  try {
    return await verifyPassword(password, hash)
  } catch (failure) {
    if (!(failure instanceof PasswordsBusyError)) throw failure
    throw new OAuthError('temporarily_unavailable', 'Many people are signing in. Try again in a moment.', {
      headers: { 'Retry-After': '5' },
    })
  }
}

export async function logout(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = await readForm(req)
  const open = await openRequest(server, req, single(form, 'request'))
  const signedIn = currentSession(server, req)
  if (signedIn) requireOwnForm(server, req, open, signedIn.session.userId, single(form, 'csrf'))
  const endedCookie = await endSession(server, req)
  sendRedirect(res, `${server.base}${PATHS.login}?request=${open.sealed}`, { 'Set-Cookie': endedCookie })
}

function render(
  server: OAuthServer,
  res: ServerResponse,
  open: OpenRequest,
  status: number,
  email: string,
  problem: string | null,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { asked } = open.request
  const html = loginPage({
    style: styleHref(server.base),
    action: server.base + PATHS.login,
    request: open.sealed,
    csrf: formToken(server, open, null),
    clientName: asked === null ? null : (server.access.client(asked.clientId)?.name ?? asked.clientId),
    email,
    problem,
  })
  sendPage(res, status, html, { headers })
}
