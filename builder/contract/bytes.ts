/** Text in the making, as bytes of a buffer that is used again and again. Money is written here without becoming a string. */
import { FIGURE_LIMIT, formatMinor } from './currency.ts'

const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NULL = Buffer.from('null')

/** Sign, 15 digits, point, comma, and the zeros before the decimals of an amount below one unit; in words of eight bytes. */
const LONGEST_FIGURE = 24
/** Digits that an integer of 32 bits holds for certain. */
const HALF = 9
const HALF_LIMIT = 10 ** HALF

/** A document: whole, or in pieces where it may be large. A piece is sound until the next: their memory is the same. */
export type Content = string | Buffer | Iterable<Buffer>

export const isWhole = (content: Content): content is string | Buffer =>
  typeof content === 'string' || Buffer.isBuffer(content)

export function wholeOf(content: Content): string | Buffer {
  if (isWhole(content)) return content
  const out = new ByteWriter()
  for (const piece of content) out.bytes(piece)
  return out.written
}

/** Texts one after the other as bytes. */
export function bytesOf(texts: Iterable<string>): Buffer {
  const out = new ByteWriter()
  for (const text of texts) out.text(text)
  return out.written
}

const PIECE = 256 * 1024

/** The same in pieces of about 256 KB. */
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

export class ByteWriter {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)
  #view = new DataView(this.#buffer.buffer)
  #length = 0

  /** Begins anew: what {@link ByteWriter.written} gave before is written over. */
  clear(): void {
    this.#length = 0
  }

  /** What was written since the last {@link ByteWriter.clear}: a view, sound until the next one. */
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
   * Minor units as JSON numbers with exactly `decimals` decimals, comma between them; NaN, the working form of "no
   * figure", as `null`. The bytes of {@link formatMinor}, which also says what cannot be written.
   */
  figures(values: Float64Array, decimals: number): void {
    if (values.length === 0) return
    this.#reserve((values.length + 1) * LONGEST_FIGURE)
    const out = this.#buffer
    let at = this.#length
    for (let i = 0; i < values.length; ) {
      const value = values[i++]!
      const from = at
      at = writeFigure(out, at, value, decimals)
      out[at++] = COMMA
      // Balances stand still in many months, and many activities are zero: the same bytes once more.
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
 * Writes a figure and its comma, which stand between `from` and `at`, `times` times more, and gives where that ends. They
 * are read once, as doubles of eight bytes: byte by byte, each read would wait for the write just before it.
 */
function repeat(out: DataView, from: number, at: number, times: number): number {
  const length = at - from
  // What is read is text and zeros: never NaN, the only double that may not be written as it was read.
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

/** Writes one figure from `at` on, and gives where it ends. */
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
  // Throws: it is no integer, or too large for a client to read exactly.
  if (!(size < FIGURE_LIMIT) || Math.floor(size) !== size) formatMinor(value, decimals)
  // Two halves of 32-bit integers, whose digits come without floating-point division.
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

/** How many digits a number below 10^9 has. */
function digitsOf(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4
  if (value < 1_000_000) return value < 100_000 ? 5 : 6
  return value < 100_000_000 ? (value < 10_000_000 ? 7 : 8) : 9
}
