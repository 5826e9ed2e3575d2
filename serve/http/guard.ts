/**
 * Decides who may read which company. The order of decisions on every company route is written once here, so that
 * no route can leave one out: 401 token, 403 scope, 429 rate, 404 company, and only then the rest of the request
 * (`company-endpoint.ts`). A company that the user may not see is answered exactly like one that does not exist.
 */
import type { IncomingMessage } from 'node:http'
import { DATA_SCOPE } from '../../builder/contract/operations.ts'
import type { Companies } from '../companies/companies.ts'
import type { Published } from '../companies/published.ts'
import { type Grant, requireScope } from '../oauth/tokens/grant.ts'
import type { RateLimiter, Window } from './limits/rate-limit.ts'
import { notFound } from './problems.ts'
import { contextOf } from './request/request-context.ts'

export interface GuardSources {
  readonly oauth: { authenticate(req: IncomingMessage): Promise<Grant> }
  readonly limiter: RateLimiter
  readonly companies: Pick<Companies, 'current'>
}

interface Admitted {
  readonly grant: Grant
  readonly window: Window
  /** What is current now; the snapshot that a sync is pinned to is looked up with the answer. */
  readonly current: Published
}

/** Throws the refusal as a `Problem` or `BearerError`. */
export async function admit(
  req: IncomingMessage,
  company: string,
  { oauth, limiter, companies }: GuardSources,
): Promise<Admitted> {
  const context = contextOf(req)
  const grant = await oauth.authenticate(req)
  context.clientId = grant.clientId
  context.userId = grant.userId
  requireScope(grant, DATA_SCOPE)
  const window = await limiter.count(grant.grantId)
  // The id is compared with those of the grant, then looked up among the published companies. Only the log
  // states which of the two failed.
  if (!grant.companies.includes(company)) throw unseen(req, 'company-not-granted')
  const current = await companies.current(company)
  if (current === null) throw unseen(req, 'company-not-published')
  context.companyId = company
  return { grant, window, current }
}

function unseen(req: IncomingMessage, reason: string): Error {
  contextOf(req).reason = reason
  return notFound()
}
