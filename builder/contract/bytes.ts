/**
 * Writes documents as bytes into a buffer that is used again and again; money is written without making
 * strings, for speed.
 */
import { FIGURE_LIMIT, formatMinor } from './currency.ts'
import { NONE } from './figures.ts'

const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NULL = Buffer.from('null')

/**
 * Sign, 15 digits, decimal point, comma and leading zeros of an amount below one unit, rounded up to words of
 * eight bytes.
 */
const LONGEST_FIGURE = 24
/** The number of digits that always fit into a 32-bit integer. */
const HALF = 9
const HALF_LIMIT = 10 ** HALF

/**
 * A document, whole or in pieces where it may be large. Each piece is valid until the next one, which reuses
 * its memory.
 */
export type Content = string | Buffer | Iterable<Buffer>

/** Whether a document is one text or buffer, not a sequence of pieces. */
export const isWhole = (content: Content): content is string | Buffer =>
  typeof content === 'string' || Buffer.isBuffer(content)

/** Joins the pieces of a document. */
export function wholeOf(content: Content): string | Buffer {
  if (isWhole(content)) return content
  const out = new ByteWriter()
  for (const piece of content) out.bytes(piece)
  return out.written
}

/** Joins texts as UTF-8 bytes. */
export function bytesOf(texts: Iterable<string>): Buffer {
  const out = new ByteWriter()
  for (const text of texts) out.text(text)
  return out.written
}

/** Divides texts, in order, into groups of at most `mostBytes` bytes as UTF-8; a longer text is a group of its own. */
export function inParts(texts: readonly string[], mostBytes: number): string[][] {
  const parts: string[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const more = Buffer.byteLength(text)
    if (bytes + more > mostBytes) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(text)
    bytes += more
  }
  return parts
}

const PIECE = 256 * 1024

/** Joins texts as UTF-8 bytes, in pieces of about 256 KB. */
export function* inPieces(texts: Iterable<string>): Generator<Buffer> {
  const out = new ByteWriter()
  for (const text of texts) {
    out.text(text)
    if (out.written.length < PIECE) continue
    yield out.written
    out.clear()
  }
  yield out.written
}

/** A buffer that grows as needed and is reused after {@link ByteWriter.clear}. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)
  #view = new DataView(this.#buffer.buffer)
  #length = 0

  /** Starts anew and overwrites what {@link ByteWriter.written} returned before. */
  clear(): void {
    this.#length = 0
  }

  /**
   * The bytes since the last {@link ByteWriter.clear}. They are a view of the buffer: valid until the next
   * `clear`.
   */
  get written(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  text(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#buffer.write(text, this.#length)
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /**
   * Writes minor units as JSON numbers with exactly `decimals` decimals, separated by commas; NaN (no figure)
   * as `null`. The bytes are those of {@link formatMinor}, which also throws for figures that cannot be
   * written.
   */
  figures(values: Float64Array, decimals: number): void {
    if (values.length === 0) return
    this.#reserve((values.length + 1) * LONGEST_FIGURE)
    const out = this.#buffer
    let at = this.#length
    for (let i = 0; i < values.length; ) {
      const value = values[i++] ?? NONE
      const from = at
      at = writeFigure(out, at, value, decimals)
      out[at++] = COMMA
      // Equal figures in a row are common (balances that stand still, activities of zero), so their bytes are
      // copied.
      const first = i
      while (i < values.length && values[i] === value) i++
      if (i > first) at = repeat(this.#view, from, at, i - first)
    }
    this.#length = at - 1
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes
    if (wanted <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
    this.#view = new DataView(larger.buffer)
  }
}

/**
 * Repeats the figure between `from` and `at`, with its comma, `times` times; returns the end. It is copied as
 * doubles of eight bytes: byte by byte, each read would wait for the write just before it.
 */
function repeat(out: DataView, from: number, at: number, times: number): number {
  const length = at - from
  // These bytes are ASCII text and zeros, which never form a NaN, the one double that may change when it is
  // copied.
  out.setFloat64(at, 0, true)
  const first = out.getFloat64(from, true)
  const second = length > 8 ? out.getFloat64(from + 8, true) : 0
  const third = length > 16 ? out.getFloat64(from + 16, true) : 0
  let to = at
  for (let time = 0; time < times; time++) {
    out.setFloat64(to, first, true)
    if (length > 8) out.setFloat64(to + 8, second, true)
    if (length > 16) out.setFloat64(to + 16, third, true)
    to += length
  }
  return to
}

/** Writes one figure at `at` and returns where it ends. */
function writeFigure(out: Uint8Array, at: number, value: number, decimals: number): number {
  if (Number.isNaN(value)) {
    out.set(NULL, at)
    return at + NULL.length
  }
  let size = value
  if (value < 0) {
    size = -value
    out[at++] = MINUS
  }
  // Here formatMinor throws: the figure is not an integer, or too large for clients to read exactly.
  if (!(size < FIGURE_LIMIT) || Math.floor(size) !== size) formatMinor(value, decimals)
  // Splits the figure into two 32-bit integers, whose digits need no floating-point division.
  const high = size < HALF_LIMIT ? 0 : Math.floor(size / HALF_LIMIT)
  let rest = (size - high * HALF_LIMIT) | 0
  const digits = Math.max(high === 0 ? digitsOf(rest) : HALF + digitsOf(high), decimals + 1)
  const end = at + digits + (decimals === 0 ? 0 : 1)
  let to = end
  for (let digit = 0; digit < digits; digit++) {
    if (digit === HALF) rest = high | 0
    if (digit === decimals && digit > 0) out[--to] = POINT
    const tenth = (rest / 10) | 0
    out[--to] = ZERO + rest - tenth * 10
    rest = tenth
  }
  return end
}

/** The number of digits of an integer below 10^9. */
function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4
  if (value < 1_000_000) return value < 100_000 ? 5 : 6
  return value < 100_000_000 ? (value < 10_000_000 ? 7 : 8) : 9
}
