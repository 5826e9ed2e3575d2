/** All routes of the server on one Polka: companies, OAuth, reports, health, the description of the interface. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import polka, { type Request } from 'polka'
import { openApi } from '../../builder/contract/openapi.ts'
import { FILE_PARAMETER, OPERATIONS } from '../../builder/contract/operations.ts'
import { invalidRequest, Problem } from '../../builder/contract/problem.ts'
import { readNoQuery } from '../../builder/contract/requests.ts'
import { type Answer, type CompanyAnswers, contentOf } from '../companies/answers.ts'
import type { Companies } from '../companies/companies.ts'
import type { People } from '../oauth/people/people.ts'
import type { Route as OAuthRoute } from '../oauth/route.ts'
import type { Grant } from '../oauth/tokens/grant.ts'
import { companyEndpoint, type Handler } from './company-endpoint.ts'
import { createFiles } from './files.ts'
import { type Readiness, type Remark, sendAlive, sendReadiness } from './health.ts'
import type { Load } from './limits/load.ts'
import type { RateLimiter } from './limits/rate-limit.ts'
import { allowOf, methodNotAllowed, methodOf, noSuchAddress, sendFailure, sendProblem } from './problems.ts'
import { createReplies, type Replies, sendJsonBytes } from './reply.ts'
import { type ReportOptions, reportRoutes } from './reports.ts'
import { allowOrigin } from './request/cross-origin.ts'
import { headersCalled } from './request/headers.ts'
import { bodyOf, leaveUnread, statedBytes } from './request/request-body.ts'
import { type AccessEntry, beginRequest, contextOf, entryOf } from './request/request-context.ts'
import { isWellFormed, takeTarget } from './request/target.ts'
import { companyRoutes, valid } from './routes.ts'

interface ListenerOptions {
  readonly issuer: string
  readonly oauth: {
    readonly routes: readonly OAuthRoute[]
    readonly people: People
    authenticate(req: IncomingMessage): Promise<Grant>
  }
  readonly companies: Companies
  readonly answers: CompanyAnswers
  readonly snapshots: string
  readonly adhoc: ReportOptions['adhoc']
  readonly readiness: Readiness
  readonly remark?: Remark
  readonly load: Load
  readonly limiter: RateLimiter
  /** Names that the server answers for; null for any, since absolute URLs are never made from a Host header. */
  readonly hosts: readonly string[] | null
  /** Origins whose pages may read what is for applications. */
  readonly origins?: readonly string[]
  /** Names of query parameters that no route knows and that are not refused. */
  readonly ignoredParameters?: readonly string[]
  /** The address of the client, also where a proxy stands in front of the server. */
  readonly addressOf: (req: IncomingMessage) => string
  readonly log: (entry: AccessEntry) => void
}

interface Endpoint {
  /** Literal, or with `{Name}` for one segment. */
  readonly path: string
  readonly methods: readonly string[]
  /** Read by applications, not by people: pages of origins that tieout.yaml names may read it too. */
  readonly isForApplications?: boolean
  readonly handle: Handler
}

export function createListener(options: ListenerOptions): RequestListener {
  const app = polka({
    onError: (error, req, res) => sendFailure(req, res, error),
    onNoMatch: (req, res) => sendProblem(res, noSuchAddress(isRoute(req.path.replace(/\/$/, '')))),
  })
  const patterns: RegExp[] = []
  const isRoute = (path: string): boolean => patterns.some((pattern) => pattern.test(path))
  const origins = new Set(options.origins)
  const ignored = new Set(options.ignoredParameters)
  for (const { path, methods, isForApplications, handle } of endpoints(options)) {
    patterns.push(patternOf(path))
    app.all(patternOf(path), async (req, res) => {
      contextOf(req).route = path
      if (isForApplications) allowOrigin(req, res, origins)
      if (req.method === 'OPTIONS') return sendOptions(res, methods)
      await handle(req, res, req.params, req.search.slice(1))
    })
  }
  const go = (req: IncomingMessage, res: ServerResponse): void =>
    void app.handler(req as Request, res, undefined as never)
  const admit = (req: IncomingMessage, res: ServerResponse): void =>
    options.load.admit(
      res,
      contextOf(req).address,
      () => go(req, res),
      (problem) => sendProblem(res, problem),
    )
  /** One function for all answers: a closure for each costs more than the line that it writes. */
  function end(this: ServerResponse): void {
    options.log(entryOf(contextOf(this.req), this))
  }
  return function handle(req, res) {
    const host = takeTarget(req, ignored)
    const { requestId } = beginRequest(req, options.addressOf(req))
    res.on('close', end)
    res.setHeader('Request-Id', requestId)
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('Referrer-Policy', 'no-referrer')
    const problem = refusalOf(req, host, options.hosts)
    const isProbe = PROBES.has(req.url ?? '')
    const needsBody = problem === null && !isProbe && req.method === 'POST'
    if (!needsBody && statedBytes(req) > 0) leaveUnread(req, res)
    if (problem !== null) sendProblem(res, problem)
    // A health probe is answered whatever the load.
    else if (isProbe) go(req, res)
    else if (!needsBody) admit(req, res)
    // Only complete requests count towards the load. A client that leaves before is noticed by `close`.
    else
      bodyOf(req).then(
        (body) => {
          if (body === null) res.setHeader('Connection', 'close')
          admit(req, res)
        },
        () => {},
      )
  }
}

