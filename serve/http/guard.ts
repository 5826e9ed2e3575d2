/**
 * Decides who may read which company. The order of decisions on every company route is written once here, so that
 * no route can leave one out: 401 token, 403 scope, 429 rate, 404 company, and only then the rest of the request
 * (`company-endpoint.ts`). A company that the user may not see is answered exactly like one that does not exist.
 *
 * Each input may be known at once or may have to be waited for. Where all are known, the guard decides in this turn
 * of the event loop; cached responses depend on that (`cached-responses.ts`).
 */
import type { IncomingMessage } from 'node:http'
import { DATA_SCOPE } from '../../builder/contract/operations.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'
import type { CompanyAnswers } from '../companies/answers.ts'
import type { Companies } from '../companies/companies.ts'
import { type Grant, requireScope } from '../oauth/tokens/grant.ts'
import type { RateLimiter, Window } from './limits/rate-limit.ts'
import { notFound } from './problems.ts'
import { contextOf } from './request/request-context.ts'

type Soon<T> = T | Promise<T>

/** What the guard asks for. Undefined means that it is not known at this moment. */
export interface GuardInputs {
  /** Throws where the request has no valid token. */
  grant(req: IncomingMessage): Soon<Grant | undefined>
  /** Throws where the grant has no request left in its window. */
  window(grantId: string): Soon<Window | undefined>
  /** The snapshot of a reader who names none; null where the company is not published. */
  snapshot(grantId: string, company: string): Soon<Snapshot | null | undefined>
}

interface Admitted {
  readonly grant: Grant
  readonly window: Window
  readonly snapshot: Snapshot
}

interface Sources {
  readonly oauth: {
    authenticate(req: IncomingMessage): Promise<Grant>
    knownGrant(authorization: string): Grant | null
  }
  readonly limiter: RateLimiter
  readonly companies: Pick<Companies, 'current'>
  readonly answers: Pick<CompanyAnswers, 'now'>
}

/** Inputs that look everything up and wait for it, and count the request against its grant's limit. */
export const waitingInputs = ({ oauth, limiter, companies }: Sources): GuardInputs => ({
  grant: (req) => oauth.authenticate(req),
  window: (grantId) => limiter.count(grantId),
  // The snapshot that a sync is pinned to is looked up later, with the answer.
  snapshot: async (_grantId, company) => (await companies.current(company))?.snapshot ?? null,
})

/** Inputs known from earlier requests and still valid. Nothing is counted: whoever answers does that. */
export const knownInputs = ({ oauth, limiter, answers }: Sources): GuardInputs => ({
  grant: ({ headers: { authorization } }) =>
    (authorization === undefined ? null : oauth.knownGrant(authorization)) ?? undefined,
  window: (grantId) => limiter.left(grantId) ?? undefined,
  snapshot: (grantId, company) => answers.now(grantId, company) ?? undefined,
})

/** Throws the refusal as a `Problem` or `BearerError`. `inputs` must know everything, at once or after waiting. */
export async function admit(req: IncomingMessage, company: string, inputs: GuardInputs): Promise<Admitted> {
  const admitted = await decide(req, company, inputs)
  if (admitted === undefined) throw new Error('an input of the guard is unknown')
  return admitted
}

/** Null where the guard would have to wait or would refuse; `admit` then does either. */
export function admitNow(req: IncomingMessage, company: string, inputs: GuardInputs): Admitted | null {
  try {
    const admitted = decide(req, company, inputs)
    return admitted === undefined || admitted instanceof Promise ? null : admitted
  } catch {
    return null
  }
}

/** Throws the refusal; returns undefined as soon as an input is unknown. Waits only where an input does. */
function decide(req: IncomingMessage, company: string, inputs: GuardInputs): Soon<Admitted | undefined> {
  const context = contextOf(req)
  return then(inputs.grant(req), (grant) => {
    context.clientId = grant.clientId
    context.userId = grant.userId
    requireScope(grant, DATA_SCOPE)
    return then(inputs.window(grant.grantId), (window) => {
      // The id is compared with those of the grant, then looked up among the published companies. Only the log
      // states which of the two failed.
      if (!grant.companies.includes(company)) throw unseen(req, 'company-not-granted')
      return then(inputs.snapshot(grant.grantId, company), (snapshot) => {
        if (snapshot === null) throw unseen(req, 'company-not-published')
        context.companyId = company
        return { grant, window, snapshot }
      })
    })
  })
}

/** Passes a known input on to `next`, now or when it arrives. */
function then<A extends object | null, B>(
  input: Soon<A | undefined>,
  next: (value: A) => Soon<B | undefined>,
): Soon<B | undefined> {
  const go = (value: A | undefined): Soon<B | undefined> => (value === undefined ? undefined : next(value))
  return input instanceof Promise ? input.then(go) : go(input)
}

function unseen(req: IncomingMessage, reason: string): Error {
  contextOf(req).reason = reason
  return notFound()
}
