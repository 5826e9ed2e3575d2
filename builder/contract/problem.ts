/**
 * Lists all problems that an API route may answer with, and makes their one body: problem details (RFC 9457).
 */

export const PROBLEMS = {
  unauthorized: { status: 401, title: 'A valid access token is required' },
  'insufficient-scope': { status: 403, title: 'The access token lacks a scope' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'invalid-request': { status: 400, title: 'The request is malformed' },
  'unknown-account': { status: 404, title: 'Unknown account' },
  'unknown-budget': { status: 404, title: 'Unknown budget' },
  'unknown-class': { status: 404, title: 'Unknown class' },
  'unknown-department': { status: 404, title: 'Unknown department' },
  'unknown-metric': { status: 404, title: 'Unknown non-financial metric' },
  'unknown-snapshot': { status: 404, title: 'Unknown snapshot' },
  'basis-not-available': { status: 422, title: 'The books do not have this accounting basis' },
  'misdirected-request': { status: 421, title: 'This server does not answer for that host' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'company-unavailable': { status: 503, title: 'The company cannot be read at the moment' },
  'access-unavailable': { status: 503, title: 'Access cannot be checked at the moment' },
  overloaded: { status: 503, title: 'The service is overloaded' },
  internal: { status: 500, title: 'Internal error' },
} as const satisfies Record<string, { status: number; title: string }>
export type ProblemCode = keyof typeof PROBLEMS

/** What is wrong with one parameter, or one member of a JSON body. */
export interface ParameterProblem {
  readonly parameter: string
  readonly problem: string
}

/** A problem answer, thrown or returned in place of a body. `serve/http` turns it into the response. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: readonly ParameterProblem[]
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ProblemCode,
    detail: string,
    more: { errors?: readonly ParameterProblem[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail)
    this.code = code
    this.errors = more.errors ?? []
    this.headers = more.headers ?? {}
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }

  /**
   * The problem type is a URN, which stays stable without a domain; `title` and `status` follow from the
   * code.
   */
  toJSON(): Record<string, unknown> {
    const { status, title } = PROBLEMS[this.code]
    return {
      type: `urn:tieout:problem:${this.code}`,
      title,
      status,
      detail: this.message,
      code: this.code,
      errors: this.errors,
    }
  }
}

/** How many problems a response lists; a request may have ten thousand. */
const MOST_LISTED = 20
/** Longer names are cut: an unknown name may be as long as the request. */
const LONGEST_NAME = 500

/**
 * Makes one problem of everything wrong with a request: the first ones by name, and the number of the others.
 */
export function problemOfMany(code: ProblemCode, errors: readonly ParameterProblem[]): Problem {
  const listed = errors.slice(0, MOST_LISTED).map(({ parameter, problem }) => ({
    parameter: parameter.length > LONGEST_NAME ? `${parameter.slice(0, LONGEST_NAME)}…` : parameter,
    problem,
  }))
  const more = errors.length - listed.length
  const lines = listed.map((one) => `${one.parameter}: ${one.problem}`)
  if (more > 0) lines.push(`… and ${more.toLocaleString('en')} more`)
  return new Problem(code, lines.join('; '), { errors: listed })
}

/** The 400 answer that names all invalid parameters of a request. */
export const invalidRequest = (errors: readonly ParameterProblem[]): Problem =>
  problemOfMany('invalid-request', errors)
