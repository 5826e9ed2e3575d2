/** Computes the hash that identifies bytes everywhere in this program. */
import { createHash } from 'node:crypto'

/** SHA-256 as 64 lower-case hexadecimal digits; text is hashed as UTF-8. */
export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
