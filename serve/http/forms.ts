/** Chooses the form and the content coding of an answer by the client's preferences (RFC 9110 §12.5), and compresses it. */
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import { ARROW_STREAM } from '../../builder/contract/operations.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/** A smaller body fits one packet anyway, so that compressing it saves nothing. */
const LEAST_BYTES = 1024

/** The weight of each item of such a header, in lower case and without its other parameters; a malformed weight is 0. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    weights.set(name, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0)
  }
  return weights
}

/** True only where Arrow is preferred to JSON; a client that accepts anything gets JSON, as on any other route. */
export function prefersColumns(accept: string | undefined): boolean {
  if (accept === undefined || !/arrow/i.test(accept)) return false
  const weights = weightsOf(accept)
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return (weights.get(ARROW_STREAM) ?? 0) > json
}

/**
 * The coding with the greatest weight; on a tie brotli, then gzip. Where nothing is acceptable, the body is sent
 * without coding.
 */
export function preferredCoding(accepted: string | undefined): Coding {
  if (accepted === undefined) return 'identity'
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

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Bodies up to this size are compressed in this thread, since passing them to another one takes twice as long. */
const SMALL_BYTES = 64 * 1024

/** The body in the preferred coding, or as it is where that saves nothing. */
export async function inCoding(body: Buffer, coding: Coding): Promise<{ body: Buffer; coding: Coding }> {
  if (coding === 'identity' || body.length < LEAST_BYTES) return { body, coding: 'identity' }
  return { body: await compressed(body, coding), coding }
}

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
