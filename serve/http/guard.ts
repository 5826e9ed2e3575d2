/**
 * The order of decisions on every company route, in one place, so that no route can miss one: 401 token · 403 scope ·
 * 429 rate · 404 company · 405 method · 413, 415 body · 400 parameters · 404 ids · 422 basis · 503 overload. A company that the
 * user may not see is answered exactly like one that does not exist, before anything else of the request is read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ARROW_STREAM, DATA_SCOPE, LEDGER_SCOPE, OPERATIONS } from '../../builder/contract/openapi.ts'
import { Problem } from '../../builder/contract/problem.ts'
import { isOfTheDisk } from '../../builder/snapshot/open.ts'
import type { Answer } from '../companies/answers.ts'
import { type Companies, CompanyUnreadableError } from '../companies/companies.ts'
import { asOAuthError } from '../oauth/errors.ts'
import { BearerError, type Grant, requireScope } from '../oauth/grant.ts'
import { readJsonBody } from './body.ts'
import { prefersColumns, type ToColumns } from './columnar.ts'
import type { Compressor } from './encoding.ts'
import { needsLedger, type SendFile } from './files.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { ReadyAnswers } from './ready.ts'
import { JSON_TYPE, type Sent, sendAnswer } from './reply.ts'
import type { CompanyRoute } from './routes.ts'
import { visitOf } from './visit.ts'

export type Params = Readonly<Record<string, string>>
export type Handler = (
  req: IncomingMessage,
  res: ServerResponse,
  params: Params,
  search: string,
) => Promise<void>

interface GuardOptions {
  readonly authenticate: (req: IncomingMessage) => Promise<Grant>
  readonly companies: Companies
  readonly limiter: RateLimiter
  readonly compressor: Compressor
  readonly toColumns: ToColumns
  readonly sendFile: SendFile
  readonly ready: ReadyAnswers
}

const NO_BODY = Buffer.alloc(0)

/** One handler for all methods of one path. */
export function guard(routes: readonly CompanyRoute[], options: GuardOptions): Handler {
  const methods = new Map(routes.map((route) => [OPERATIONS[route.operation].method as string, route]))
  return async (req, res, params, search) => {
    const grant = await authenticated(req, options.authenticate)
    const window = options.limiter.count(grant.grantId)
    const company = await granted(req, grant, params.CompanyId!, options.companies)
    options.limiter.announce(res, window)
    const route = methods.get(methodOf(req))
    if (route === undefined) throw methodNotAllowed([...methods.keys()])
    const body = req.method === 'POST' ? await readJsonBody(req) : NO_BODY
    const reader = { grantId: grant.grantId, company, leaving: leaving(res) }
    try {
      const answer = await route.answer({ reader, params, search, body })
      if ('path' in answer) {
        if (needsLedger(answer)) requireScope(grant, LEDGER_SCOPE)
        await options.sendFile(req, res, answer)
      } else options.ready.keep(req, grant.grantId, await send(req, res, route, answer, options))
    } catch (problem) {
      if (isUnreadable(problem)) options.companies.failed(company, problem)
      throw problem
    }
  }
}

const isUnreadable = (problem: unknown): problem is Error =>
  isOfTheDisk(problem) || problem instanceof CompanyUnreadableError

/** A signal that aborts when the client leaves before its answer is complete; made where an answer must be computed. */
function leaving(res: ServerResponse): () => AbortSignal {
  let controller: AbortController | null = null
  let left = false
  res.once('close', () => {
    left = !res.writableFinished
    if (left) controller?.abort()
  })
  return () => {
    controller ??= new AbortController()
    if (left) controller.abort()
    return controller.signal
  }
}

/** As JSON, or as columns where the route has them and the client likes them better. */
async function send(
  req: IncomingMessage,
  res: ServerResponse,
  route: CompanyRoute,
  answer: Answer,
  { compressor, toColumns }: GuardOptions,
): Promise<Sent> {
  if (!('columnar' in OPERATIONS[route.operation])) return sendAnswer(req, res, answer, compressor)
  const asColumns = prefersColumns(req.headers.accept)
  const form = { type: asColumns ? ARROW_STREAM : JSON_TYPE, vary: 'Accept' }
  return sendAnswer(req, res, asColumns ? await toColumns(answer) : answer, compressor, form)
}

/** HEAD is GET without the body, which node:http leaves out by itself. */
export const methodOf = (req: IncomingMessage): string => (req.method === 'HEAD' ? 'GET' : (req.method ?? ''))

export const allowOf = (methods: readonly string[]): string =>
  [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')

export const methodNotAllowed = (methods: readonly string[]): Problem =>
  new Problem('method-not-allowed', `Allowed: ${allowOf(methods)}.`, { headers: { Allow: allowOf(methods) } })

async function authenticated(
  req: IncomingMessage,
  authenticate: GuardOptions['authenticate'],
): Promise<Grant> {
  const grant = await authenticate(req)
  const visit = visitOf(req)
  visit.clientId = grant.clientId
  visit.userId = grant.userId
  requireScope(grant, DATA_SCOPE)
  return grant
}

/** The id is compared with those of the grant and looked up among the published; only the log learns which failed. */
async function granted(
  req: IncomingMessage,
  grant: Grant,
  company: string,
  companies: Companies,
): Promise<string> {
  const visit = visitOf(req)
  if (!grant.companies.includes(company)) visit.reason = 'company-not-granted'
  else if ((await companies.current(company)) === null) visit.reason = 'company-not-published'
  else {
    visit.companyId = company
    return company
  }
  throw notFound()
}

export const notFound = (): Problem => new Problem('not-found', 'There is nothing here that you may see.')

/** Any error as the problem that the client is told; what is not foreseen stays inside (`reason` in the log). */
export function problemOf(error: unknown, req: IncomingMessage): Problem {
  if (error instanceof Problem) return error
  if (error instanceof BearerError) {
    const code =
      error.status === 401 ? 'unauthorized' : error.status === 403 ? 'insufficient-scope' : 'invalid-request'
    return new Problem(code, error.message, { headers: { 'WWW-Authenticate': error.challenge } })
  }
  const visit = visitOf(req)
  const { code, message, headers } = asOAuthError(error)
  if (code === 'temporarily_unavailable') {
    visit.reason = message
    return new Problem(
      'access-unavailable',
      'Whether you may read this cannot be told now. Try again in a moment.',
      {
        headers,
      },
    )
  }
  visit.reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  if (isUnreadable(error))
    return new Problem(
      'company-unavailable',
      'What is published of this company cannot be read. Try again later.',
      {
        headers: { 'Retry-After': '30' },
      },
    )
  return new Problem('internal', 'Something went wrong here. The Request-Id header names this request.')
}
