/** Whether a password is a person's, and how fast anybody may try. The sign-in page and the account page ask here. */
import type { IncomingMessage } from 'node:http'
import type { User } from '../../builder/workspace/access.ts'
import { PasswordsBusyError, passwordsBusy, verifyPassword } from '../../builder/workspace/password.ts'
import { type OAuthError, unavailable } from './errors.ts'
import { type OAuthServer, passwordHashOf } from './server.ts'

export type PasswordCheck =
  /** `hash`: what it was compared with; whether that still counts is asked again where something is stored. */
  | { readonly outcome: 'right'; readonly user: User; readonly hash: string }
  /** The person behind the address, if there is one, for the log alone. */
  | { readonly outcome: 'wrong'; readonly userId: string | null; readonly problem: string }
  | { readonly outcome: 'wait'; readonly seconds: number; readonly problem: string }

/** `user`: who has that address, if anybody; where nobody has, the answer takes as long. */
export async function checkPassword(
  server: OAuthServer,
  req: IncomingMessage,
  email: string,
  user: User | undefined,
  password: string,
): Promise<PasswordCheck> {
  // Before it is counted: what is refused here must leave no trace, or a flood of it would fill the memory.
  if (passwordsBusy()) throw busy()
  const address = server.addressOf(req)
  const seconds = await server.throttle.attempt(address, email)
  if (seconds > 0)
    return {
      outcome: 'wait',
      seconds,
      problem: `Too many attempts. Wait ${waitText(seconds)} and try again.`,
    }
  const hash = user && (await passwordHashOf(server, user))
  const isRight = await matches(password, hash).catch(async (problem: unknown) => {
    await server.throttle.notTried(address, email)
    throw problem
  })
  if (!isRight || user === undefined || hash === undefined)
    // Which of the two was wrong is nobody's business (ASVS 6.3.8).
    return {
      outcome: 'wrong',
      userId: user?.id ?? null,
      problem: NO_MATCH,
    }
  await server.throttle.succeeded(address, email)
  return { outcome: 'right', user, hash }
}

export const NO_MATCH = 'That e-mail address and password do not match.'

const waitText = (seconds: number): string =>
  seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} second${seconds === 1 ? '' : 's'}`

async function matches(password: string, hash: string | undefined): Promise<boolean> {
  try {
    return await verifyPassword(password, hash)
  } catch (failure) {
    if (!(failure instanceof PasswordsBusyError)) throw failure
    throw busy()
  }
}

const busy = (): OAuthError => unavailable('Many people are signing in. Try again in a moment.', undefined, 5)
