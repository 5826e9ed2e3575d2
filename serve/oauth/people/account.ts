/**
 * /account: shows a user which applications have access on their behalf, ends it, and signs out in this browser or
 * in others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DATA_SCOPE } from '../../../builder/contract/operations.ts'
import { PASSWORD_LENGTH_MIN } from '../../../builder/system/password.ts'
import type { User } from '../../../builder/workspace/access/access.ts'
import {
  type AccountApplication,
  type AccountGrant,
  type AccountPages,
  accountPage,
} from '../../pages/account.ts'
import { PATHS } from '../discovery.ts'
import { type Parameters, queryOf, readForm, single } from '../parameters.ts'
import { sendPage, sendRedirect } from '../reply.ts'
import type { OAuthServer } from '../server.ts'
import { revokeGrants } from '../tokens/families.ts'
import { type GrantInfo, grantsOf } from '../tokens/grants.ts'
import {
  browserCookie,
  currentSession,
  endSession,
  type FormPlace,
  formToken,
  otherSessions,
  requireOwnForm,
  type SignedIn,
  sendToSignIn,
  touchSession,
} from './browser.ts'
import { FIGURES, inWords } from './scope-words.ts'
import * as sessions from './sessions.ts'
import { styleHref } from './style.ts'

export async function showAccount(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const owner = await ownerOf(server, req)
  if (owner === null) return sendToSignIn(server, req, res, PATHS.account)
  await touchSession(server, owner)
  await sendAccount(server, req, res, owner)
}

/** The signed-in user whose page it is. */
export interface Owner extends SignedIn {
  readonly user: User
}

export async function ownerOf(server: OAuthServer, req: IncomingMessage): Promise<Owner | null> {
  const signedIn = await currentSession(server, req)
  const user = signedIn ? server.access.user(signedIn.session.userId) : undefined
  return signedIn !== null && user !== undefined ? { ...signedIn, user } : null
}

interface Said {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly passwordProblem?: string | null
}

export async function sendAccount(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
  owner: Owner,
  { status = 200, headers = {}, passwordProblem = null }: Said = {},
): Promise<void> {
  const { user } = owner
  const browser = browserCookie(server, req)
  const own = await grantsOf(server, user.id)
  const shownGrants = pageOf(own, single(queryOf(req), 'page'))
  const html = accountPage({
    style: styleHref(server.base),
    actions: {
      endAccess: server.base + PATHS.endGrant,
      password: server.base + PATHS.password,
      endSessions: server.base + PATHS.endSessions,
      signOut: server.base + PATHS.signOut,
    },
    csrf: formToken(server, place(browser.value), user.id),
    name: `${user.firstName} ${user.lastName}`,
    email: user.email,
    applications: applicationsOf(server, shownGrants),
    pages: pagesAround(server, shownGrants),
    otherSessions: await otherSessions(server, owner),
    passwordLengthMin: PASSWORD_LENGTH_MIN,
    passwordProblem,
    done: passwordProblem === null ? doneText(server, own, queryOf(req)) : null,
  })
  sendPage(res, status, html, { headers: { ...headers, 'Set-Cookie': browser.header } })
}

/** A sentence about the action that the address names, if it really took place. */
function doneText(server: OAuthServer, own: readonly GrantInfo[], query: Parameters): string | null {
  const grant = own.find(({ id }) => id === single(query, 'ended'))
  if (grant?.status === 'revoked') return `The access of ${clientName(server, grant.clientId)} has ended.`
  const done = single(query, 'done')
  if (done === 'password') return 'Your password is changed, and you are signed out everywhere else.'
  return done === 'sessions' ? 'You are signed out everywhere else.' : null
}

/** Ends one grant, or all grants of an application. */
export async function endOwnGrants(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const form = await readForm(req)
  const owner = await formOwner(server, req, form)
  const [id, clientId] = [single(form, 'grant'), single(form, 'client')]
  // A grant of another user is treated like one that does not exist.
  const own = owner === null ? [] : await grantsOf(server, owner.user.id)
  const chosen = own.filter(
    (grant) => grant.status === 'active' && (grant.id === id || grant.clientId === clientId),
  )
  const ids = chosen.map((grant) => grant.id)
  if (ids.length > 0) await revokeGrants(server.store, ids, server.now())
  for (const grant of chosen)
    server.log({ event: 'grant-revoked', grant: grant.id, client: grant.clientId, user: grant.userId })
  const [first] = chosen
  sendRedirect(res, server.base + PATHS.account + (first === undefined ? '' : `?ended=${first.id}`))
}

