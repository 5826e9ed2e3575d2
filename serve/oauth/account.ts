/** /account: a person sees which applications have access in their name, ends it, and signs out. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '../../builder/workspace/access.ts'
import { type AccountGrant, accountPage } from '../pages/account.ts'
import {
  beginRequest,
  browserCookie,
  currentSession,
  endSession,
  type FormPlace,
  formToken,
  requireOwnForm,
  touchSession,
} from './browser.ts'
import { PATHS } from './discovery.ts'
import { type GrantInfo, grantsOf } from './grants.ts'
import { type Parameters, queryOf, readForm, single } from './parameters.ts'
import { sendPage, sendRedirect } from './reply.ts'
import { inWords } from './scope-words.ts'
import type { OAuthServer } from './server.ts'
import { styleHref } from './style.ts'

export async function showAccount(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const signedIn = currentSession(server, req)
  const user = signedIn ? server.access.user(signedIn.session.userId) : undefined
  if (signedIn === null || user === undefined) {
    const { sealed, cookie } = await beginRequest(server, req, null, false)
    return sendRedirect(res, `${server.base}${PATHS.login}?request=${sealed}`, { 'Set-Cookie': cookie })
  }
  await touchSession(server, signedIn)
  const browser = browserCookie(server, req)
  const own = grantsOf(server).filter(({ userId }) => userId === user.id)
  const ended = own.find(({ id }) => id === single(queryOf(req), 'ended'))
  const html = accountPage({
    style: styleHref(server.base),
    endAction: server.base + PATHS.endGrant,
    signOutAction: server.base + PATHS.signOut,
    csrf: formToken(server, place(browser.value), user.id),
    name: `${user.firstName} ${user.lastName}`,
    email: user.email,
    grants: own.filter(({ status }) => status === 'active').map((grant) => shown(server, grant)),
    ended: ended?.status === 'revoked' ? clientName(server, ended.clientId) : null,
  })
  sendPage(res, 200, html, { headers: { 'Set-Cookie': browser.header } })
}

export async function endOwnGrant(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const form = await readForm(req)
  const user = formOwner(server, req, form)
  const id = user === null ? undefined : single(form, 'grant')
  // Another person's grant is one that is not there.
  const grant = id === undefined ? undefined : server.state.grant(id)
  if (user === null || id === undefined || grant?.userId !== user.id)
    return sendRedirect(res, server.base + PATHS.account)
  await server.state.revokeGrant(id, server.now())
  server.log({ event: 'grant-revoked', grant: id, client: grant.clientId, user: user.id })
  sendRedirect(res, `${server.base}${PATHS.account}?ended=${id}`)
}

export async function signOut(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const user = formOwner(server, req, await readForm(req))
  const cookie = await endSession(server, req)
  if (user !== null) server.log({ event: 'logout', user: user.id })
  sendRedirect(res, server.base + PATHS.account, { 'Set-Cookie': cookie })
}

/** Who sent the form, from our page; null where nobody is signed in any more. */
function formOwner(server: OAuthServer, req: IncomingMessage, form: Parameters): User | null {
  const signedIn = currentSession(server, req)
  const user = signedIn ? server.access.user(signedIn.session.userId) : undefined
  if (user === undefined) return null
  requireOwnForm(server, req, place(browserCookie(server, req).value), user.id, single(form, 'csrf'))
  return user
}

const place = (browser: string): FormPlace => ({ id: 'account', browser })

const clientName = (server: OAuthServer, id: string): string => server.access.client(id)?.name ?? id

function shown(server: OAuthServer, grant: GrantInfo): AccountGrant {
  const names = new Map(server.companies().map(({ id, name }) => [id, name]))
  return {
    id: grant.id,
    clientName: clientName(server, grant.clientId),
    companies: grant.scopes.includes('read:company')
      ? grant.companies.map((id) => names.get(id) ?? id)
      : null,
    permissions: inWords(grant.scopes.filter((scope) => scope !== 'read:company')),
    since: new Date(grant.since),
    usedAt: new Date(grant.usedAt),
    endsAt: new Date(grant.endsAt),
    idleEndsAt: new Date(grant.idleEndsAt),
  }
}
