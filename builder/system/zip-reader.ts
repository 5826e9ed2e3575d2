/**
 * Reads zip files entry by entry, never as a whole: the one reader of archives and of workbooks. Content that differs from what
 * the directory states of it is an error. Besides {@link wrongHeaders}, which knows its types, only this file imports yauzl.
 */
import { closeSync, fstatSync, read as readFd } from 'node:fs'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, createInflateRaw } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { openFile } from './plain-file.ts'
import { DESCRIPTORS, hasDescriptor, inQuotes, isDescriptor, wrongEnd, wrongHeaders } from './zip-headers.ts'

export type { Entry }

/** Names are taken as bytes, because yauzl stops at the first invalid one, refuses a backslash and guesses at old code pages. */
const OPTIONS = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true }
const STORED = 0

const readAt = promisify(readFd)

export const entryName = ({ fileNameRaw }: Entry): string => fileNameRaw.toString('utf8')

type Read = (at: number, length: number) => Promise<Buffer>

export class ZipReader {
  readonly count: number
  /** Size of the zip in bytes. */
  readonly size: number
  readonly #zip: ZipFile
  readonly #read: Read
  readonly #begin: number

  private constructor(zip: ZipFile, size: number, read: Read) {
    this.count = zip.entryCount
    this.size = size
    this.#zip = zip
    this.#read = read
    this.#begin = this.#cursor
  }

  /** Opens a file; the caller closes the reader. Errors of yauzl have no code. */
  static async ofFile(path: string): Promise<ZipReader> {
    const file = openFile(path)
    try {
      const read = async (at: number, length: number) => {
        const { bytesRead, buffer } = await readAt(file, Buffer.alloc(length), 0, length, at)
        return buffer.subarray(0, bytesRead)
      }
      return new ZipReader(await yauzl.fromFdPromise(file, OPTIONS), fstatSync(file).size, read)
    } catch (problem) {
      closeSync(file)
      throw problem
    }
  }

  static async ofBytes(bytes: Buffer): Promise<ZipReader> {
    const read = async (at: number, length: number) => bytes.subarray(at, at + length)
    return new ZipReader(await yauzl.fromBufferPromise(bytes, OPTIONS), bytes.length, read)
  }

  /** The offset at which yauzl reads the directory next: before the first entry its beginning, after the last one its end. */
  get #cursor(): number {
    return (this.#zip as unknown as { readonly readEntryCursor: number }).readEntryCursor
  }

  async entries(): Promise<Entry[]> {
    const entries: Entry[] = []
    for await (const entry of this.#zip.eachEntry()) entries.push(entry)
    return entries
  }

  /**
   * What makes the zip unpack to other files in other programs; null if nothing does. `entries` are all of them, in the order
   * read. In a `strict` zip every byte must belong to the directory or to an entry that it lists, and nothing is there that is
   * not known. Entries that share bytes are how a few kilobytes become petabytes (D. Fifield, A better zip bomb, WOOT '19).
   */
  async wrongWith(entries: readonly Entry[], strict: boolean): Promise<string | null> {
    const comment = this.#zip.comment.length
    if (strict && comment > 0) return 'the zip has a comment, in which anything can be hidden'
    const end = this.#cursor
    const place = { begin: this.#begin, end, count: this.count }
    const ends = wrongEnd(await this.#read(end, this.size - end), place, comment)
    if (ends !== null) return ends
    const inOrder = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
    if (strict && (inOrder[0]?.relativeOffsetOfLocalHeader ?? 0) > 0)
      return 'before the first entry of the zip something is hidden'
    for (const [i, entry] of inOrder.entries()) {
      const local = await this.#zip.readLocalFileHeaderPromise(entry)
      const wrong = wrongHeaders(entry, local, strict)
      if (wrong !== null) return `${inQuotes(entryName(entry))} ${wrong}`
      const after = local.fileDataStart + entry.compressedSize
      const next = inOrder[i + 1]
      const gap = (next?.relativeOffsetOfLocalHeader ?? this.#begin) - after
      if (gap < 0)
        return `${inQuotes(entryName(entry))} and ${next ? inQuotes(entryName(next)) : 'the directory'} share their bytes: they lie upon each other`
      if (strict && !(await this.#isSoundGap(entry, after, gap)))
        return `behind ${inQuotes(entryName(entry))} are bytes that are not what its headers say: something is hidden`
    }
    return null
  }

  async #isSoundGap(entry: Entry, at: number, length: number): Promise<boolean> {
    if (!hasDescriptor(entry)) return length === 0
    return DESCRIPTORS.includes(length) && isDescriptor(await this.#read(at, length), entry)
  }

  /** The unpacked content of an entry. Throws where it differs from what the directory states, or where its bytes hold more. */
  async *content(entry: Entry): AsyncGenerator<Buffer> {
    if (!entry.canDecodeFileData()) throw new Error('it is packed in a way that is not read')
    const raw = await this.#zip.openReadStreamPromise(entry, { decodeFileData: false })
    const inflate = entry.compressionMethod === STORED ? null : createInflateRaw()
    const stream = inflate ? pipeline(raw, inflate, () => {}) : raw
    const ends = hasDescriptor(entry) && inflate === null ? new EndsWithin() : null
    let [sum, size] = [0, 0]
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      size += chunk.length
      if (size > entry.uncompressedSize) throw new Error('too many bytes: it states fewer')
      if (ends?.isIn(chunk))
        throw new Error('it ends twice, for programs that read the zip from its beginning')
      yield chunk
    }
    if (size < entry.uncompressedSize) throw new Error('not enough bytes: it states more')
    if (sum !== entry.crc32) throw new Error('it has another checksum than it states')
    if (inflate && inflate.bytesWritten < entry.compressedSize)
      throw new Error('something is hidden behind its content')
  }

  close(): void {
    this.#zip.close()
  }
}

/**
 * Looks for a data descriptor within content that is stored as it is. A program that reads such an entry without knowing its
 * size takes the first one that states as many bytes as were before it for the end.
 */
class EndsWithin {
  #kept = Buffer.alloc(0)
  #before = 0

  isIn(chunk: Buffer): boolean {
    const bytes = Buffer.concat([this.#kept, chunk])
    const isEnd = (at: number) => bytes.readUInt32LE(at + 8) === (this.#before + at) % 2 ** 32
    let at = bytes.indexOf(SIGNATURE)
    while (at >= 0 && at + 12 <= bytes.length && !isEnd(at)) at = bytes.indexOf(SIGNATURE, at + 1)
    if (at >= 0 && at + 12 <= bytes.length) return true
    const keep = Math.min(11, bytes.length)
    this.#before += bytes.length - keep
    this.#kept = bytes.subarray(bytes.length - keep)
    return false
  }
}

const SIGNATURE = 'PK\x07\x08'