export async function endOtherSessions(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const owner = await formOwner(server, req, await readForm(req))
  if (owner === null) return sendRedirect(res, server.base + PATHS.account)
  await sessions.removeOtherSessions(server.store, owner.user.id, owner.key)
  server.log({ event: 'sessions-ended', user: owner.user.id })
  sendRedirect(res, `${server.base}${PATHS.account}?done=sessions`)
}

export async function signOut(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const owner = await formOwner(server, req, await readForm(req))
  const cookie = await endSession(server, req)
  if (owner !== null) server.log({ event: 'logout', user: owner.user.id })
  sendRedirect(res, server.base + PATHS.account, { 'Set-Cookie': cookie })
}

/** The user who sent the form, after a check that our page made it; null where nobody is signed in any more. */
export async function formOwner(
  server: OAuthServer,
  req: IncomingMessage,
  form: Parameters,
): Promise<Owner | null> {
  const owner = await ownerOf(server, req)
  if (owner === null) return null
  requireOwnForm(server, req, place(browserCookie(server, req).value), owner.user.id, single(form, 'csrf'))
  return owner
}

const place = (browser: string): FormPlace => ({ id: 'account', browser })

const clientName = (server: OAuthServer, id: string): string => server.access.client(id)?.name ?? id

const PAGE_GRANTS = 25

interface GrantPage {
  readonly number: number
  readonly count: number
  /** Grants of one application stand together. */
  readonly grants: readonly GrantInfo[]
  /** The number of active grants of each application, on all pages. */
  readonly ofClient: ReadonlyMap<string, number>
}

/** Sorted by application, the one with the newest grant first, and within it the newest grant first. */
function pageOf(own: readonly GrantInfo[], asked: string | undefined): GrantPage {
  const byClient = new Map<string, GrantInfo[]>()
  for (const grant of own.filter(({ status }) => status === 'active').reverse()) {
    const same = byClient.get(grant.clientId)
    if (same) same.push(grant)
    else byClient.set(grant.clientId, [grant])
  }
  const all = [...byClient.values()].flat()
  const count = Math.max(1, Math.ceil(all.length / PAGE_GRANTS))
  const number = /^[1-9]\d{0,5}$/.test(asked ?? '') ? Math.min(Number(asked), count) : 1
  return {
    number,
    count,
    grants: all.slice((number - 1) * PAGE_GRANTS, number * PAGE_GRANTS),
    ofClient: new Map([...byClient].map(([id, grants]) => [id, grants.length])),
  }
}

function pagesAround(server: OAuthServer, { number, count }: GrantPage): AccountPages | null {
  if (count === 1) return null
  const href = (page: number): string | null =>
    page < 1 || page > count ? null : `${server.base}${PATHS.account}?page=${page}`
  return { number, count, before: href(number - 1), after: href(number + 1) }
}

function applicationsOf(server: OAuthServer, { grants, ofClient }: GrantPage): AccountApplication[] {
  const names = new Map(server.companies().map(({ id, name }) => [id, name]))
  return [...new Set(grants.map(({ clientId }) => clientId))].map((id) => ({
    id,
    name: clientName(server, id),
    grants: grants.filter(({ clientId }) => clientId === id).map((grant) => shown(names, grant)),
    total: ofClient.get(id) ?? 0,
  }))
}

function shown(names: ReadonlyMap<string, string>, grant: GrantInfo): AccountGrant {
  return {
    id: grant.id,
    companies: grant.scopes.includes(DATA_SCOPE) ? grant.companies.map((id) => names.get(id) ?? id) : null,
    permissions: inWords(grant.scopes).filter((words) => words !== FIGURES),
    since: new Date(grant.since),
    usedAt: new Date(grant.usedAt),
    endsAt: new Date(grant.endsAt),
    idleEndsAt: new Date(grant.idleEndsAt),
  }
}
