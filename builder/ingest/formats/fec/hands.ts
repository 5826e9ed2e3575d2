/** Threads that read FEC. */
import { extname } from 'node:path'
import type { ReadBy, SourceFile } from '../../format/format.ts'
import { partHands } from '../../format/part-hands.ts'
import type { FecHands } from './parts.ts'

const MODULE = new URL(`part-thread${extname(import.meta.url)}`, import.meta.url)
const MB = 1024 ** 2
const WORTH = { partBytes: 2 * MB, threadBytes: 6 * MB }

/** Null where this thread reads them as fast alone. */
export const fecHands = (sources: readonly SourceFile[], by: ReadBy | null): FecHands | null =>
  partHands(MODULE, WORTH, sources, by)
