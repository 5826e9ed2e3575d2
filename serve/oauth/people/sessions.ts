/**
 * Every transition of sessions, passwords and answered requests. What was checked before a write is checked again
 * inside it, since a user may have changed the password meanwhile because it became known to others.
 */
import type { Store, StoreChange } from '../../store/store.ts'
import {
  type AnsweredRequest,
  CODES,
  type Code,
  type OwnPassword,
  PASSWORDS,
  REQUESTS,
  SESSIONS,
  type Session,
} from '../state/records.ts'

/** False, with nothing stored, where `isRight` says that the checked password is no longer valid. */
export const storeSession = (
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

/** Notes a use; does not restore a session that ended meanwhile. */
export const noteSessionUse = (store: Store, key: string, seenAt: number): Promise<void> =>
  store.write(async (change) => {
    const session = await change.get(SESSIONS, key)
    if (session !== undefined) change.put(SESSIONS, key, { ...session, seenAt })
  })

export const removeSession = (store: Store, key: string): Promise<void> =>
  store.write(async (change) => change.remove(SESSIONS, key))

export const removeOtherSessions = (store: Store, userId: string, kept: string): Promise<void> =>
  store.write((change) => endOthers(change, userId, kept))

async function endOthers(change: StoreChange, userId: string, kept: string): Promise<void> {
  for (const { key } of await change.ofOwner(SESSIONS, userId)) if (key !== kept) change.remove(SESSIONS, key)
}

/**
 * Sets the password and ends all sessions of the user except `kept` in one write. False, with nothing stored, where
 * that one ended meanwhile or the checked password is no longer valid.
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

type Answered = 'answered' | 'answered-before' | 'signed-out'

/** The result of an authorization request: a code, or null where the user denied. */
export interface RequestAnswer extends AnsweredRequest {
  readonly requestId: string
  readonly code: { readonly key: string; readonly code: Code } | null
}

/**
 * Stores the answer to a request until the request expires. Stores nothing, and says so, where it was answered
 * before or where the session is no longer valid.
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
