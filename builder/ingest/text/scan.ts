/** Reads a file of any size once, for its hash and encoding; and its text in chunks. */
import { isAscii, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileStream } from '../../system/effects.ts'
import { createReadStream } from '../../system/plain-file.ts'
import { type ScratchFolder, scratchFolder } from '../../system/scratch-folder.ts'
import { isParquet } from '../parquet/footer.ts'
import { decodeText, type Encoding, LatinText, wideEncoding } from './decode.ts'

const CHUNK = 1024 * 1024
const HEAD = 128 * 1024

export interface Scan {
  readonly bytes: number
  readonly sha256: string
  /** The first bytes, enough to recognise the format and to hold a header. All formats look at them, in each file. */
  readonly head: Buffer
  /** More of the beginning, for decisions that need many rows. */
  readonly sample: Buffer
  /** Detected from the whole file. */
  readonly encoding: Encoding
  /** The same of a format that comes from DOS, whose programs write CP437 (SIE). */
  readonly dosEncoding: Encoding
  /** Offset in bytes of the first letter that is UTF-8 in a text that as a whole is not; null where there is none. */
  readonly utf8InLatin: number | null
  /** Offset in bytes of the first line longer than {@link LONGEST_LINE}; null where there is none. */
  readonly longLine: number | null
  /** Two line ends follow each other somewhere; without that there is no blank row. */
  readonly mayHoldBlankRows: boolean
  /**
   * Some cell is not what DuckDB would read: a quote follows several blanks, a text is written as a formula (`="0100"`), or a byte
   * order mark stands in the middle, where two files were put together.
   */
  readonly hasOddCells: boolean
  /** A quote follows a tab somewhere; the same, where tabs are not delimiters. */
  readonly hasTabbedQuote: boolean
  /** Offset in bytes of the first U+FFFD, a letter that another program could not read; null where there is none. */
  readonly lostLetter: number | null
  /** Offset in bytes of the first zero byte, which only UTF-16 text has; null where there is none. */
  readonly zeroByte: number | null
}

/** Of a table's lines, in bytes. DuckDB has the same limit, but drops a last line of 2 GB without an error. */
export const LONGEST_LINE = 16 * 1024 * 1024

export async function scanFile(path: string): Promise<Scan> {
  const hash = createHash('sha256')
  let bytes = 0
  let sample: Buffer = Buffer.alloc(0)
  let wide: Encoding | null = null
  let isText = true
  let isUtf = true
  let isAllAscii = true
  let open: Buffer = Buffer.alloc(0)
  let lineStart = 0
  let longLine: number | null = null
  let mayHoldBlankRows = false
  let hasOddCells = false
  let hasTabbedQuote = false
  let last: Buffer = Buffer.alloc(0)
  let lostLetter: number | null = null
  let zeroByte: number | null = null
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (bytes === 0) {
      sample = chunk
      wide = wideEncoding(chunk)
      isText = !isParquet(chunk)
    }
    if (!isText) {
      bytes += chunk.length
      continue
    }
    // Between two line ends of one chunk there is no room for such a line.
    const firstEnd = lineEndIn(chunk)
    if (longLine === null && bytes + (firstEnd === -1 ? chunk.length : firstEnd) - lineStart > LONGEST_LINE)
      longLine = lineStart
    // A byte is found in half the time of several, and most files have neither quotes nor CR.
    const hasCr = chunk.includes(CR)
    const hasQuote = chunk.includes(QUOTE)
    if (firstEnd !== -1)
      lineStart = bytes + Math.max(chunk.lastIndexOf(LF), hasCr ? chunk.lastIndexOf(CR) : -1) + 1
    const seam = Buffer.concat([last, chunk.subarray(0, ACROSS)])
    const { odd, tabbed, mark } = wide === null ? NARROW : WIDE
    mayHoldBlankRows ||= hasTwoLineEnds(seam) || (hasCr ? hasTwoLineEnds(chunk) : chunk.includes(TWO_FEEDS))
    const [begin, body] =
      bytes === 0 ? [seam.subarray(FIRST_MARK), chunk.subarray(FIRST_MARK)] : [seam, chunk]
    hasOddCells ||=
      holds(seam, odd) || (hasQuote && holds(chunk, odd)) || holds(begin, mark) || holds(body, mark)
    hasTabbedQuote ||= holds(seam, tabbed) || (hasQuote && holds(chunk, tabbed))
    if (zeroByte === null && chunk.includes(0)) zeroByte = bytes + chunk.indexOf(0)
    lostLetter ??= lostIn(last, chunk, bytes)
    last = chunk.subarray(-ACROSS)
    bytes += chunk.length
    isAllAscii &&= isAscii(chunk)
    if (wide !== null || !isUtf || isAllAscii) continue
    const text = open.length === 0 ? chunk : Buffer.concat([open, chunk])
    const whole = wholeCharacters(text)
    open = text.subarray(whole)
    isUtf = isUtf8(text.subarray(0, whole))
  }
  const latin = wide === null && !(isUtf && isUtf8(open)) ? await latinText(path) : null
  return {
    bytes,
    head: sample.subarray(0, HEAD),
    sample,
    encoding: wide ?? latin?.encoding ?? 'utf-8',
    dosEncoding: wide ?? latin?.dosEncoding ?? (isAllAscii ? 'cp437' : 'utf-8'),
    utf8InLatin: latin?.utf8At ?? null,
    longLine,
    mayHoldBlankRows,
    hasOddCells,
    hasTabbedQuote,
    lostLetter,
    zeroByte,
    sha256: hash.digest('hex'),
  }
}

