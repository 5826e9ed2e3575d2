/** Parts of a text file that several threads can read, cut where a reader says, without reading the whole file. */
import { createReadStream } from '../../workspace/plain-file.ts'
import type { Encoding } from './decode.ts'
import { decodeChunks } from './scan.ts'

/** Bytes of a file, without that at `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** A text that is not cut. */
export const WHOLE_TEXT: Range = { start: 0, end: Number.POSITIVE_INFINITY }

export interface PartedFile {
  readonly path: string
  /** In bytes. */
  readonly size: number
}

/**
 * The place in these bytes where a part may begin, the first one behind their first byte; -1 where there is none.
 */
export type CutIn = (bytes: Buffer) => number

/** So many bytes are looked at for a place to cut at once. */
const WINDOW = 64 * 1024

/**
 * The parts in the order of the file, about `bytes` each. Where no place to cut is found in as many bytes, a part is as much
 * larger. An empty file has no parts.
 */
export async function textParts({ path, size }: PartedFile, bytes: number, cut: CutIn): Promise<Range[]> {
  const parts: Range[] = []
  let start = 0
  for (let from = bytes; from < size; from += WINDOW) {
    const window = await bytesOf(path, { start: from - 1, end: Math.min(from + WINDOW, size) })
    const at = cut(window)
    if (at <= 0 || from - 1 + at >= size) continue
    const end = from - 1 + at
    parts.push({ start, end })
    start = end
    from = end + bytes - WINDOW
  }
  if (start < size) parts.push({ start, end: size })
  return parts
}

async function bytesOf(path: string, range: Range): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of chunksOf(path, range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const CHUNK = 1 << 20

const chunksOf = (path: string, { start, end }: Range, highWaterMark = CHUNK): AsyncIterable<Buffer> =>
  createReadStream(path, { start, end: end - 1, highWaterMark }) as AsyncIterable<Buffer>

/** The text of a part, so many bytes at once. A file of UTF-16 is never cut: `cut` looks for single bytes. */
export const textOfPart = (
  path: string,
  range: Range,
  encoding: Encoding,
  chunk = CHUNK,
): AsyncIterable<string> =>
  decodeChunks(chunksOf(path, range, chunk), encoding, { isMiddle: range.start > 0 })

const LF = 0x0a

/** In front of each line. */
export const atLine: CutIn = (bytes) => bytes.indexOf(LF) + 1
