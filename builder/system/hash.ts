/** Computes the hash that identifies bytes everywhere in this program. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createReadStream } from './plain-file.ts'

/** SHA-256 as 64 lower-case hexadecimal digits; text is hashed as UTF-8. */
export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** How many hex digits of a hash people read and type: 64 bits are more than a forger could match by trial. */
export const SHORT_HASH = 16

export const shortHash = (hash: string): string => hash.slice(0, SHORT_HASH)

/** How many bytes are read at once. With the 64 kB that streams read by default, hashing takes half as long again. */
const PIECE = 1 << 18

/** As {@link sha256}, for a file of any size. It is read piece by piece: a server goes on answering meanwhile. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: PIECE }), hash)
  return hash.digest('hex')
}