/**
 * Reads the file a second time, because a text may show only at its end that it is not UTF-8, while its beginning
 * shows the encoding.
 */
async function latinText(path: string): Promise<LatinText> {
  const text = new LatinText()
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>)
    text.add(chunk)
  return text
}

const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22
const TWO_FEEDS = Buffer.from('\n\n')
const TWO_LINE_ENDS = ['\n\n', '\n\r', '\r\r'].map((ends) => Buffer.from(ends))
/** What makes cells odd, as its bytes. */
const quotesIn = (bytesOf: (text: string) => readonly Buffer[]) => ({
  odd: [...bytesOf('  "'), ...bytesOf('="')],
  tabbed: [...bytesOf('\t"'), ...bytesOf('\t "')],
  mark: bytesOf('\ufeff'),
})
const NARROW = quotesIn((text) => [Buffer.from(text)])
const WIDE = quotesIn((text) => [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()])
/** The byte order mark at the beginning of a file has up to three bytes. */
const FIRST_MARK = 3
/** Bytes on each side of the seam between two chunks: no text that is looked for has more than six. */
const ACROSS = 5
const holds = (bytes: Buffer, some: readonly Buffer[]): boolean => some.some((one) => bytes.includes(one))
const hasTwoLineEnds = (bytes: Buffer): boolean => holds(bytes, TWO_LINE_ENDS)

const LOST = Buffer.from('\ufffd')

function lostIn(before: Buffer, chunk: Buffer, offset: number): number | null {
  const across = Buffer.concat([before, chunk.subarray(0, 2)]).indexOf(LOST)
  if (across !== -1) return offset - before.length + across
  const at = chunk.indexOf(LOST)
  return at === -1 ? null : offset + at
}

function lineEndIn(chunk: Buffer): number {
  const lf = chunk.indexOf(LF)
  return lf === -1 ? chunk.indexOf(CR) : lf
}

/** The row of the line that begins at `offset`, from 1. */
export async function rowAt(path: string, offset: number): Promise<number> {
  let row = 1
  if (offset === 0) return row
  for await (const chunk of createReadStream(path, { end: offset - 1 }) as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) row++
  return row
}

/** Length of `bytes` without an incomplete UTF-8 character at the end of a chunk. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.readUInt8(bytes.length - back)
    if (byte < 0x80) break
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0
    if (needs > 0) return needs > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** A temporary folder for copies and files of importers, made when the first is needed. */
export class Scratch {
  #folder: ScratchFolder | null = null
  #files = 0

  /** A path for a file that does not exist yet. */
  async file(): Promise<string> {
    this.#folder ??= scratchFolder('read')
    return join(this.#folder.path, `${this.#files++}.csv`)
  }

  /** Writes what an importer made of its source, and returns the file's path. */
  async written(chunks: AsyncIterable<string | Buffer>): Promise<string> {
    const copy = await this.file()
    await pipeline(chunks, fileStream(copy, 0o600))
    return copy
  }

  async dispose(): Promise<void> {
    this.#folder?.remove()
    this.#folder = null
  }
}

/** Text in chunks. */
async function* decodeChunks(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<string> {
  // All other encodings have one byte for each character, so that a chunk cannot end inside one.
  const wide = encoding.startsWith('utf-') ? new TextDecoder(encoding) : null
  for await (const chunk of chunks)
    yield wide ? wide.decode(chunk, { stream: true }) : decodeText(chunk, encoding).text
}

/** The text of a file, so many bytes at once. */
export const textOf = (path: string, encoding: Encoding, bytes = CHUNK): AsyncIterable<string> =>
  decodeChunks(createReadStream(path, { highWaterMark: bytes }) as AsyncIterable<Buffer>, encoding)
