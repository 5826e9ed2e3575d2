/** Text in the making, as bytes of a buffer that is used again and again. Money is written here without becoming a string. */
import { FIGURE_LIMIT, formatMinor } from './currency.ts'

const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NULL = Buffer.from('null')

/** Sign, 15 digits, point, comma, and the zeros before the decimals of an amount below one unit. */
const LONGEST_FIGURE = 20
/** Digits that an integer of 32 bits holds for certain. */
const HALF = 9
const HALF_LIMIT = 10 ** HALF

export class ByteWriter {
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)
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
    this.#reserve(values.length * LONGEST_FIGURE)
    const out = this.#buffer
    let at = this.#length
    let before = Number.NaN
    let begin = at
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (i > 0) out[at++] = COMMA
      const start = at
      if (value === before) {
        // Balances stand still in many months, and many activities are zero: the same bytes once more.
        for (const end = start - 1; begin < end; ) out[at++] = out[begin++]!
      } else at = writeFigure(out, at, value, decimals)
      before = value
      begin = start
    }
    this.#length = at
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes
    if (wanted <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
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
