/** Content codings: chooses the one that a client prefers (RFC 9110 §12.5.3), and keeps compressed bodies. */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import { createByteCache } from '../companies/byte-cache.ts'
import { weightsOf } from './limits/weights.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/** A smaller body fits one packet anyway, so that compressing it saves nothing. */
const LEAST_BYTES = 1024

/**
 * The coding with the greatest weight; on a tie brotli, then gzip. Where nothing is acceptable, the body is sent
 * without coding.
 */
export function chooseCoding(accepted: string | undefined, bytes: number): Coding {
  if (accepted === undefined || bytes < LEAST_BYTES) return 'identity'
  const weights = weightsOf(accepted)
  const any = weights.get('*')
  // identity is acceptable unless it is excluded, and even then better than no answer; it comes last on a tie.
  const candidates: [Coding, number][] = [
    ['br', weights.get('br') ?? any ?? 0],
    ['gzip', weights.get('gzip') ?? weights.get('x-gzip') ?? any ?? 0],
    ['identity', weights.get('identity') ?? 0],
  ]
  const [coding, weight] = candidates.reduce((best, other) => (other[1] > best[1] ? other : best))
  return weight > 0 ? coding : 'identity'
}

export interface Compressor {
  /** `hash` identifies the body, so that equal bodies are compressed once. */
  compress(hash: string, body: Buffer, coding: Coding): Promise<Buffer>
}

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Bodies up to this size are compressed in this thread, since passing them to another one takes twice as long. */
const SMALL_BYTES = 64 * 1024

async function compressed(body: Buffer, coding: 'br' | 'gzip'): Promise<Buffer> {
  const isSmall = body.length <= SMALL_BYTES
  if (coding === 'gzip') {
    // The fastest level: a tenth larger than the default, in half of the time.
    const options = { level: constants.Z_BEST_SPEED }
    return isSmall ? gzipSync(body, options) : deflate(body, options)
  }
  // Quality 1, because digits hardly compress further at a hundred times the cost.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
  return isSmall ? brotliCompressSync(body, { params }) : brotli(body, { params })
}

export function createCompressor(cacheBytes = 64 * 1024 * 1024): Compressor {
  const cache = createByteCache<Buffer>(cacheBytes, (body) => body.length)
  return {
    compress: async (hash, body, coding) =>
      coding === 'identity' ? body : cache.get(`${hash}-${coding}`, () => compressed(body, coding)),
  }
}
