/**
 * One path of a company, after the guard. Refusals come in this order: 405 method, 413 and 415 body, 400
 * parameters, 404 ids, 422 basis, 503 overload. Then follows the answer, in the form and coding asked for.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { ARROW_STREAM, LEDGER_SCOPE, OPERATIONS } from '../../builder/contract/operations.ts'
import { Problem } from '../../builder/contract/problem.ts'
import type { Answer } from '../companies/answers.ts'
import type { Companies } from '../companies/companies.ts'
import { JSON_TYPE } from '../oauth/reply.ts'
import { requireScope } from '../oauth/tokens/grant.ts'
import type { CachedResponses } from './cached-responses.ts'
import { prefersColumns, type ToColumns } from './columnar.ts'
import type { Compressor } from './encoding.ts'
import { needsLedger, type SendFile } from './files.ts'
import { admit, type GuardInputs } from './guard.ts'
import type { RateLimiter } from './limits/rate-limit.ts'
import { methodNotAllowed, methodOf } from './problems.ts'
import { type Response, sendAnswer, setHeaders } from './reply.ts'
import { readMended } from './request/read-mended.ts'
import { bodyOf, GREATEST_BODY_BYTES, isOfType, MOST_BODY_PIECES } from './request/request-body.ts'
import type { CompanyRoute } from './routes.ts'

type Params = Readonly<Record<string, string>>
export type Handler = (
  req: IncomingMessage,
  res: ServerResponse,
  params: Params,
  search: string,
) => Promise<void>

interface EndpointOptions {
  readonly inputs: GuardInputs
  readonly companies: Pick<Companies, 'failed' | 'mended'>
  readonly limiter: RateLimiter
  readonly compressor: Compressor
  readonly toColumns: ToColumns
  readonly sendFile: SendFile
  readonly cachedResponses: CachedResponses
}

const NO_BODY = Buffer.alloc(0)

export function companyEndpoint(routes: readonly CompanyRoute[], options: EndpointOptions): Handler {
  const methods = new Map(routes.map((route) => [OPERATIONS[route.operation].method as string, route]))
  return async (req, res, params, search) => {
    const { CompanyId: company = '' } = params
    const { grant, window, snapshot } = await admit(req, company, options.inputs)
    setHeaders(res, [...options.limiter.headers(window), 'Snapshot-Current', snapshot.id])
    const route = methods.get(methodOf(req))
    if (route === undefined) throw methodNotAllowed([...methods.keys()])
    const body = req.method === 'POST' ? await readJsonBody(req) : NO_BODY
    const reader = { grantId: grant.grantId, company, leaving: leaving(res) }
    const answer = async (): Promise<void> => {
      const found = await route.answer({ reader, params, search, body })
      if ('path' in found) {
        if (needsLedger(found)) requireScope(grant, LEDGER_SCOPE)
        await options.sendFile(req, res, found, grant.scopes.has(LEDGER_SCOPE))
      } else options.cachedResponses.keep(req, grant.grantId, await send(req, res, route, found, options))
    }
    await readMended(options.companies, company, answer, () => !res.headersSent)
  }
}

/**
 * Returns a function that makes a signal, which aborts when the client leaves before its answer is complete. The
 * signal is made only where an answer has to be computed.
 */
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

/** Sends the answer as JSON, or in columns where the route offers them and the client prefers them. */
async function send(
  req: IncomingMessage,
  res: ServerResponse,
  route: CompanyRoute,
  answer: Answer,
  { compressor, toColumns }: EndpointOptions,
): Promise<Response> {
  if (!('columnar' in OPERATIONS[route.operation])) return sendAnswer(req, res, answer, compressor)
  const asColumns = prefersColumns(req.headers.accept)
  const form = { type: asColumns ? ARROW_STREAM : JSON_TYPE, vary: 'Accept' }
  return sendAnswer(req, res, asColumns ? await toColumns(answer) : answer, compressor, form)
}

/** Throws `Problem` 413 for a body that is too large, then 415 for another media type. */
async function readJsonBody(req: IncomingMessage): Promise<Buffer> {
  const body = await bodyOf(req)
  if (body === null)
    throw new Problem(
      'payload-too-large',
      `The body exceeds ${GREATEST_BODY_BYTES} bytes, or comes in more than ${MOST_BODY_PIECES} pieces.`,
    )
  const type = req.headers['content-type']
  const coding = req.headers['content-encoding'] ?? 'identity'
  if (!isOfType(req, 'application/json'))
    throw new Problem(
      'unsupported-media-type',
      type === undefined
        ? 'The request has no Content-Type: it must be application/json.'
        : 'The Content-Type must be application/json, in UTF-8.',
    )
  if (coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported-media-type', 'The body must not be compressed.')
  return body
}
