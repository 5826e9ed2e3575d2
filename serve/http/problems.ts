/** Turns errors into problem details (RFC 9457), and writes them. The only place that does. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../../builder/contract/problem.ts'
import { isOfTheDisk } from '../../builder/snapshot/files/open.ts'
import { CompanyUnreadableError } from '../companies/company.ts'
import { asOAuthError } from '../oauth/errors.ts'
import { BearerError } from '../oauth/tokens/grant.ts'
import { sendJsonBytes } from './reply.ts'
import { contextOf } from './request/request-context.ts'

/** HEAD is handled as GET; node:http leaves the body out. */
export const methodOf = (req: IncomingMessage): string => (req.method === 'HEAD' ? 'GET' : (req.method ?? ''))

export const allowOf = (methods: readonly string[]): string =>
  [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ')

export const methodNotAllowed = (methods: readonly string[]): Problem =>
  new Problem('method-not-allowed', `Allowed: ${allowOf(methods)}.`, { headers: { Allow: allowOf(methods) } })

/** Whether the error says that published files of a company cannot be read. */
export const isUnreadable = (problem: unknown): problem is Error =>
  isOfTheDisk(problem) || problem instanceof CompanyUnreadableError

export const notFound = (): Problem => new Problem('not-found', 'There is nothing here that you may see.')

/**
 * The 404 for an address without a route; which routes exist is public. `isNearly`: there is one without the trailing
 * slash.
 */
export const noSuchAddress = (isNearly: boolean): Problem =>
  new Problem(
    'not-found',
    `There is no such address. ${isNearly ? 'Leave out the "/" at its end.' : '/openapi.json lists all addresses.'}`,
  )

/** The problem for any error. The details of an unexpected error stay in the log (`reason`). */
function problemOf(error: unknown, req: IncomingMessage): Problem {
  if (error instanceof Problem) return error
  if (error instanceof BearerError) {
    const code =
      error.status === 401 ? 'unauthorized' : error.status === 403 ? 'insufficient-scope' : 'invalid-request'
    return new Problem(code, error.message, { headers: { 'WWW-Authenticate': error.challenge } })
  }
  const context = contextOf(req)
  const { code, message, headers } = asOAuthError(error)
  if (code === 'temporarily_unavailable') {
    context.reason = message
    return new Problem(
      'access-unavailable',
      'Whether you may read this cannot be checked now. Try again in a moment.',
      {
        headers,
      },
    )
  }
  context.reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
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

/** Headers that describe an answer which could not be given after all. */
const OF_CONTENT = [
  'ETag',
  'Snapshot-Id',
  'Tie-Out',
  'Repr-Digest',
  'Content-Encoding',
  'Accept-Ranges',
  'Vary',
] as const

/** Nothing in a problem depends on what the caller may not see. */
export function sendProblem(res: ServerResponse, problem: Problem): void {
  const body = Buffer.from(`${JSON.stringify(problem)}\n`)
  for (const [name, value] of Object.entries(problem.headers)) res.setHeader(name, value)
  for (const name of OF_CONTENT) res.removeHeader(name)
  sendJsonBytes(res, problem.status, 'application/problem+json', body)
}

/** Ends a request that failed: with its problem, or by ending the connection where an answer has begun. */
export function sendFailure(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const problem = problemOf(error, req)
  if (res.headersSent) res.destroy()
  else sendProblem(res, problem)
}
