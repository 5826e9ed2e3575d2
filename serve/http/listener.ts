/** Every route of the server on one Polka: companies, OAuth, health, the description of the interface. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import polka, { type Request } from 'polka'
import { FILE_PARAMETER, OPERATIONS, openApi } from '../../builder/contract/openapi.ts'
import { invalidRequest } from '../../builder/contract/problem.ts'
import { readNoQuery } from '../../builder/contract/requests.ts'
import { type Answers, contentOf } from '../companies/answers.ts'
import type { Companies } from '../companies/companies.ts'
import type { Grant } from '../oauth/grant.ts'
import type { Route as OAuthRoute } from '../oauth/route.ts'
import { createColumns } from './columnar.ts'
import { type Compressor, createCompressor } from './encoding.ts'
import { createFiles } from './files.ts'
import { allowOf, guard, type Handler, methodNotAllowed, methodOf, notFound, problemOf } from './guard.ts'
import { sendAnswer, sendJson, sendProblem } from './reply.ts'
import { companyRoutes, valid } from './routes.ts'
import { type AccessEntry, beginVisit, visitOf } from './visit.ts'

export interface ListenerOptions {
  readonly issuer: string
  readonly oauth: {
    readonly routes: readonly OAuthRoute[]
    authenticate(req: IncomingMessage): Promise<Grant>
  }
  readonly companies: Companies
  readonly answers: Answers
  /** False from the moment that the server is told to stop. */
  readonly accepting: () => boolean
  readonly log: (entry: AccessEntry) => void
}

interface Endpoint {
  /** Literal, or with `{Name}` for one segment. */
  readonly path: string
  readonly methods: readonly string[]
  readonly handle: Handler
}

export function createListener(options: ListenerOptions): RequestListener {
  const app = polka({
    onError: (error, req, res) => fail(error, req, res),
    onNoMatch: (_req, res) => sendProblem(res, notFound()),
  })
  for (const { path, methods, handle } of endpoints(options))
    app.all(patternOf(path), async (req, res) => {
      visitOf(req).route = path
      if (req.method === 'OPTIONS') return sendOptions(res, methods)
      await handle(req, res, req.params, req.search.slice(1))
    })
  return (req, res) => {
    beginVisit(req, res, options.log)
    if (isWellFormed(req.url ?? '')) void app.handler(req as Request, res, undefined as never)
    else sendProblem(res, invalidRequest([{ parameter: 'path', problem: 'is malformed' }]))
  }
}

function endpoints(options: ListenerOptions): Endpoint[] {
  const compressor = createCompressor()
  return [
    ...companyEndpoints(options, compressor),
    ...oauthEndpoints(options),
    ...ownEndpoints(options, compressor),
  ]
}

function companyEndpoints(
  { answers, companies, oauth }: ListenerOptions,
  compressor: Compressor,
): Endpoint[] {
  const toColumns = createColumns()
  const sendFile = createFiles()
  const authenticate = (req: IncomingMessage) => oauth.authenticate(req)
  const byPath = groupBy(companyRoutes(answers), (route) => OPERATIONS[route.operation].path)
  return [...byPath].map(([path, routes]) => ({
    path,
    methods: routes.map((route) => OPERATIONS[route.operation].method),
    handle: guard(routes, { authenticate, companies, compressor, toColumns, sendFile }),
  }))
}

function oauthEndpoints({ oauth, companies }: ListenerOptions): Endpoint[] {
  return [...groupBy(oauth.routes, (route) => route.path)].map(([path, routes]) => {
    const methods = routes.map((route) => route.method)
    return {
      path,
      methods,
      handle: async (req, res) => {
        const route = routes.find(({ method }) => method === methodOf(req))
        if (route === undefined) return refuseOAuthMethod(res, methods)
        // Consent and user-info name the companies that are published now.
        await companies.refresh()
        await route.handle(req, res)
      },
    }
  })
}

/** OAuth endpoints answer in the form of RFC 6749 §5.2. */
function refuseOAuthMethod(res: ServerResponse, methods: readonly string[]): void {
  res.setHeader('Allow', allowOf(methods))
  const error = { error: 'invalid_request', error_description: 'the method is not allowed here' }
  sendJson(res, 405, 'application/json', Buffer.from(JSON.stringify(error)))
}

function ownEndpoints({ issuer, companies, accepting }: ListenerOptions, compressor: Compressor): Endpoint[] {
  const description = {
    ...contentOf(`${JSON.stringify(openApi(issuer))}\n`),
    snapshotId: null,
    tieOut: null,
    cached: true,
  }
  const get = (path: string, handle: Handler): Endpoint => ({
    path,
    methods: ['GET'],
    handle: async (req, ...rest) => {
      if (methodOf(req) !== 'GET') throw methodNotAllowed(['GET'])
      await handle(req, ...rest)
    },
  })
  const health = (res: ServerResponse, status: 200 | 503, text: string): void =>
    sendJson(res, status, 'application/json', Buffer.from(`${JSON.stringify({ status: text })}\n`))
  return [
    get(OPERATIONS.getOpenApi.path, async (req, res, _params, search) => {
      valid(readNoQuery(search))
      await sendAnswer(req, res, description, compressor)
    }),
    /** The process is alive; depends on nothing. */
    get('/healthz', async (_req, res) => health(res, 200, 'ok')),
    /** Requests should be sent here: not stopping, and every published company can be served. */
    get('/readyz', async (_req, res) => {
      await companies.refresh()
      if (!accepting()) health(res, 503, 'stopping')
      else if (!companies.ready()) health(res, 503, 'a snapshot cannot be read')
      else health(res, 200, 'ready')
    }),
  ]
}

/** Exactly the path: Polka's own patterns also match in other letter case and with a trailing slash. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${name === FILE_PARAMETER ? '.' : '[^/]'}+)`)}$`,
  )

/** Origin form, every escape decodable, no control character: decoded once by Polka and never again. */
function isWellFormed(url: string): boolean {
  if (!url.startsWith('/')) return false
  const [path = ''] = url.split(/[?#]/, 1)
  if (!path.includes('%')) return true
  try {
    return !/[\u0000-\u001f\u007f]/.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

function sendOptions(res: ServerResponse, methods: readonly string[]): void {
  res.statusCode = 204
  res.setHeader('Allow', allowOf(methods))
  res.end()
}

function fail(error: unknown, req: IncomingMessage, res: ServerResponse): void {
  const problem = problemOf(error, req)
  if (res.headersSent) res.destroy()
  else sendProblem(res, problem)
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
