/** Writes answers of OAuth: JSON, pages, redirects, and documents that may be cached. Owns the security headers. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isNotModified } from '../http/request/headers.ts'
import type { OAuthError } from './errors.ts'

type Headers = Readonly<Record<string, string | readonly string[]>>

const PRIVATE = {
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/** The id that the listener has set before; null where it set none. */
export function requestIdOf(res: ServerResponse): string | null {
  const id = res.getHeader('Request-Id')
  return id === undefined ? null : String(id)
}

function send(res: ServerResponse, status: number, headers: Headers, body: string | Buffer): void {
  // A client that left cannot be answered, and a handler that fails after its answer must not answer twice.
  if (res.headersSent || res.destroyed) return
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.statusCode = status
  res.end(body)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export const sendJson = (res: ServerResponse, status: number, body: unknown, headers: Headers = {}): void =>
  send(res, status, { ...PRIVATE, 'Content-Type': JSON_TYPE, ...headers }, JSON.stringify(body))

/** RFC 6749 §5.2. */
export const sendOAuthError = (res: ServerResponse, problem: OAuthError): void =>
  sendJson(res, problem.status, { error: problem.code, error_description: problem.message }, problem.headers)

/**
 * `redirectOrigin`: Chromium and WebKit apply `form-action` to the redirect that follows the POST, so that a page
 * whose form leads back to the client must name the client's origin (w3c/webappsec#482). `hasLogo`: its style sheet holds an image.
 */
export function sendPage(
  res: ServerResponse,
  status: number,
  html: string,
  {
    redirectOrigin,
    hasLogo = false,
    headers = {},
  }: { redirectOrigin?: string | undefined; hasLogo?: boolean; headers?: Headers } = {},
): void {
  const formAction = redirectOrigin === undefined ? "'self'" : `'self' ${redirectOrigin}`
  const policy = `default-src 'none'; style-src 'self'; ${hasLogo ? 'img-src data:; ' : ''}frame-ancestors 'none'; base-uri 'none'; form-action ${formAction}`
  send(
    res,
    status,
    {
      ...PRIVATE,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      ...headers,
    },
    html,
  )
}

/** The style sheet of pages that not everybody may see. */
export const sendStyle = (res: ServerResponse, text: string): void =>
  send(res, 200, { ...PRIVATE, 'Content-Type': 'text/css; charset=utf-8' }, text)

/** A file to save. Its name has no sign that a header would have to quote. */
export const sendFile = (res: ServerResponse, type: string, name: string, body: Buffer): void => {
  const disposition = `attachment; filename="${name.replace(/[^A-Za-z0-9._]+/g, '-')}"`
  send(res, 200, { ...PRIVATE, 'Content-Type': type, 'Content-Disposition': disposition }, body)
}

/** RFC 9700 §4.12: 303, since 307 and 308 would send the password on to the target of the redirect. */
export const sendRedirect = (res: ServerResponse, location: string, headers: Headers = {}): void =>
  send(res, 303, { ...PRIVATE, Location: location, ...headers }, '')

export interface PublicDocument {
  readonly type: string
  readonly body: string
  readonly maxAgeSeconds: number
}

/** Sends a document that is the same for everybody. */
export const sendPublic = (req: IncomingMessage, res: ServerResponse, document: PublicDocument): void =>
  sendTagged(req, res, document, { 'Cache-Control': `public, max-age=${document.maxAgeSeconds}` })

/** Sends a document with a strong ETag of its bytes, or 304 where the client has it. */
export function sendTagged(
  req: IncomingMessage,
  res: ServerResponse,
  document: Pick<PublicDocument, 'type' | 'body'>,
  more: Headers,
): void {
  const etag = `"${createHash('sha256').update(document.body).digest('base64url').slice(0, 27)}"`
  const headers = { ETag: etag, 'X-Content-Type-Options': 'nosniff', ...more }
  if (isNotModified(req, etag)) {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.statusCode = 304
    res.end()
  } else send(res, 200, { ...headers, 'Content-Type': document.type }, document.body)
}
