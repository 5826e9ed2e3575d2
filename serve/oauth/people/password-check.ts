/** Checks the password of a user and limits attempts, for the sign-in page and the account page. */
import type { IncomingMessage } from 'node:http'
import { PasswordsBusyError } from '../../../builder/system/password.ts'
import type { User } from '../../../builder/workspace/access/access.ts'
import { type OAuthError, unavailable } from '../errors.ts'
import { type OAuthServer, passwordHashOf } from '../server.ts'

type PasswordCheck =
  /** `hash` is what the password was compared with; a write that depends on it checks that it is still valid. */
  | { readonly outcome: 'right'; readonly user: User; readonly hash: string }
  /** The user with that address, if there is one; only for the log. */
  | { readonly outcome: 'wrong'; readonly userId: string | null; readonly problem: string }
  | { readonly outcome: 'wait'; readonly seconds: number; readonly problem: string }

/** `user` is the user with that address; where there is none, the answer takes equally long. */
export async function checkPassword(
  server: OAuthServer,
  req: IncomingMessage,
  email: string,
  user: User | undefined,
  password: string,
): Promise<PasswordCheck> {
  // Checked before the attempt is counted: a refusal here must leave no trace, or a flood of them would fill the
  // memory.
  if (server.passwords.isBusy()) throw busy()
  const address = server.addressOf(req)
  const seconds = await server.throttle.attempt(address, email)
  if (seconds > 0)
    return {
      outcome: 'wait',
      seconds,
      problem: `Too many attempts. Wait ${waitText(seconds)} and try again.`,
    }
  const hash = user && (await passwordHashOf(server, user))
  const isRight = await matches(server, password, hash).catch(async (problem: unknown) => {
    await server.throttle.notTried(address, email)
    throw problem
  })
  if (!isRight || user === undefined || hash === undefined)
    // The answer does not say which of the two was wrong (ASVS 6.3.8).
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

async function matches(
  { passwords }: Pick<OAuthServer, 'passwords'>,
  password: string,
  hash: string | undefined,
): Promise<boolean> {
  try {
    return await passwords.verify(password, hash)
  } catch (failure) {
    if (!(failure instanceof PasswordsBusyError)) throw failure
    throw busy()
  }
}

const busy = (): OAuthError => unavailable('Many people are signing in. Try again in a moment.', undefined, 5)
