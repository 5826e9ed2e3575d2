/**
 * /oauth2/consent: shows what is asked for, accepts one answer, and redirects the browser to the client with a
 * code.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LEDGER_SCOPE } from '../../../builder/contract/operations.ts'
import type { Client, User } from '../../../builder/workspace/access/access.ts'
import { consentPage } from '../../pages/consent.ts'
import { PATHS } from '../discovery.ts'
import { OAuthError } from '../errors.ts'
import type { AuthorizationRequest } from '../keys/sealed-request.ts'
import { newGrantId, randomToken } from '../keys/secret.ts'
import { queryOf, readForm, single } from '../parameters.ts'
import { withParameters } from '../redirect-uri.ts'
import { sendPage, sendRedirect } from '../reply.ts'
import {
  codeKey,
  GRANT_MS,
  IDLE_DAYS,
  type OAuthServer,
  type PublishedCompany,
  passwordMark,
} from '../server.ts'
import type { Session } from '../state/records.ts'
import {
  currentSession,
  formToken,
  isSignedIn,
  type OpenRequest,
  openRequest,
  requireOwnForm,
  type SignedIn,
  touchSession,
} from './browser.ts'
import { inWords } from './scope-words.ts'
import { answerRequest, type RequestAnswer } from './sessions.ts'
import { styleHref } from './style.ts'

const CODE_MS = 60 * 1000

export async function showConsent(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const query = queryOf(req)
  const open = await openRequest(server, req, single(query, 'request'))
  const consent = await present(server, req, open)
  if (consent === null) return sendRedirect(res, `${server.base}${PATHS.login}?request=${open.sealed}`)
  await touchSession(server, consent.signedIn)
  const offered = consent.offered?.map(({ id }) => id) ?? []
  // A single company is chosen beforehand; among several the user chooses.
  const choose = single(query, 'choose') ?? (offered.length === 1 ? 'all' : 'none')
  render(server, res, consent, 200, new Set(choose === 'all' ? offered : []), null)
}

export async function consent(server: OAuthServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = await readForm(req)
  const open = await openRequest(server, req, single(form, 'request'))
  const given = await present(server, req, open)
  if (given === null) return sendRedirect(res, `${server.base}${PATHS.login}?request=${open.sealed}`)
  requireOwnForm(server, req, open, given.user.id, single(form, 'csrf'))

  const decision = single(form, 'decision')
  if (decision === 'deny') return deny(server, res, given)
  if (decision !== 'allow') throw new OAuthError('invalid_request', 'Neither allowed nor denied.')
  // Only the choice is taken from the form, and only companies that were offered are granted.
  const chosen = new Set(form.get('company') ?? [])
  const companies = given.offered?.map(({ id }) => id).filter((id) => chosen.has(id)) ?? []
  if (given.offered !== null && companies.length === 0)
    return render(server, res, given, 400, new Set(), 'Choose at least one company, or deny.')
  const keepsLedger = single(form, 'ledger') !== undefined && given.asksLedger
  const scopes = given.asked.scopes.filter((scope) => scope !== LEDGER_SCOPE || keepsLedger)
  return allow(server, res, given, companies, scopes)
}

/** What the page shows and the answer depends on: the sealed request and the server's own records. */
interface Consent {
  readonly open: OpenRequest
  readonly asked: AuthorizationRequest
  readonly signedIn: SignedIn
  readonly user: User
  readonly client: Client
  /** Null where the client does not ask for figures of companies. */
  readonly offered: readonly PublishedCompany[] | null
  /** The client asks for ledger entries too, which are granted only where the user ticks them. */
  readonly asksLedger: boolean
}

/** Null where a user has to sign in first. */
async function present(
  server: OAuthServer,
  req: IncomingMessage,
  open: OpenRequest,
): Promise<Consent | null> {
  const signedIn = await currentSession(server, req)
  const user = signedIn ? server.access.user(signedIn.session.userId) : undefined
  if (signedIn === null || user === undefined) return null
  if (open.request.mustSignIn && signedIn.session.signedInAt < open.request.createdAt) return null
  const { asked } = open.request
  const client = asked === null ? undefined : server.access.client(asked.clientId)
  if (asked === null || client === undefined)
    throw new OAuthError('unknown_client', 'The application that sent you here is no longer known.')
  const asksLedger = client.allowLedger && asked.scopes.includes(LEDGER_SCOPE)
  return { open, asked, signedIn, user, client, offered: offeredCompanies(server, asked, user), asksLedger }
}

