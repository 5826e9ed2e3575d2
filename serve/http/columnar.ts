/**
 * Statements and metrics in columns (Arrow): chooses the form that a client prefers (RFC 9110 §12.5.1), and keeps
 * each stream that was made.
 */
import { ARROW_STREAM } from '../../builder/contract/operations.ts'
import type { Answer } from '../companies/answers.ts'
import { createByteCache } from '../companies/byte-cache.ts'
import { weightsOf } from './limits/weights.ts'

/** True only where Arrow is preferred to JSON; a client that accepts anything gets JSON, as on any other route. */
export function prefersColumns(accept: string | undefined): boolean {
  if (accept === undefined || !/arrow/i.test(accept)) return false
  const weights = weightsOf(accept)
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return (weights.get(ARROW_STREAM) ?? 0) > json
}

/**
 * Loading the library stops the event loop for a third of a second, so that it is loaded shortly after the start
 * and not within a request.
 */
const LOAD_AFTER_MS = 500
const loadArrow = () => import('../../builder/contract/arrow.ts')

export type ToColumns = (answer: Answer) => Promise<Answer>

export function createColumns(cacheBytes = 32 * 1024 * 1024): ToColumns {
  const cache = createByteCache<Buffer>(cacheBytes, (body) => body.length)
  // A failure here, such as too many open files, is ignored: loading fails again where the library is needed, and is
  // reported there.
  setTimeout(() => void loadArrow().catch(() => {}), LOAD_AFTER_MS).unref()
  return async (answer) => {
    const hash = `${answer.hash}-arrow`
    const body = await cache.get(hash, async () => (await loadArrow()).encodeArrow(answer.body))
    return { ...answer, body, hash }
  }
}
