/**
 * Durable OAuth state: answered requests, sessions, codes, grants; nothing of anybody who has not signed in. Owns every transition between their
 * states; each is one write of the store, so that it holds among several processes, and is on disk when it resolves.
 */
import { AccessUnreadableError } from '../../builder/workspace/access.ts'
import { openStore, type Store, type Table } from '../store.ts'
import { OAuthError } from './errors.ts'
import { kind, purge } from './purge.ts'

/** All times are milliseconds since the epoch. All keys of bearer secrets are their digests. */
export interface AnsweredRequest {
  readonly expiresAt: number
}

export interface Session {
  readonly userId: string
  /** Digest of the user's password hash: a new password ends the session. */
  readonly password: string
  readonly signedInAt: number
  readonly seenAt: number
}

/** A password that its owner chose in place of the one in access.yaml. */
export interface OwnPassword {
  /** PHC string, as in access.yaml. */
  readonly hash: string
  /** Digest of the hash in access.yaml that it replaces: with another one there it counts no more. */
  readonly replaces: string
}

export interface Code {
  readonly grantId: string
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string | null
  readonly userId: string
  readonly password: string
  readonly scopes: readonly string[]
  readonly companies: readonly string[]
  readonly expiresAt: number
  /** A used code stays as a tombstone: its second use must be recognised (RFC 6749 §4.1.2). */
  readonly usedAt: number | null
}

export interface GrantRecord {
  readonly clientId: string
  readonly userId: string
  readonly password: string
  readonly scopes: readonly string[]
  readonly companies: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number
  readonly idleExpiresAt: number
  /** The latest refresh, to the client's next one. */
  readonly usedAt: number
  readonly revokedAt: number | null
  /** Number of the newest refresh token; its predecessor is good until this one is used. */
  readonly head: number
}

export type Redeemed =
  | { readonly outcome: 'redeemed'; readonly grantId: string; readonly grant: GrantRecord }
  | { readonly outcome: 'refused'; readonly problem: OAuthError }
  /** Used a second time: the grant is dead now. */
  | { readonly outcome: 'reused'; readonly grantId: string }

export interface State {
  /** Whether somebody has allowed or denied the authorization request of this id. */
  isAnswered(requestId: string): boolean
  /**
   * Remembers, until the request has expired, that it was answered, together with what it ended in: a code, or null
   * where the user denied. False, with nothing stored: it was answered before.
   */
  answerRequest(
    requestId: string,
    request: AnsweredRequest,
    code: { readonly key: string; readonly code: Code } | null,
  ): Promise<boolean>
  readonly session: (key: string) => Session | undefined
  putSession(key: string, session: Session): Promise<void>
  removeSession(key: string): Promise<void>
  /** A person's, by key, also those that have ended meanwhile. */
  sessionsOf(userId: string): readonly (readonly [key: string, session: Session])[]
  removeOtherSessions(userId: string, kept: string): Promise<void>
  readonly ownPassword: (userId: string) => OwnPassword | undefined
  /** Ends all sessions of the person but `kept` with the same write. */
  putOwnPassword(userId: string, password: OwnPassword, kept: string): Promise<void>
  /** `check` may refuse; a refused code is not used up. */
  redeemCode(key: string, clientId: string, now: number, check: CodeCheck): Promise<Redeemed>
  readonly grant: (grantId: string) => GrantRecord | undefined
  addGrant(grantId: string, grant: GrantRecord): Promise<void>
  /** One step of the refresh family; see refresh-token.ts. */
  refresh(grantId: string, n: number, clientId: string, now: number, check: GrantCheck): Promise<Redeemed>
  grants(): readonly (readonly [grantId: string, grant: GrantRecord])[]
  revokeGrant(grantId: string, now: number): Promise<void>
  /** Forgets what two looks a week apart found to be long over; see purge.ts. */
  purge(now: number): Promise<void>
  readonly backup: Store<never>['backup']
  close(): Promise<void>
}
export type CodeCheck = (code: Code) => OAuthError | GrantRecord
export type GrantCheck = (grant: GrantRecord) => OAuthError | GrantRecord

const DAY_MS = 24 * 3600 * 1000
/** How long a code or a request that was answered, and a dead grant, are remembered. */
const TOMBSTONE_MS = DAY_MS
const DEAD_GRANT_MS = 30 * DAY_MS
const SESSION_MS = DAY_MS

