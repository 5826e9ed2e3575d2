/** Reads the target of a request: a path with its query, also where it was sent as a whole URL. */
import type { IncomingMessage } from 'node:http'

/** RFC 9112 §3.2.2. A target with a user before its host is none. */
const WHOLE_URL = /^https?:\/\/([^/?#@]+)(?![^/?])(.*)$/i

/**
 * Makes `req.url` a path with its query, without parameters called as one of `ignored`. Gives the host that the target
 * names, which counts in place of the Host header.
 */
export function takeTarget(req: IncomingMessage, ignored: ReadonlySet<string>): string | null {
  const [, host = null, rest = ''] = WHOLE_URL.exec(req.url ?? '') ?? []
  if (host !== null) req.url = rest.startsWith('/') ? rest : `/${rest}`
  if (ignored.size > 0) req.url = without(ignored, req.url ?? '')
  return host
}

function without(ignored: ReadonlySet<string>, url: string): string {
  const [path = '', query] = url.split(/\?(.*)/s, 2)
  if (query === undefined) return url
  const kept = query.split('&').filter((pair) => !ignored.has(pair.split('=', 1)[0] ?? ''))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/**
 * Origin form, with escapes that can be decoded and without control characters. Polka decodes it once, and nothing
 * decodes it again.
 */
export function isWellFormed(url: string): boolean {
  // RFC 9112 §3.2: a fragment is never sent; a proxy in front might take it for a part of the path.
  if (!url.startsWith('/') || url.includes('#')) return false
  const [path = ''] = url.split('?', 1)
  if (!path.includes('%')) return true
  try {
    return !/[\u0000-\u001f\u007f]/.test(decodeURIComponent(path))
  } catch {
    return false
  }
}
