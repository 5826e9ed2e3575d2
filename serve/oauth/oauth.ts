/** The authorization server as one object: its routes, and the check that every request for data passes through. */
import type { IncomingMessage } from 'node:http'
import type { Access } from '../../builder/workspace/access.ts'
import type { Grant } from './grant.ts'
import type { Route } from './route.ts'

/** One security-relevant event; never carries a code, token, secret, password or cookie. */
export interface OAuthEvent {
  readonly event: string
  readonly [detail: string]: string | number | boolean | null | readonly string[]
}

export interface OAuthOptions {
  /** Byte for byte what clients compare; every URL is built from it, never from a Host header. */
  readonly issuer: string
  /** The workspace's `.tieout`; OAuth keeps its keys and state in `oauth/` inside it (0700). */
  readonly stateDir: string
  readonly access: Access
  /** Companies that are published now. */
  readonly companies: () => readonly { readonly id: string; readonly name: string }[]
  readonly accessTokenSeconds: number
  /** Milliseconds since the epoch; Date.now. */
  readonly now?: () => number
  /** The client's address for throttling; the socket's peer. Behind a proxy: the trusted hop's. */
  readonly addressOf?: (req: IncomingMessage) => string
  readonly log?: (event: OAuthEvent) => void
}

export interface OAuth {
  readonly routes: readonly Route[]
  /** Throws `BearerError` (grant.ts). Which scope a route needs is the route's affair: `requireScope`. */
  authenticate(req: IncomingMessage): Promise<Grant>
  /** An access token without a flow, for `tieout token` and the demo; its grant is stored and revocable. */
  issueDemoToken(
    userId: string,
    clientId: string,
    companies: readonly string[],
    seconds: number,
  ): Promise<string>
  close(): Promise<void>
}
