/**
 * One error class with a code for everything that OAuth refuses. Whoever catches it chooses the form: JSON,
 * redirect or page.
 */
import { AccessUnreadableError } from '../../builder/workspace/access/access.ts'
import { StoreUnavailableError } from '../store/store.ts'

export type OAuthErrorCode =
  // RFC 6749 §4.1.2.1, §5.2
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  // OpenID Connect Core §3.1.2.6
  | 'login_required'
  | 'consent_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  // Shown on our own pages; never sent to a client.
  | 'unknown_client'
  | 'untrusted_redirect'
  | 'expired_request'
  | 'cross_site'

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  cross_site: 403,
  server_error: 500,
  temporarily_unavailable: 503,
}

export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** `description` is sent to clients: plain ASCII without quotes and backslashes (RFC 6749 §5.2). */
  constructor(
    code: OAuthErrorCode,
    description: string,
    more: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(description, { cause: more.cause })
    this.code = code
    this.status = more.status ?? STATUS[code] ?? 400
    this.headers = more.headers ?? {}
  }
}

/** Any failure that is not an {@link OAuthError} is our mistake; its text is not sent. */
export function asOAuthError(failure: unknown): OAuthError {
  if (failure instanceof OAuthError) return failure
  if (failure instanceof AccessUnreadableError)
    return unavailable('who may sign in cannot be read at the moment')
  if (failure instanceof StoreUnavailableError)
    return unavailable('the state cannot be written at the moment', failure)
  return new OAuthError('server_error', 'something went wrong on this server', { cause: failure })
}

/** A failure that may pass: the client can try again. */
export const unavailable = (description: string, cause?: unknown, retryAfterSeconds = 10): OAuthError =>
  new OAuthError('temporarily_unavailable', description, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  })
