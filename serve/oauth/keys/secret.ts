/** Random identifiers, their hashes for storage, and comparison in constant time. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits in base64url, which need no escape in a URL, a form or a cookie. */
export const randomToken = (): string => randomBytes(32).toString('base64url')
/** Operators type the id of a grant, so that it must not begin with a dash, which would make it an option. */
export const newGrantId = (): string => randomToken().replace(/^-/, '0')
export const isRandomToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)

/** Stored in place of a bearer secret. One SHA-256 is enough, since 256 random bits cannot be searched. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

export const hmac = (key: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url')

/** Compares in a time that depends on neither text; hashes first, because timingSafeEqual throws on unequal lengths. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