/** Why a request is refused whatever it asks for, or null. */
function refusalOf(
  { url = '', httpVersion, headers, rawHeaders }: IncomingMessage,
  hostOfTarget: string | null,
  hosts: readonly string[] | null,
): Problem | null {
  const malformed = (parameter: string, problem: string): Problem => invalidRequest([{ parameter, problem }])
  const host = hostOfTarget ?? headers.host
  // RFC 9112 §3.2; a proxy in front may have used the other one.
  if (headersCalled('host', rawHeaders).length > 1) return malformed('Host', 'is given more than once')
  if (host === undefined && httpVersion === '1.1') return malformed('Host', 'is missing')
  if (!isWellFormed(url)) return malformed('path', 'is malformed')
  // RFC 9110 §10.1.1. node:http has sent `100 Continue` already where that was expected.
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new Problem('expectation-failed', 'Expect: nothing but 100-continue can be expected.')
  // A health probe is sent to an address, not to a name.
  if (!PROBES.has(url) && !isOurs(host, hosts))
    return new Problem('misdirected-request', 'The Host header names another server.')
  return null
}

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** A configured name without a port allows any port. */
function isOurs(host: string | undefined, hosts: readonly string[] | null): boolean {
  if (hosts === null) return true
  const given = (host ?? '').toLowerCase()
  return hosts.some((name) => given === name || given.replace(/:\d+$/, '') === name)
}

function endpoints(options: ListenerOptions): Endpoint[] {
  const replies = createReplies()
  return [
    ...companyEndpoints(options, replies),
    ...oauthEndpoints(options),
    ...reportRoutes({ ...options, people: options.oauth.people }),
    ...ownEndpoints(options, replies),
  ]
}

function companyEndpoints(options: ListenerOptions, replies: Replies): Endpoint[] {
  const shared = { ...options, replies, sendFile: createFiles() }
  const byPath = groupBy(companyRoutes(options.answers), (route) => OPERATIONS[route.operation].path)
  return [...byPath].map(([path, routes]) => ({
    path,
    methods: routes.map((route) => OPERATIONS[route.operation].method),
    isForApplications: true,
    handle: companyEndpoint(routes, shared),
  }))
}

function oauthEndpoints({ oauth, companies }: ListenerOptions): Endpoint[] {
  return [...groupBy(oauth.routes, (route) => route.path)].map(([path, routes]) => {
    const methods = routes.map((route) => route.method)
    return {
      path,
      methods,
      isForApplications: routes.some((route) => route.isForApplications),
      handle: async (req, res) => {
        const route = routes.find(({ method }) => method === methodOf(req))
        if (route === undefined) return refuseOAuthMethod(res, methods)
        // Consent and user-info list the companies that are published now.
        await companies.refresh()
        await route.handle(req, res)
      },
    }
  })
}

/** OAuth endpoints answer errors in the form of RFC 6749 §5.2. */
function refuseOAuthMethod(res: ServerResponse, methods: readonly string[]): void {
  res.setHeader('Allow', allowOf(methods))
  const error = { error: 'invalid_request', error_description: 'the method is not allowed here' }
  sendJsonBytes(res, 405, 'application/json', Buffer.from(JSON.stringify(error)))
}

function ownEndpoints({ issuer, readiness, remark }: ListenerOptions, replies: Replies): Endpoint[] {
  const text = `${JSON.stringify(openApi(issuer))}\n`
  const description: Answer = { snapshotId: null, key: 'openapi', make: async () => contentOf(text) }
  const get = (path: string, handle: Handler): Endpoint => ({
    path,
    methods: ['GET'],
    isForApplications: true,
    handle: async (req, ...rest) => {
      if (methodOf(req) !== 'GET') throw methodNotAllowed(['GET'])
      await handle(req, ...rest)
    },
  })
  return [
    get(OPERATIONS.getOpenApi.path, async (req, res, _params, search) => {
      valid(readNoQuery(search))
      await replies.send(req, res, description)
    }),
    get('/healthz', async (_req, res) => sendAlive(res)),
    get('/readyz', (_req, res) => sendReadiness(res, readiness, remark)),
  ]
}

/** Matches exactly this path; Polka's own patterns also match other letter case and a trailing slash. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${name === FILE_PARAMETER ? '.' : '[^/]'}+)`)}$`,
  )

function sendOptions(res: ServerResponse, methods: readonly string[]): void {
  res.statusCode = 204
  res.setHeader('Allow', allowOf(methods))
  res.end()
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
