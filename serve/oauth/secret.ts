/** Random identifiers, their hashes for storage, and comparison in constant time. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits, base64url: nothing that needs an escape in a URL, a form or a cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url')
/** The id of a grant is typed by operators: without a dash in front, which would make it an option. */
export const newGrantId = (): string => randomToken().replace(/^-/, '0')
export const isRandomToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** What is stored in place of a bearer secret; its 256 bits cannot be searched, so that one SHA-256 is enough. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

export const hmac = (key: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url')

/** Equal texts, told in a time that depends on neither: timingSafeEqual alone throws on unequal lengths. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