/** `path` is a folder that is there, for this user alone. */
export function openState(path: string): State {
  const store = openStore(
    path,
    (table) => ({
      requests: table<AnsweredRequest>('requests'),
      sessions: table<Session>('sessions'),
      passwords: table<OwnPassword>('passwords'),
      codes: table<Code>('codes'),
      grants: table<GrantRecord>('grants'),
      seenOver: table<number>('seen-over'),
    }),
    {
      durable: true,
      isRefusal: (problem) => problem instanceof OAuthError || problem instanceof AccessUnreadableError,
    },
  )
  const refused = (description: string): Redeemed => ({
    outcome: 'refused',
    problem: new OAuthError('invalid_grant', description),
  })
  const revoke = (grants: Table<GrantRecord>, grantId: string, now: number): void => {
    const grant = grants.get(grantId)
    if (grant && grant.revokedAt === null) grants.put(grantId, { ...grant, revokedAt: now })
  }

  const sessionsIn = (sessions: Table<Session>, userId: string) =>
    [...sessions.getRange()]
      .filter(({ value }) => value.userId === userId)
      .map(({ key, value }) => [key, value] as const)
  const endOthers = (sessions: Table<Session>, userId: string, kept: string): void => {
    for (const [key] of sessionsIn(sessions, userId)) if (key !== kept) sessions.remove(key)
  }

  return {
    isAnswered: (requestId) => store.read(({ requests }) => requests.get(requestId)) !== undefined,
    answerRequest: (requestId, { expiresAt }, code) =>
      store.write(({ requests, codes }) => {
        if (requests.get(requestId) !== undefined) return false
        requests.put(requestId, { expiresAt })
        if (code) codes.put(code.key, code.code)
        return true
      }),

    session: (key) => store.read(({ sessions }) => sessions.get(key)),
    putSession: (key, session) => store.write(({ sessions }) => void sessions.put(key, session)),
    removeSession: (key) => store.write(({ sessions }) => void sessions.remove(key)),

    sessionsOf: (userId) => store.read(({ sessions }) => sessionsIn(sessions, userId)),
    removeOtherSessions: (userId, kept) => store.write(({ sessions }) => endOthers(sessions, userId, kept)),
    ownPassword: (userId) => store.read(({ passwords }) => passwords.get(userId)),
    putOwnPassword: (userId, password, kept) =>
      store.write(({ passwords, sessions }) => {
        passwords.put(userId, password)
        endOthers(sessions, userId, kept)
      }),

    redeemCode: (key, clientId, now, check) =>
      store.write(({ codes, grants }): Redeemed => {
        const code = codes.get(key)
        // The client before everything else: a stranger can neither use up a code nor kill its grant.
        if (code === undefined || code.clientId !== clientId) return refused('the code is not valid')
        if (code.usedAt !== null) {
          revoke(grants, code.grantId, now)
          return { outcome: 'reused', grantId: code.grantId }
        }
        if (code.expiresAt <= now) return refused('the code has expired')
        const grant = check(code)
        if (grant instanceof OAuthError) return { outcome: 'refused', problem: grant }
        codes.put(key, { ...code, usedAt: now })
        grants.put(code.grantId, grant)
        return { outcome: 'redeemed', grantId: code.grantId, grant }
      }),

    grant: (grantId) => store.read(({ grants }) => grants.get(grantId)),
    addGrant: (grantId, grant) => store.write(({ grants }) => void grants.put(grantId, grant)),
    refresh: (grantId, n, clientId, now, check) =>
      store.write(({ grants }): Redeemed => {
        const grant = grants.get(grantId)
        if (grant === undefined || grant.clientId !== clientId)
          return refused('the refresh token is not valid')
        if (!isAlive(grant, now)) return refused('the refresh token has expired or was revoked')
        if (n > grant.head) return refused('the refresh token is not valid')
        if (n < grant.head - 1) {
          revoke(grants, grantId, now)
          return { outcome: 'reused', grantId }
        }
        const next = check(grant)
        if (next instanceof OAuthError) return { outcome: 'refused', problem: next }
        // The predecessor again: the answer got lost, or two workers asked at once. Both get the same successor.
        const advanced = n === grant.head ? { ...next, head: grant.head + 1 } : next
        grants.put(grantId, advanced)
        return { outcome: 'redeemed', grantId, grant: advanced }
      }),
    grants: () =>
      store.read(({ grants }) => [...grants.getRange()].map(({ key, value }) => [key, value] as const)),
    revokeGrant: (grantId, now) => store.write(({ grants }) => revoke(grants, grantId, now)),

    purge: (now) =>
      store.write(({ requests, sessions, codes, grants, seenOver }) =>
        purge(
          [
            kind('requests', requests, (request) => request.expiresAt + TOMBSTONE_MS <= now),
            kind('sessions', sessions, (session) => session.signedInAt + SESSION_MS <= now),
            kind('codes', codes, (code) => (code.usedAt ?? code.expiresAt) + TOMBSTONE_MS <= now),
            kind('grants', grants, (grant) => endOf(grant) + DEAD_GRANT_MS <= now),
          ],
          seenOver,
          now,
        ),
      ),
    backup: store.backup,
    close: () => store.close(),
  }
}

export const isAlive = (grant: GrantRecord, now: number): boolean =>
  grant.revokedAt === null && grant.expiresAt > now && grant.idleExpiresAt > now

const endOf = (grant: GrantRecord): number =>
  grant.revokedAt ?? Math.min(grant.expiresAt, grant.idleExpiresAt)