function offeredCompanies(
  server: OAuthServer,
  { scopes }: AuthorizationRequest,
  user: User,
): readonly PublishedCompany[] | null {
  if (!scopes.includes('read:company')) return null
  const published = new Map(server.companies().map((company) => [company.id, company]))
  return server.access.companiesOf(user.id).flatMap((id) => published.get(id) ?? [])
}

async function allow(
  server: OAuthServer,
  res: ServerResponse,
  consent: Consent,
  companies: readonly string[],
  scopes: readonly string[],
): Promise<void> {
  const { asked, user, client } = consent
  const seconds = await server.throttle.consent(user.id)
  if (seconds > 0)
    throw new OAuthError(
      'access_denied',
      `You have given access very often. Try again in ${seconds} seconds.`,
      {
        status: 429,
        headers: { 'Retry-After': String(seconds) },
      },
    )
  const code = randomToken()
  const grantId = newGrantId()
  const isStored = await end(server, res, consent, {
    key: codeKey(server, code),
    code: {
      grantId,
      clientId: client.id,
      redirectUri: asked.redirectUri,
      challenge: asked.challenge,
      nonce: asked.nonce,
      signedInAt: consent.signedIn.session.signedInAt,
      userId: user.id,
      password: passwordMark(user),
      scopes,
      companies,
      expiresAt: server.now() + CODE_MS,
      usedAt: null,
    },
  })
  if (!isStored) return
  server.log({ event: 'consent', user: user.id, client: client.id, grant: grantId, companies, scopes })
  answer(server, res, asked, { code })
}

async function deny(server: OAuthServer, res: ServerResponse, consent: Consent): Promise<void> {
  const { asked, user, client } = consent
  if (!(await end(server, res, consent, null))) return
  server.log({ event: 'consent-denied', user: user.id, client: client.id })
  answer(server, res, asked, { error: 'access_denied', error_description: 'the user denied access' })
}

/** False where the user was signed out meanwhile and is sent to the sign-in. */
async function end(
  server: OAuthServer,
  res: ServerResponse,
  { open, signedIn, client }: Consent,
  code: RequestAnswer['code'],
): Promise<boolean> {
  const answer = { requestId: open.id, expiresAt: open.request.expiresAt, code }
  const holds = (session: Session): boolean =>
    isSignedIn(server, session) && server.access.client(client.id) !== undefined
  const outcome = await answerRequest(server.store, answer, signedIn.key, holds)
  if (outcome === 'answered-before')
    throw new OAuthError('expired_request', 'This request has been answered already.')
  if (outcome === 'signed-out') sendRedirect(res, `${server.base}${PATHS.login}?request=${open.sealed}`)
  return outcome === 'answered'
}

/** RFC 9207: every answer names its issuer, so that a client of several servers cannot confuse them. */
const answer = (
  server: OAuthServer,
  res: ServerResponse,
  asked: AuthorizationRequest,
  parameters: Readonly<Record<string, string>>,
): void =>
  sendRedirect(
    res,
    withParameters(asked.redirectUri, { ...parameters, state: asked.state, iss: server.issuer }),
  )

function render(
  server: OAuthServer,
  res: ServerResponse,
  { open, asked, user, client, offered, asksLedger }: Consent,
  status: number,
  checked: ReadonlySet<string>,
  problem: string | null,
): void {
  const redirect = new URL(asked.redirectUri)
  const self = `${server.base}${PATHS.consent}?request=${open.sealed}`
  const html = consentPage({
    style: styleHref(server.base),
    action: server.base + PATHS.consent,
    accountHref: server.base + PATHS.account,
    logoutAction: server.base + PATHS.logout,
    request: open.sealed,
    csrf: formToken(server, open, user.id),
    clientName: client.name,
    redirectHost: redirect.host,
    email: user.email,
    permissions: inWords(asked.scopes.filter((scope) => scope !== LEDGER_SCOPE)),
    ledger: asksLedger ? (inWords([LEDGER_SCOPE])[0] ?? null) : null,
    companies: offered?.map((company) => ({ ...company, checked: checked.has(company.id) })) ?? null,
    allHref: `${self}&choose=all`,
    noneHref: `${self}&choose=none`,
    endsAt: new Date(server.now() + GRANT_MS),
    idleDays: IDLE_DAYS,
    problem,
  })
  sendPage(res, status, html, { redirectOrigin: redirect.origin })
}
