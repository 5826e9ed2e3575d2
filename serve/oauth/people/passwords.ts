/**
 * Hashes and checks passwords. Each hash takes 128 MB and most of a second, so that few are made at a time.
 */
import { hashPassword, passwordsBusy, verifyPassword } from '../../../builder/system/password.ts'

export interface Passwords {
  isBusy(): boolean
  /**
   * Whether `password` is the one behind `hash`; undefined stands for an unknown user and takes equally long.
   * Throws `PasswordsBusyError`.
   */
  verify(password: string, hash: string | undefined): Promise<boolean>
  /** Throws `PasswordsBusyError`. */
  hash(password: string): Promise<string>
}

export const OWN_PASSWORDS: Passwords = {
  isBusy: passwordsBusy,
  verify: verifyPassword,
  hash: hashPassword,
}
