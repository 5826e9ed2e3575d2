/** What every endpoint works with, made once by oauth.ts. */
import type { IncomingMessage } from 'node:http'
import { LEDGER_SCOPE } from '../../builder/contract/openapi.ts'
import type { Access, User } from '../../builder/workspace/access.ts'
import type { Store } from '../store/store.ts'
import type { AccessTokens } from './access-token.ts'
import type { OAuthError } from './errors.ts'
import type { Keys } from './keys.ts'
import { type GrantRecord, isAlive, type OwnPassword, PASSWORDS } from './records.ts'
import { digest, hmac } from './secret.ts'
import type { Throttle } from './throttle.ts'

/** One security-relevant event; never carries a code, token, secret, password or cookie. */
export interface OAuthEvent {
  readonly event: string
  readonly [detail: string]: string | number | boolean | null | readonly string[]
}

export interface CompanyName {
  readonly id: string
  readonly name: string
}

export interface OAuthServer {
  readonly issuer: string
  /** Path of the issuer without a trailing slash; pages link below it. */
  readonly base: string
  readonly access: Access
  readonly companies: () => readonly CompanyName[]
  readonly keys: Keys
  /** Opened with the records of records.ts. */
  readonly store: Store
  readonly accessTokens: AccessTokens
  readonly accessTokenSeconds: number
  readonly throttle: Throttle
  readonly now: () => number
  readonly addressOf: (req: IncomingMessage) => string
  readonly log: (event: OAuthEvent) => void
}

/** What we did not foresee is logged, since it is never shown. */
export function logCause(server: Pick<OAuthServer, 'log'>, { code, cause }: OAuthError): void {
  if (cause !== undefined)
    server.log({
      event: code,
      detail: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
    })
}

interface BegunGrant {
  readonly grantId: string
  readonly userId: string
  readonly clientId: string
  /** Older ones that gave way to it. */
  readonly displaced: readonly string[]
}

export function logBegun(
  server: Pick<OAuthServer, 'log'>,
  { grantId, userId, clientId, displaced }: BegunGrant,
): void {
  server.log({ event: 'grant-begun', grant: grantId, user: userId, client: clientId })
  for (const grant of displaced)
    server.log({ event: 'grant-displaced', grant, by: grantId, user: userId, client: clientId })
}

const DAY_MS = 24 * 3600 * 1000
/** An unattended nightly sync outlives holidays; a year is the longest without a person looking at it again. */
const GRANT_DAYS = 365
export const IDLE_DAYS = 90
export const GRANT_MS = GRANT_DAYS * DAY_MS
export const IDLE_MS = IDLE_DAYS * DAY_MS
export const EXPIRY_WARNING_MS = 14 * DAY_MS

/** Grants and sessions remember it, so that a new password of the operator ends them all. */
export const passwordMark = (user: User): string => digest(user.password)

/** Under the pages' secret, so that a code that is under way ends with it where keys are compromised. */
export const codeKey = ({ keys }: Pick<OAuthServer, 'keys'>, code: string): string =>
  hmac(keys.pages, `code\n${code}`)

/** What a password is held against: the hash in access.yaml, or the one by which its owner has replaced just that one. */
export const passwordHash = (user: User, own: OwnPassword | undefined): string =>
  own?.replaces === passwordMark(user) ? own.hash : user.password

/** The same, looked up. */
export const passwordHashOf = async ({ store }: Pick<OAuthServer, 'store'>, user: User): Promise<string> =>
  passwordHash(user, await store.get(PASSWORDS, user.id))

/** Whether `hash`, which a password was compared with, is still what counts: asked inside the write that relies on it. */
export const isPasswordOf =
  ({ access }: Pick<OAuthServer, 'access'>, userId: string, hash: string) =>
  (own: OwnPassword | undefined): boolean => {
    const user = access.user(userId)
    return user !== undefined && passwordHash(user, own) === hash
  }

/** Whether what a person once granted still holds: not revoked, not expired, user and client still there. */
export function isLive(server: Pick<OAuthServer, 'access' | 'now'>, grant: GrantRecord): boolean {
  const user = server.access.user(grant.userId)
  return (
    isAlive(grant, server.now()) &&
    user !== undefined &&
    passwordMark(user) === grant.password &&
    server.access.client(grant.clientId) !== undefined
  )
}

/** Scopes granted at consent that access.yaml allows the client now. */
export const liveScopes = ({ access }: Pick<OAuthServer, 'access'>, grant: GrantRecord): readonly string[] =>
  access.client(grant.clientId)?.allowLedger
    ? grant.scopes
    : grant.scopes.filter((scope) => scope !== LEDGER_SCOPE)

/** Companies granted at consent that access.yaml gives the user now. */
export function liveCompanies(
  { access }: Pick<OAuthServer, 'access'>,
  grant: GrantRecord,
): readonly string[] {
  const granted = new Set(grant.companies)
  return access.companiesOf(grant.userId).filter((id) => granted.has(id))
}
