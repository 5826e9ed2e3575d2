/** Passwords in tests that are about something else. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from '../suite.ts'

/**
 * To hash a password takes a third of a second of a core, as it must. While the tests of this suite run, a hash that was computed once is
 * remembered by its password and salt, since it is the same each time.
 */
export function rememberPasswords<At>(test: Test<At>): void {
  const { scrypt } = crypto
  const known = new Map<string, Buffer>()
  const put = (hashing: typeof remembered | typeof scrypt): void => {
    Object.assign(crypto, { scrypt: hashing })
    syncBuiltinESMExports()
  }
  const remembered = (
    password: string,
    salt: Buffer,
    length: number,
    options: crypto.ScryptOptions,
    done: (failure: Error | null, hash: Buffer) => void,
  ): void => {
    const key = JSON.stringify([password, salt.toString('hex'), length, options])
    const hash = known.get(key)
    if (hash !== undefined) setImmediate(done, null, hash)
    else
      scrypt(password, salt, length, options, (failure, computed) => {
        if (failure === null) known.set(key, computed)
        done(failure, computed)
      })
  }
  test.before(() => put(remembered))
  test.after(() => put(scrypt))
}
