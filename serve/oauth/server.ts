/** What every endpoint of OAuth uses, made once by oauth.ts. */
import type { IncomingMessage } from 'node:http'
import { LEDGER_SCOPE } from '../../builder/contract/operations.ts'
import type { Access, User } from '../../builder/workspace/access/access.ts'
import type { Store } from '../store/store.ts'
import type { OAuthError } from './errors.ts'
import type { ServerKeys } from './keys/keys.ts'
import { digest, hmac } from './keys/secret.ts'
import type { Passwords } from './people/passwords.ts'
import { type GrantRecord, isAlive, type OwnPassword, PASSWORDS } from './state/records.ts'
import type { Throttle } from './state/throttle.ts'
import type { AccessTokens } from './tokens/access-token.ts'

/** A security-relevant event for the log; never holds a code, token, secret, password or cookie. */
export interface OAuthEvent {
  readonly event: string
  readonly [detail: string]: string | number | boolean | null | readonly string[]
}

export interface PublishedCompany {
  readonly id: string
  readonly name: string
  readonly snapshotId: string
  readonly booksThrough: string
}

export interface OAuthServer {
  readonly issuer: string
  /** Path of the issuer without a trailing slash; pages link below it. */
  readonly base: string
  readonly access: Access
  readonly companies: () => readonly PublishedCompany[]
  readonly keys: ServerKeys
  /** Opened with the records of records.ts. */
  readonly store: Store
  readonly accessTokens: AccessTokens
  readonly accessTokenSeconds: number
  readonly throttle: Throttle
  readonly passwords: Passwords
  readonly now: () => number
  readonly addressOf: (req: IncomingMessage) => string
  readonly log: (event: OAuthEvent) => void
}

/** Logs the cause of an unexpected failure, which is not shown to anybody. */
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
  /** Ids of older grants that it replaced. */
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
/** An unattended nightly sync outlasts holidays; after a year a user has to look at the grant again. */
const GRANT_DAYS = 365
export const IDLE_DAYS = 90
export const GRANT_MS = GRANT_DAYS * DAY_MS
export const IDLE_MS = IDLE_DAYS * DAY_MS
export const EXPIRY_WARNING_MS = 14 * DAY_MS

/** Every request for data compares the mark of its user, so that it is made once for each version of access.yaml. */
const marks = new WeakMap<User, string>()

/** Stored in grants and sessions, so that a new password set by the operator ends them all. */
export function passwordMark(user: User): string {
  const mark = marks.get(user) ?? digest(user.password)
  marks.set(user, mark)
  return mark
}

/** Made with the pages' secret, so that codes end where the keys are replaced after a compromise. */
export const codeKey = ({ keys }: Pick<OAuthServer, 'keys'>, code: string): string =>
  hmac(keys.pages, `code\n${code}`)

/** The hash that a password is compared with: that of access.yaml, or the one with which its owner replaced it. */
const passwordHash = (user: User, own: OwnPassword | undefined): string =>
  own?.replaces === passwordMark(user) ? own.hash : user.password

/** The same, read from the store. */
export const passwordHashOf = async ({ store }: Pick<OAuthServer, 'store'>, user: User): Promise<string> =>
  passwordHash(user, await store.get(PASSWORDS, user.id))

/** Whether `hash`, with which a password was compared, is still valid; called inside the write that depends on it. */
export const isPasswordOf =
  ({ access }: Pick<OAuthServer, 'access'>, userId: string, hash: string) =>
  (own: OwnPassword | undefined): boolean => {
    const user = access.user(userId)
    return user !== undefined && passwordHash(user, own) === hash
  }

/** Whether a grant is valid: not revoked, not expired, and user and client still exist. */
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
