/** What can be done with a part of a SIE file alone, here or in a thread. */
import { isAscii } from 'node:buffer'
import { displayMinor } from '../../../contract/currency.ts'
import { type Shared, sharedValue } from '../../../workspace/threads.ts'
import type { PartHands } from '../../format/part-hands.ts'
import { decodeText, type EightBitLetters, type Encoding, eightBitLetters } from '../../text/decode.ts'
import { bytesOf, type CutIn, type Range } from '../../text/text-parts.ts'
import { linesIn } from './lines.ts'
import { parseText, type SieText } from './parse.ts'
import { type VoucherContext, type VoucherRemarks, VoucherRows } from './vouchers.ts'

/** A part is so large, about; it is read in less than 200 ms. */
export const PART_BYTES = 1024 ** 2

/** A part of a file. */
export interface Part {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly path: string
  readonly range: Range
}

/** What must be known of all parts before one can be read. */
export interface PartCount {
  readonly lineEnds: number
  /** Null where all bytes are ASCII. */
  readonly letters: EightBitLetters | null
}

export interface PartToRead {
  readonly part: Part
  readonly encoding: Encoding
  readonly firstLine: number
  readonly decimals: number
  /** Null where no rows are wanted. */
  readonly context: Shared<VoucherContext> | null
  /** The line of a voucher → its id, where that is not the plain one. */
  readonly ids: ReadonlyMap<number, string>
}

export interface PartRead {
  readonly text: SieText
  /** It has bytes that are not text in its encoding. */
  readonly isUndecodable: boolean
  /** The first line with U+FFFD; null where there is none. */
  readonly lostLine: number | null
  readonly rows: PartRows
}

/** The rows of vouchers as CSV. */
export interface PartRows {
  readonly csv: Uint8Array
  /** Null where no rows were wanted. */
  readonly remarks: VoucherRemarks | null
}

/** What others can do. */
export const WORK = { countPart, readPart }
export type SieHands = PartHands<typeof WORK>

const VOUCHERS = ['\n#VER', '\r#VER'].map((text) => Buffer.from(text))

/** In front of a voucher. */
export const atVoucher: CutIn = (bytes) => {
  const found = VOUCHERS.map((voucher) => bytes.indexOf(voucher)).filter((at) => at !== -1)
  return found.length === 0 ? -1 : Math.min(...found) + 1
}

async function countPart({ path, range }: Part): Promise<PartCount> {
  const bytes = await bytesOf(path, range)
  return { lineEnds: lineEndsIn(bytes), letters: isAscii(bytes) ? null : eightBitLetters(bytes) }
}

/** Bytes of line ends are not parts of other letters but in UTF-16, which is never cut. */
function lineEndsIn(bytes: Buffer): number {
  let count = 0
  let before = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === CR || (byte === LF && before !== CR)) count++
    before = byte
  }
  return count
}

const LF = 0x0a
const CR = 0x0d

async function readPart(given: PartToRead): Promise<PartRead> {
  const { part, encoding, firstLine, decimals, context, ids } = given
  const { file, path, range } = part
  const { text, undecodableLine } = decodeText(await bytesOf(path, range), encoding)
  const rows =
    context && new VoucherRows(file, sharedValue(context), ids, (minor) => displayMinor(minor, decimals))
  return {
    text: parseText({ file, text, decimals, firstLine }, rows),
    isUndecodable: undecodableLine !== null,
    lostLine: lostLineIn(text, firstLine),
    rows: { csv: rows?.written() ?? new Uint8Array(), remarks: rows?.remarks() ?? null },
  }
}

function lostLineIn(text: string, firstLine: number): number | null {
  const at = text.indexOf('\ufffd')
  return at === -1 ? null : firstLine - 1 + [...linesIn(text.slice(0, at))].length
}
