/** Who runs the program. */
import { hostname, userInfo } from 'node:os'

/** The name of the person on this machine. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id without a name.
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** `user@host` */
export const operator = (): string => `${userName()}@${hostname()}`
