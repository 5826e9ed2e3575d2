/** Reads request headers as they were sent. */
import type { IncomingMessage } from 'node:http'

/**
 * All values of one header. node:http keeps only the first or joined values, and `headersDistinct` would index
 * every other header too.
 */
export function headersCalled(name: string, raw: readonly string[]): string[] {
  const values: string[] = []
  // rawHeaders alternates names and values.
  for (let i = 0; i < raw.length; i += 2) {
    const [called, value] = [raw[i], raw[i + 1]]
    if (called?.length === name.length && called.toLowerCase() === name && value !== undefined)
      values.push(value)
  }
  return values
}

/** Only GET and HEAD are answered with 304. */
export const isNotModified = (req: IncomingMessage, etag: string): boolean =>
  (req.method === 'GET' || req.method === 'HEAD') && isValidatedBy(req.headers['if-none-match'], etag)

/** Whether If-None-Match names `etag` (RFC 9110 §13.1.2): a list or `*`, compared weakly. */
function isValidatedBy(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return (ifNoneMatch.match(/(W\/)?"[^"]*"/g) ?? []).some((tag) => tag.replace(/^W\//, '') === etag)
}
