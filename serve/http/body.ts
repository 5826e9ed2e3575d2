/** Checks the JSON body of a request before it is parsed. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../builder/contract/problem.ts'
import { bodyOf, GREATEST_BODY_BYTES, isOfType, MOST_BODY_PIECES } from '../request-body.ts'

/** Throws `Problem` 413 for a body that is too large, then 415 for another media type. */
export async function readJsonBody(req: IncomingMessage): Promise<Buffer> {
  const body = await bodyOf(req)
  if (body === null)
    throw new Problem(
      'payload-too-large',
      `The body exceeds ${GREATEST_BODY_BYTES} bytes, or comes in more than ${MOST_BODY_PIECES} pieces.`,
    )
  const type = req.headers['content-type']
  const coding = req.headers['content-encoding'] ?? 'identity'
  if (!isOfType(req, 'application/json'))
    throw new Problem(
      'unsupported-media-type',
      type === undefined
        ? 'The request has no Content-Type: it must be application/json.'
        : 'The Content-Type must be application/json, in UTF-8.',
    )
  if (coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported-media-type', 'The body must not be compressed.')
  return body
}
