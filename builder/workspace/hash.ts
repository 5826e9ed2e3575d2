/** Computes the hash that identifies bytes everywhere in this program. */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createReadStream } from './plain-file.ts'

/** SHA-256 as 64 lower-case hexadecimal digits; text is hashed as UTF-8. */
export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** Bytes that are read at once; with the 64 kB that streams read by themselves, hashing takes half as long again. */
const PIECE = 1 << 18

/** As {@link sha256}, for a file of any size. It is read piece by piece: a server goes on answering meanwhile. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: PIECE }), hash)
  return hash.digest('hex')
}
