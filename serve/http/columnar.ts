/** Statements and metrics as columns: who wants them so (RFC 9110 §12.5.1), and each stream made once and kept. */
import { ARROW_STREAM } from '../../builder/contract/openapi.ts'
import type { Answer } from '../companies/answers.ts'
import { createByteCache } from '../companies/byte-cache.ts'
import { weightsOf } from './weights.ts'

/** Only where the stream is liked better than JSON: a client that takes anything gets JSON, as from any other route. */
export function prefersColumns(accept: string | undefined): boolean {
  if (accept === undefined || !/arrow/i.test(accept)) return false
  const weights = weightsOf(accept)
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return (weights.get(ARROW_STREAM) ?? 0) > json
}

/** Loading the library stops the event loop for a third of a second: a moment after the start, and in nobody's request. */
const LOAD_AFTER_MS = 500
const loadArrow = () => import('../../builder/contract/arrow.ts')

export type ToColumns = (answer: Answer) => Promise<Answer>

export function createColumns(cacheBytes = 32 * 1024 * 1024): ToColumns {
  const cache = createByteCache<Buffer>(cacheBytes, (body) => body.length)
  setTimeout(() => void loadArrow(), LOAD_AFTER_MS).unref()
  return async (answer) => {
    const hash = `${answer.hash}-arrow`
    const body = await cache.get(hash, async () => (await loadArrow()).encodeArrow(answer.body))
    return { ...answer, body, hash }
  }
}
