/** Checks the redirect URI: it must be a registered one, compared character by character (RFC 9700 §2.1). */
import type { Client } from '../../builder/workspace/access/access.ts'

export function isRegistered(client: Client, uri: string): boolean {
  if (client.redirectUris.includes(uri)) return true
  return client.allowLoopbackPort && client.redirectUris.some((registered) => differsInPort(registered, uri))
}

/**
 * RFC 8252 §7.3: for a loopback literal the port, and only the port, may differ. `localhost` may be another
 * computer, so that it is not treated so.
 */
function differsInPort(registered: string, uri: string): boolean {
  const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/
  const [known, asked] = [loopback.exec(registered), loopback.exec(uri)]
  if (known === null || asked === null || !URL.canParse(uri)) return false
  return known[1] === asked[1] && known[2] === asked[2]
}

/** Appends to a query that the URI has (RFC 6749 §3.1.2); the registered text is not encoded again. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${separator}${pairs.join('&')}`
}
