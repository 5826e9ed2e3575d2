/** /oauth2/login and /oauth2/logout: sign a user in and out. Both continue a sealed authorization request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { loginPage } from '../../pages/login.ts'
import { PATHS } from '../discovery.ts'
import { queryOf, readForm, single } from '../parameters.ts'
import { sendPage, sendRedirect } from '../reply.ts'
import type { OAuthServer } from '../server.ts'
import {
  beginSession,
  currentSession,
  endSession,
  formToken,
  type OpenRequest,
  openRequest,
  requireOwnForm,
} from './browser.ts'
import { checkPassword, NO_MATCH } from './password-check.ts'
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
  const check = await checkPassword(server, req, email, server.access.userByEmail(email), password)
  const address = server.addressOf(req)
  if (check.outcome === 'wait') {
    server.log({ event: 'login-throttled', address })
    return render(server, res, open, 429, email, check.problem, { 'Retry-After': String(check.seconds) })
  }
  if (check.outcome === 'wrong') {
    server.log({ event: 'login-failed', user: check.userId, address })
    return render(server, res, open, 400, email, check.problem)
  }
  const { user, hash } = check
  // Ends the session of whoever was signed in in this browser before.
  await endSession(server, req)
  const sessionCookie = await beginSession(server, user, hash)
  if (sessionCookie === null) {
    // The password was right when it was checked, and was changed meanwhile.
    server.log({ event: 'login-failed', user: user.id, address })
    return render(server, res, open, 400, email, NO_MATCH)
  }
  server.log({ event: 'login', user: user.id, address })
  const { asked, page } = open.request
  const next = asked === null ? (page ?? PATHS.account) : `${PATHS.consent}?request=${open.sealed}`
  sendRedirect(res, server.base + next, { 'Set-Cookie': sessionCookie })
}

export async function logout(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = await readForm(req)
  const open = await openRequest(server, req, single(form, 'request'))
  const signedIn = await currentSession(server, req)
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
  const { asked, page } = open.request
  const html = loginPage({
    style: styleHref(server.base),
    action: server.base + PATHS.login,
    request: open.sealed,
    csrf: formToken(server, open, null),
    clientName: asked === null ? null : (server.access.client(asked.clientId)?.name ?? asked.clientId),
    purpose:
      page === null || page === PATHS.account ? 'see who has access in your name' : 'look at statements',
    email,
    problem,
  })
  sendPage(res, status, html, { headers })
}
