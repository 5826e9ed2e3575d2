/** Threads that read SIE files. */
import { extname } from 'node:path'
import type { ReadBy, SourceFile } from '../../format/format.ts'
import { partHands } from '../../format/part-hands.ts'
import { PART_BYTES, type SieHands } from './parts.ts'

const MODULE = new URL(`part-thread${extname(import.meta.url)}`, import.meta.url)
const WORTH = { partBytes: PART_BYTES, threadBytes: 5 * 1024 ** 2 }

/** Null where this thread reads them as fast alone. */
export const sieHands = (sources: readonly SourceFile[], by: ReadBy | null): SieHands | null =>
  partHands(MODULE, WORTH, sources, by)
