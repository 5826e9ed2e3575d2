/**
 * In a process that imports this a hash that was computed once is remembered by its password and salt, since it is the same each time: to
 * hash a password takes a third of a second of a core, as it must.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
const known = new Map()

/** In the place of `scrypt`. */
export function remembered(password, salt, length, options, done) {
  const key = JSON.stringify([password, salt.toString('hex'), length, options])
  const hash = known.get(key)
  if (hash !== undefined) setImmediate(done, null, hash)
  else
    scrypt(password, salt, length, options, (failure, computed) => {
      if (failure === null) known.set(key, computed)
      done(failure, computed)
    })
}

crypto.scrypt = remembered
syncBuiltinESMExports()
