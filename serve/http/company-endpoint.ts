/**
 * One path of a company, after the guard. Refusals come in this order: 405 method, 413 and 415 body, 400
 * parameters, 404 ids, 422 basis, 503 overload. Then follows the answer, in the form and coding asked for.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { LEDGER_SCOPE, OPERATIONS } from '../../builder/contract/operations.ts'
import { present } from '../../builder/contract/present.ts'
import { Problem } from '../../builder/contract/problem.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'
import type { Companies } from '../companies/companies.ts'
import { seesEntries } from '../companies/entries.ts'
import { type Grant, requireScope, withoutScope } from '../oauth/tokens/grant.ts'
import { needsLedger, type SendFile } from './files.ts'
import { admit, type GuardSources } from './guard.ts'
import { methodNotAllowed, methodOf } from './problems.ts'
import type { Replies } from './reply.ts'
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

interface EndpointOptions extends GuardSources {
  readonly companies: Companies
  readonly replies: Replies
  readonly sendFile: SendFile
}

const readsEntries = ({ scopes, companies }: Grant, company: string): boolean =>
  scopes.has(LEDGER_SCOPE) && companies.includes(company)

const NO_BODY = Buffer.alloc(0)

export function companyEndpoint(routes: readonly CompanyRoute[], options: EndpointOptions): Handler {
  const { companies, limiter, replies, sendFile } = options
  const methods = new Map(routes.map((route) => [OPERATIONS[route.operation].method as string, route]))
  return async (req, res, params, search) => {
    const { CompanyId: company = '' } = params
    const { grant, window, current } = await admit(req, company, options)
    for (const [name, value] of Object.entries(limiter.headers(window))) res.setHeader(name, value)
    res.setHeader('Snapshot-Current', current.snapshot.id)
    const route = methods.get(methodOf(req))
    if (route === undefined) throw methodNotAllowed([...methods.keys()])
    if ('ofLedger' in OPERATIONS[route.operation]) requireScope(grant, LEDGER_SCOPE)
    const body = req.method === 'POST' ? await readJsonBody(req) : NO_BODY
    const reader = { grantId: grant.grantId, company }
    const answer = async (): Promise<void> => {
      const found = await route.answer({ reader, params, search, body })
      const hasLedger = (snapshot: Snapshot) =>
        seesEntries(companies, snapshot, (id) => readsEntries(grant, id))
      if ('path' in found) {
        const isSeen = await hasLedger(found.snapshot)
        if (!isSeen && needsLedger(found)) throw withoutScope(LEDGER_SCOPE)
        return sendFile(req, res, found, isSeen)
      }
      if ('ofLedger' in OPERATIONS[route.operation]) {
        const named = await companies.named(company, present(found.snapshotId, 'the snapshot'))
        if (named === null || !(await hasLedger(named.snapshot))) throw withoutScope(LEDGER_SCOPE)
      }
      await replies.send(req, res, found, 'columnar' in OPERATIONS[route.operation])
    }
    await readMended(companies, company, answer, () => !res.headersSent)
  }
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
