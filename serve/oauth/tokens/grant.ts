/** What a bearer token stands for, and the four ways in which a request for data may be refused (RFC 6750). */
import { DATA_SCOPE, LEDGER_SCOPE } from '../../../builder/contract/operations.ts'

/** The scopes of the interface's specification, which are asked for where a client names none. */
export const SCOPES = ['openid', 'profile', 'email', 'phone', DATA_SCOPE] as const
/** The last one is only valid together with {@link DATA_SCOPE}, for clients that access.yaml allows to ask for it. */
export const ALL_SCOPES = [...SCOPES, LEDGER_SCOPE] as const
export type OAuthScope = (typeof ALL_SCOPES)[number]

export interface Grant {
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  readonly scopes: ReadonlySet<string>
  /** Ids granted at consent that access.yaml still gives the user, in code point order. */
  readonly companies: readonly string[]
}

type BearerErrorCode = 'no_token' | 'invalid_request' | 'invalid_token' | 'insufficient_scope'

/** RFC 6750 §3: a refused credential. `challenge` is the value of the `WWW-Authenticate` header. */
export class BearerError extends Error {
  readonly code: BearerErrorCode
  readonly status: 400 | 401 | 403
  readonly challenge: string
  constructor(code: BearerErrorCode, detail: string, scope?: OAuthScope) {
    super(detail)
    this.code = code
    this.status = code === 'invalid_request' ? 400 : code === 'insufficient_scope' ? 403 : 401
    // §3.1: a request without any credential only gets the scheme.
    const error = code === 'no_token' ? '' : `, error="${code}"`
    const needed = scope === undefined ? '' : `, scope="${scope}"`
    const told = code === 'no_token' ? '' : `, error_description="${detail}"`
    this.challenge = `Bearer realm="tieout"${error}${needed}${told}`
  }
}

export const withoutScope = (scope: OAuthScope): BearerError =>
  new BearerError('insufficient_scope', `this token does not carry the scope ${scope}`, scope)

/** Throws the 403 of {@link BearerError} where the grant lacks `scope`. */
export function requireScope(grant: Grant, scope: OAuthScope): void {
  if (!grant.scopes.has(scope)) throw withoutScope(scope)
}
