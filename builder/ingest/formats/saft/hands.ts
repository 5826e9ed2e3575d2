/** Threads that read SAF-T files. */
import { extname } from 'node:path'
import type { ReadBy, SourceFile } from '../../format/format.ts'
import { partHands } from '../../format/part-hands.ts'
import type { SaftHands } from './parts.ts'

const MODULE = new URL(`part-thread${extname(import.meta.url)}`, import.meta.url)
const MB = 1024 ** 2
const WORTH = { partBytes: 4 * MB, threadBytes: 12 * MB }

/** Null where this thread reads them as fast alone. */
export const saftHands = (sources: readonly SourceFile[], by: ReadBy | null): SaftHands | null =>
  partHands(MODULE, WORTH, sources, by)
