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

/** So many bytes are looked at for a place to cut at once, and a few more, which may be the rest of what is looked for. */
const WINDOW = 64 * 1024
const MORE = 16

/**
 * The parts in the order of the file, about `bytes` each, from `from` on. Where no place to cut is found in as many bytes, a part
 * is as much larger. Where nothing is left there are no parts.
 */
export async function textParts(file: PartedFile, bytes: number, cut: CutIn, from = 0): Promise<Range[]> {
  const parts: Range[] = []
  for (let start = from; start < file.size; ) {
    const end = await cutFrom(file, start + bytes, cut)
    parts.push({ start, end })
    start = end
  }
  return parts
}

/** The first place to cut from `from` on; the end of the file where there is none. */
export async function cutFrom({ path, size }: PartedFile, from: number, cut: CutIn): Promise<number> {
  // The byte in front of a place tells whether it is one.
  for (let at = Math.max(1, from); at < size; at += WINDOW) {
    const window = await bytesOf(path, { start: at - 1, end: Math.min(at + WINDOW + MORE, size) })
    const found = cut(window)
    if (found > 0 && at - 1 + found < size) return at - 1 + found
  }
  return size
}

/** All bytes of a part at once. */
export async function bytesOf(path: string, range: Range): Promise<Buffer> {
  if (range.end === range.start) return Buffer.alloc(0)
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
