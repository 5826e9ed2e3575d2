/**
 * Cuts a delimited file between records into smaller files, which several threads can read. A record ends as delimited.ts says,
 * but here bytes are searched, because nothing of a record is wanted but its end.
 */
import { createReadStream } from '../../workspace/plain-file.ts'
import { markLength } from './decode.ts'
import { LONGEST_LINE, type Scratch } from './scan.ts'

export interface FilePart {
  readonly path: string
  /** The number of records of the file that stand above, a header included. */
  readonly above: number
  /** The number of records in the part; NaN where they were not counted. */
  readonly records: number
}

/** How a file is cut. */
export interface Cut {
  /** One letter of ASCII. */
  readonly delimiter: string
  /** Records that the first part has in addition: 1 for a header. */
  readonly headers: number
  /** A part has a multiple of so many records; the last part has what is left. */
  readonly multiple: number
  /** A part ends at the first multiple at which it has so many bytes. */
  readonly bytes: number
}

/**
 * Writes the parts into `scratch`, each when it is asked for. From where records end in another way (LF, CR LF) or one is too long,
 * or a part would begin with a byte order mark, nothing is looked for any more: the rest is one part, of which the number of records is NaN.
 */
export async function* filePartsOf(path: string, cut: Cut, scratch: Scratch): AsyncGenerator<FilePart> {
  const records = new RecordReader(path, cut.delimiter)
  let above = 0
  try {
    while (!(await records.areAllRead())) {
      if (above > 0) await records.leaveUncutIfMarked()
      const headers = above === 0 ? cut.headers : 0
      const part = { records: -headers, bytes: 0 }
      const written = await scratch.written(partFrom(records, part, cut))
      yield { path: written, above, records: part.records + headers }
      above += part.records + headers
    }
  } finally {
    await records.close()
  }
}

async function* partFrom(
  records: RecordReader,
  part: { records: number; bytes: number },
  { multiple, bytes }: Cut,
): AsyncGenerator<Buffer> {
  while (part.records <= 0 || part.bytes < bytes || part.records % multiple !== 0) {
    const found = await records.next(multiple - (part.records % multiple))
    if (found === null) return
    part.records += found.records
    part.bytes += found.bytes.length
    yield found.bytes
  }
}

/** Reads whole records from a file. */
class RecordReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #delimiter: number
  #open: Buffer = Buffer.alloc(0)
  #isAtEnd = false
  #endsWithCr: boolean | null = null
  #isUncut = false

  constructor(path: string, delimiter: string) {
    const stream = createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#delimiter = delimiter.charCodeAt(0)
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async areAllRead(): Promise<boolean> {
    if (this.#open.length === 0) await this.#more()
    return this.#isAtEnd && this.#open.length === 0
  }

  /** DuckDB leaves a byte order mark out at the beginning of a file, in which the part would not be what it is in the whole. */
  async leaveUncutIfMarked(): Promise<void> {
    if (this.#open.length < MARK_BYTES) await this.#more()
    this.#isUncut ||= markLength(this.#open) > 0
  }

  /** The next records, at most `most`; null at the end of the file. */
  async next(most: number): Promise<{ readonly bytes: Buffer; readonly records: number } | null> {
    for (;;) {
      const { records, end } = this.#isUncut
        ? { records: Number.NaN, end: this.#open.length }
        : this.#whole(most)
      if (end > 0) return { bytes: this.#take(end), records }
      if (this.#isAtEnd)
        return this.#open.length === 0 ? null : { bytes: this.#take(this.#open.length), records: 1 }
      if (this.#open.length > LONGEST_LINE) this.#isUncut = true
      else await this.#more()
    }
  }

  #take(end: number): Buffer {
    const taken = this.#open.subarray(0, end)
    this.#open = this.#open.subarray(end)
    return taken
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next()
    if (done) this.#isAtEnd = true
    else this.#open = this.#open.length === 0 ? value : Buffer.concat([this.#open, value])
  }

  /** The number of records that are whole in what was read, and where the last one ends. */
  #whole(most: number): { readonly records: number; readonly end: number } {
    const bytes = this.#open
    let records = 0
    let end = 0
    let at = 0
    let quote = bytes.indexOf(QUOTE)
    while (records < most) {
      const lineEnd = bytes.indexOf(LF, at)
      if (lineEnd === -1) break
      if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at)
      if (quote !== -1 && quote < lineEnd) {
        at = this.#opensCell(quote, end) ? this.#behindQuotes(quote) : quote + 1
        if (at === 0) break
        continue
      }
      if (!this.#endsAsOthers(lineEnd)) break
      records++
      at = end = lineEnd + 1
    }
    return { records, end }
  }

  /** Whether a quote of a record that begins at `start` stands at the start of a cell, also after blanks. */
  #opensCell(quote: number, start: number): boolean {
    let at = quote
    while (at > start && this.#isBlank(this.#open[at - 1])) at--
    return at === start || this.#open[at - 1] === this.#delimiter
  }

  #isBlank(byte: number | undefined): boolean {
    return byte === BLANK || (byte === TAB && this.#delimiter !== TAB)
  }

  /** Where the quotes that open at `quote` are closed, which is behind the closing one; 0 where that is not read yet. */
  #behindQuotes(quote: number): number {
    for (let at = quote + 1; ; at += 2) {
      at = this.#open.indexOf(QUOTE, at)
      if (at === -1 || at + 1 === this.#open.length) return 0
      if (this.#open[at + 1] !== QUOTE) return at + 1
    }
  }

  #endsAsOthers(lineEnd: number): boolean {
    const hasCr = lineEnd > 0 && this.#open[lineEnd - 1] === CR
    this.#endsWithCr ??= hasCr
    this.#isUncut ||= hasCr !== this.#endsWithCr
    return !this.#isUncut
  }
}

const MARK_BYTES = 3
const LF = 0x0a
const CR = 0x0d
const QUOTE = 0x22
const BLANK = 0x20
const TAB = 0x09
