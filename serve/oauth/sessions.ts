/**
 * Who is signed in, by which password, and what they answered: every transition of these. What was checked before a write is
 * looked at again inside it, since a person may have changed their password meanwhile because somebody else knows the old one.
 */
import type { Change, Store } from '../store/store.ts'
import {
  type AnsweredRequest,
  CODES,
  type Code,
  type OwnPassword,
  PASSWORDS,
  REQUESTS,
  SESSIONS,
  type Session,
} from './records.ts'

/** False, with nothing stored, where `isRight` says that the password that was checked counts no more. */
export const beginSession = (
  store: Store,
  key: string,
  session: Session,
  isRight: (own: OwnPassword | undefined) => boolean,
): Promise<boolean> =>
  store.write(async (change) => {
    if (!isRight(await change.get(PASSWORDS, session.userId))) return false
    change.put(SESSIONS, key, session)
    return true
  })

/** Does not bring back one that has ended meanwhile. */
export const touchSession = (store: Store, key: string, seenAt: number): Promise<void> =>
  store.write(async (change) => {
    const session = await change.get(SESSIONS, key)
    if (session !== undefined) change.put(SESSIONS, key, { ...session, seenAt })
  })

export const endSession = (store: Store, key: string): Promise<void> =>
  store.write(async (change) => change.remove(SESSIONS, key))

export const endOtherSessions = (store: Store, userId: string, kept: string): Promise<void> =>
  store.write((change) => endOthers(change, userId, kept))

async function endOthers(change: Change, userId: string, kept: string): Promise<void> {
  for (const { key } of await change.ofOwner(SESSIONS, userId)) if (key !== kept) change.remove(SESSIONS, key)
}

/**
 * Ends all sessions of the person but `kept` with the same write. False, with nothing stored: that one has ended meanwhile,
 * or the password that was checked counts no more.
 */
export const changePassword = (
  store: Store,
  userId: string,
  password: OwnPassword,
  kept: string,
  isRight: (own: OwnPassword | undefined) => boolean,
): Promise<boolean> =>
  store.write(async (change) => {
    const session = await change.get(SESSIONS, kept)
    if (session?.userId !== userId || !isRight(await change.get(PASSWORDS, userId))) return false
    change.put(PASSWORDS, userId, password)
    await endOthers(change, userId, kept)
    return true
  })

export type Answered = 'answered' | 'answered-before' | 'signed-out'

/** What an authorization request ended in: a code, or null where the user denied. */
export interface RequestAnswer extends AnsweredRequest {
  readonly requestId: string
  readonly code: { readonly key: string; readonly code: Code } | null
}

/**
 * Remembers, until the request has expired, that it was answered, together with what it ended in. Nothing is stored where it
 * was answered before, or where the session of whoever answers does not hold any more.
 */
export const answerRequest = (
  store: Store,
  { requestId, expiresAt, code }: RequestAnswer,
  sessionKey: string,
  holds: (session: Session) => boolean,
): Promise<Answered> =>
  store.write(async (change): Promise<Answered> => {
    if ((await change.get(REQUESTS, requestId)) !== undefined) return 'answered-before'
    const session = await change.get(SESSIONS, sessionKey)
    if (session === undefined || !holds(session)) return 'signed-out'
    change.put(REQUESTS, requestId, { expiresAt })
    if (code) change.put(CODES, code.key, code.code)
    return 'answered'
  })
