/** Hashes and verifies passwords with scrypt at OWASP's minimum, as PHC strings. At most two run at once. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** OWASP Password Storage requires at least N=2^17, r=8, p=1. The upper bounds keep a mistyped value from using all memory. */
const FLOOR = { ln: 17, r: 8, p: 1 }
const CEILING = { ln: 20, r: 16, p: 4 }
export const PASSWORD_LENGTH_MIN = 12
const HASH_BYTES = 32
/** One hash takes 128 MiB and most of a second of a core. A flood of sign-ins must not use up either. */
const AT_ONCE = 2
const WAITING_MAX = 32

interface Phc {
  readonly ln: number
  readonly r: number
  readonly p: number
  readonly salt: Buffer
  readonly hash: Buffer
}

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/

function parsePhc(text: string): Phc | null {
  const [, lnText, rText, pText, salt, hash] = PHC.exec(text) ?? []
  if (salt === undefined || hash === undefined) return null
  const [ln, r, p] = [Number(lnText), Number(rText), Number(pText)]
  const inBounds = (key: 'ln' | 'r' | 'p', value: number) => value >= FLOOR[key] && value <= CEILING[key]
  if (!inBounds('ln', ln) || !inBounds('r', r) || !inBounds('p', p)) return null
  return { ln, r, p, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

/** Whether `text` is a scrypt hash no weaker than the floor; a plain password is not. */
export const isPasswordHash = (text: string): boolean => parsePhc(text) !== null

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, { ...FLOOR, salt, hash: Buffer.alloc(HASH_BYTES) })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$scrypt$ln=${FLOOR.ln},r=${FLOOR.r},p=${FLOOR.p}$${text(salt)}$${text(hash)}`
}

/** The hash that is compared for an unknown user, so that both refusals take the same time (ASVS 6.3.8). */
const NOBODY: Phc = { ...FLOOR, salt: randomBytes(16), hash: randomBytes(HASH_BYTES) }

/** Whether `password`, exactly as typed, is the one behind `hash`; `undefined` stands for an unknown user. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const known = hash === undefined ? null : parsePhc(hash)
  const expected = known ?? NOBODY
  const equal = timingSafeEqual(await derive(password, expected), expected.hash)
  return equal && known !== null
}

/** Thrown when too many passwords are waiting to be hashed. A later attempt may succeed. */
export class PasswordsBusyError extends Error {
  readonly code = 'passwords-busy'
  constructor() {
    super('too many sign-ins at once')
  }
}

let running = 0
const waiting: (() => void)[] = []

/** Whether the queue is full, so that the next password would be refused. */
export const passwordsBusy = (): boolean => running >= AT_ONCE && waiting.length >= WAITING_MAX

async function derive(password: string, { ln, r, p, salt, hash }: Phc): Promise<Buffer> {
  if (passwordsBusy()) throw new PasswordsBusyError()
  if (running >= AT_ONCE) {
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    // Node's default maxmem of 32 MiB is too small: scrypt needs 128·N·r bytes and a little more.
    const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 128 * 2 ** ln * r * p + 2 ** 20 }
    return await new Promise((resolve, reject) =>
      scrypt(password, salt, hash.length, options, (failure, key) =>
        failure ? reject(failure) : resolve(key),
      ),
    )
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
