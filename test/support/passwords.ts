/** Passwords in tests that are about something else. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from '../suite.ts'

const REMEMBERED = new URL('remembered-passwords.mjs', import.meta.url).href
/** For a server in a process of its own. */
export const REMEMBERING = { NODE_OPTIONS: `--import=${REMEMBERED}` }

const { scrypt } = crypto

/** While the tests of this suite run, the hash of a password is remembered. */
export function rememberPasswords<At>(test: Test<At>): void {
  const put = (hashing: typeof scrypt): void => {
    Object.assign(crypto, { scrypt: hashing })
    syncBuiltinESMExports()
  }
  test.before(async () => put(((await import(REMEMBERED)) as { remembered: typeof scrypt }).remembered))
  test.after(() => put(scrypt))
}
