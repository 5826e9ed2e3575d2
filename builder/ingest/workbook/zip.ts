/** The directory of a zip archive, read before anything is unpacked, and its entries as streams (APPNOTE.TXT 6.3). */
import { createInflateRaw } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  /** Unpacked, in bytes, as the directory says; a lie about it ends {@link chunks} with an error. */
  readonly size: number
  /** The unpacked content. Throws where it is damaged: other than its size or its CRC-32. */
  readonly chunks: () => AsyncGenerator<Buffer>
}

/** Larger than any sheet of a million rows; a small file that unpacks to more is made to exhaust memory. */
const SIZE_LIMIT = 1024 ** 3
/** A workbook has a part for each sheet, chart and picture. */
const ENTRY_LIMIT = 10_000

/** 4.3.16: the end of the central directory, behind which only a comment of up to 65,535 bytes stands. */
const END = Buffer.from('PK\x05\x06')
const END_LENGTH = 22
const DIRECTORY_LENGTH = 46
const LOCAL_LENGTH = 30
/** 4.4.8: the value stands in the Zip64 extra field instead. */
const IN_ZIP64 = 0xffffffff

/** Throws where the archive is cut off, encrypted, folds entries into one another, or unpacks to an absurd size. */
export function zipEntries(bytes: Buffer): ZipEntry[] {
  const end = bytes.lastIndexOf(END)
  if (end === -1 || end < bytes.length - END_LENGTH - 0xffff || end + END_LENGTH > bytes.length)
    throw new Error('the file is cut off')
  const count = bytes.readUInt16LE(end + 10)
  if (count > ENTRY_LIMIT) throw new Error(`it holds ${count} parts; up to ${ENTRY_LIMIT} are read`)
  const found: Located[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let left = count; left > 0; left--) {
    if (at + DIRECTORY_LENGTH > end || bytes.toString('latin1', at, at + 4) !== 'PK\x01\x02')
      throw new Error('the directory of the archive is damaged')
    found.push(entryAt(bytes, at))
    at +=
      DIRECTORY_LENGTH +
      bytes.readUInt16LE(at + 28) +
      bytes.readUInt16LE(at + 30) +
      bytes.readUInt16LE(at + 32)
  }
  refuseOverlaps(found)
  const size = found.reduce((sum, entry) => sum + entry.size, 0)
  if (size > SIZE_LIMIT) throw new Error(`it unpacks to ${size} bytes; up to ${SIZE_LIMIT} are read`)
  return found
}

interface Located extends ZipEntry {
  readonly start: number
  readonly end: number
}

function entryAt(bytes: Buffer, at: number): Located {
  if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw new Error('it is protected by a password')
  const nameEnd = at + DIRECTORY_LENGTH + bytes.readUInt16LE(at + 28)
  const name = bytes.toString('utf8', at + DIRECTORY_LENGTH, nameEnd)
  const wide = zip64Fields(bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(at + 30)))
  // 4.5.3: only those values are in the extra field that are 0xFFFFFFFF here, in this order.
  const [size, packed, start] = [24, 20, 42].map((field) => {
    const value = bytes.readUInt32LE(at + field)
    return value === IN_ZIP64 ? (wide.shift() ?? value) : value
  }) as [number, number, number]
  const crc = bytes.readUInt32LE(at + 16)
  const method = bytes.readUInt16LE(at + 10)
  if (start + LOCAL_LENGTH > bytes.length || bytes.toString('latin1', start, start + 4) !== 'PK\x03\x04')
    throw new Error(`"${name}" lies outside the archive`)
  const data = start + LOCAL_LENGTH + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
  const end = data + packed
  if (end > bytes.length) throw new Error(`"${name}" lies outside the archive`)
  return {
    name,
    size,
    start,
    end,
    chunks: () => unpacked(bytes.subarray(data, end), method, { name, size, crc }),
  }
}

function zip64Fields(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    const field = extra.subarray(at + 4, at + 4 + length)
    if (extra.readUInt16LE(at) === 1)
      return Array.from({ length: Math.floor(field.length / 8) }, (_, i) =>
        Number(field.readBigUInt64LE(i * 8)),
      )
    at += 4 + length
  }
  return []
}

/** Entries that share their bytes are how a few kilobytes become petabytes (Fifield, "A better zip bomb"). */
function refuseOverlaps(entries: readonly Located[]): void {
  const inOrder = [...entries].sort((a, b) => a.start - b.start)
  for (const [i, entry] of inOrder.entries())
    if (i > 0 && entry.start < inOrder[i - 1]!.end)
      throw new Error(`"${inOrder[i - 1]!.name}" and "${entry.name}" share their bytes`)
}

async function* unpacked(
  data: Buffer,
  method: number,
  { name, size, crc }: { readonly name: string; readonly size: number; readonly crc: number },
): AsyncGenerator<Buffer> {
  let length = 0
  let sum = ~0
  try {
    for await (const chunk of method === 0 ? [data] : inflated(data)) {
      length += chunk.length
      // A stated size that is a lie ends here, not in exhausted memory.
      if (length > size) break
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw cause
    length = -1
  }
  // A figure with a flipped bit is still a figure.
  if (length !== size || ~sum >>> 0 !== crc) throw new Error(`"${name}" is damaged`)
}

function inflated(data: Buffer): AsyncIterable<Buffer> {
  const stream = createInflateRaw({ chunkSize: 256 * 1024 })
  stream.end(data)
  return stream
}

/** CRC-32 of 4.4.7, a byte at a time; `sum` is that of what stands before, inverted. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

function crc32(bytes: Buffer, sum: number): number {
  let crc = sum
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!
  return crc
}
