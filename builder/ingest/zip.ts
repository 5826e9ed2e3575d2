/** The directory of a zip archive, read before anything is unpacked: what is in it, how large it becomes. */
import { inflateRawSync } from 'node:zlib'

export interface ZipEntry {
  readonly name: string
  readonly size: number
  readonly text: () => string
}

/** Larger than any sheet of a million rows; a small file that unpacks to more is made to exhaust memory. */
const SIZE_LIMIT = 1024 ** 3

/** APPNOTE.TXT 4.3.16: the end of the central directory, behind which only a comment of up to 65,535 bytes stands. */
const END = Buffer.from('PK\x05\x06')
const END_LENGTH = 22

/** Throws where the archive is cut off, encrypted, or unpacks to an absurd size. */
export function zipEntries(bytes: Buffer): ZipEntry[] {
  const end = bytes.lastIndexOf(END)
  if (end === -1 || end < bytes.length - END_LENGTH - 0xffff || end + END_LENGTH > bytes.length)
    throw new Error('the file is cut off')
  const entries: ZipEntry[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (at + 46 > end || bytes.toString('latin1', at, at + 4) !== 'PK\x01\x02')
      throw new Error('the directory of the archive is damaged')
    const nameLength = bytes.readUInt16LE(at + 28)
    entries.push(entryAt(bytes, at, bytes.toString('utf8', at + 46, at + 46 + nameLength)))
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (size > SIZE_LIMIT) throw new Error(`it unpacks to ${size} bytes; up to ${SIZE_LIMIT} are read`)
  return entries
}

function entryAt(bytes: Buffer, at: number, name: string): ZipEntry {
  if ((bytes.readUInt16LE(at + 8) & 1) === 1) throw new Error('it is protected by a password')
  const method = bytes.readUInt16LE(at + 10)
  const packed = bytes.readUInt32LE(at + 20)
  const size = bytes.readUInt32LE(at + 24)
  const local = bytes.readUInt32LE(at + 42)
  if (local + 30 > bytes.length) throw new Error(`"${name}" lies outside the archive`)
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
  const crc = bytes.readUInt32LE(at + 16)
  const text = () => {
    const unpacked = unpack(bytes.subarray(start, start + packed), method, size)
    // The reader of workbooks does not look at it, and a figure with a flipped bit is still a figure.
    if (unpacked?.length !== size || crc32(unpacked) !== crc) throw new Error(`"${name}" is damaged`)
    return unpacked.toString('utf8')
  }
  return { name, size, text }
}

function unpack(data: Buffer, method: number, size: number): Buffer | null {
  try {
    // A stated size that is a lie ends here, not in exhausted memory.
    return method === 0 ? data : inflateRawSync(data, { maxOutputLength: Math.max(size, 1) })
  } catch {
    return null
  }
}

/** CRC-32 of APPNOTE.TXT 4.4.7, a byte at a time. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  return crc
})

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!
  return ~crc >>> 0
}
