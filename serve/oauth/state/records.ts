/**
 * The records of OAuth: answered requests, sessions, passwords, codes and grants. Nothing is kept about anybody who
 * has not signed in. Times are in milliseconds since the epoch; keys are digests of the bearer secrets.
 */
import { z } from 'zod'
import type { RecordKind } from '../../store/store.ts'

const DAY_MS = 24 * 3600 * 1000
/** How long a code or an answered request, and an ended grant, are kept. */
const TOMBSTONE_MS = DAY_MS
const DEAD_GRANT_MS = 30 * DAY_MS
const SESSION_MS = DAY_MS

const texts = z.array(z.string()).readonly()

const answeredRequest = z.object({ expiresAt: z.number() })
export type AnsweredRequest = Readonly<z.output<typeof answeredRequest>>
export const REQUESTS: RecordKind<AnsweredRequest> = {
  name: 'requests',
  schema: answeredRequest,
  keeps: 'durable',
  forgottenAt: ({ expiresAt }) => expiresAt + TOMBSTONE_MS,
}

const session = z.object({
  userId: z.string(),
  /** Digest of the user's password hash in access.yaml, so that a new password set by the operator ends the session. */
  password: z.string(),
  signedInAt: z.number(),
  seenAt: z.number(),
})
export type Session = Readonly<z.output<typeof session>>
export const SESSIONS: RecordKind<Session> = {
  name: 'sessions',
  schema: session,
  keeps: 'durable',
  ownerOf: ({ userId }) => userId,
  forgottenAt: ({ signedInAt }) => signedInAt + SESSION_MS,
}

/** A password that its owner set in place of the one in access.yaml, by the user's id. */
const ownPassword = z.object({
  /** PHC string, as in access.yaml. */
  hash: z.string(),
  /** Digest of the hash in access.yaml that it replaces; where access.yaml has another one, this password is void. */
  replaces: z.string(),
})
export type OwnPassword = Readonly<z.output<typeof ownPassword>>
export const PASSWORDS: RecordKind<OwnPassword> = {
  name: 'passwords',
  schema: ownPassword,
  keeps: 'durable',
  forgottenAt: () => null,
}

const code = z.object({
  grantId: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  challenge: z.string().nullable(),
  /** What an ID token repeats of the request, and when the user had signed in; codes of earlier versions lack both. */
  nonce: z.string().nullable().default(null),
  signedInAt: z.number().nullable().default(null),
  userId: z.string(),
  password: z.string(),
  scopes: texts,
  companies: texts,
  expiresAt: z.number(),
  /** A used code is kept, so that a second use is recognised (RFC 6749 §4.1.2). */
  usedAt: z.number().nullable(),
})
export type Code = Readonly<z.output<typeof code>>
export const CODES: RecordKind<Code> = {
  name: 'codes',
  schema: code,
  keeps: 'durable',
  forgottenAt: ({ usedAt, expiresAt }) => (usedAt ?? expiresAt) + TOMBSTONE_MS,
}

const grant = z.object({
  clientId: z.string(),
  userId: z.string(),
  password: z.string(),
  scopes: texts,
  companies: texts,
  createdAt: z.number(),
  expiresAt: z.number(),
  idleExpiresAt: z.number(),
  /** When the client last refreshed; requests in between are not recorded. */
  usedAt: z.number(),
  revokedAt: z.number().nullable(),
  /** Number of the newest refresh token; its predecessor is valid until the newest is used. */
  head: z.number(),
})
export type GrantRecord = Readonly<z.output<typeof grant>>
export const GRANTS: RecordKind<GrantRecord> = {
  name: 'grants',
  schema: grant,
  keeps: 'durable',
  ownerOf: ({ userId }) => userId,
  forgottenAt: ({ revokedAt, expiresAt, idleExpiresAt }) =>
    (revokedAt ?? Math.min(expiresAt, idleExpiresAt)) + DEAD_GRANT_MS,
}

export const OAUTH_RECORDS = [REQUESTS, SESSIONS, PASSWORDS, CODES, GRANTS]

export const isAlive = (record: GrantRecord, now: number): boolean =>
  record.revokedAt === null && record.expiresAt > now && record.idleExpiresAt > now
