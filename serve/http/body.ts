/** Reads a request's JSON body within a limit. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../builder/contract/problem.ts'

const GREATEST_BYTES = 64 * 1024

/**
 * Throws 413, then 415. A body that is too large is not read to its end: the connection closes after the answer,
 * and what still arrives is thrown away.
 */
export async function readJsonBody(req: IncomingMessage): Promise<Buffer> {
  const body = await collect(req)
  const type = req.headers['content-type']
  const coding = req.headers['content-encoding'] ?? 'identity'
  if (type === undefined || !/^\s*application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type))
    throw new Problem(
      'unsupported-media-type',
      type === undefined ? 'The request has no Content-Type.' : 'The Content-Type is another.',
    )
  if (coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported-media-type', 'The body must not be compressed.')
  return body
}

function collect(req: IncomingMessage): Promise<Buffer> {
  const tooLarge = new Problem('payload-too-large', `The body exceeds ${GREATEST_BYTES} bytes.`, {
    headers: { Connection: 'close' },
  })
  if (Number(req.headers['content-length'] ?? 0) > GREATEST_BYTES) return Promise.reject(tooLarge)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= GREATEST_BYTES) chunks.push(chunk)
      else {
        chunks.length = 0
        reject(tooLarge)
      }
    })
    req.once('end', () => resolve(Buffer.concat(chunks)))
    req.once('error', reject)
    req.once('close', () => reject(new Error('the request was aborted')))
  })
}
