/** Zip archives byte by byte, to make those that no program would write: workbooks, and archives that are traps. */
import { deflateRawSync } from 'node:zlib'

export interface CraftedEntry {
  readonly name: string | Buffer
  readonly data: string | Buffer
  /** Unix mode: 0o120777 is a link. */
  readonly mode?: number
  /** Bit 0: encrypted. */
  readonly flags?: number
  readonly deflated?: boolean
  /** What the directory states, where that is a lie. */
  readonly size?: number
  /** Says that its bytes are those of the entry with this number. */
  readonly sharing?: number
}

/** Entries are stored as they are, unless said otherwise. */
export const storedZip = (files: Readonly<Record<string, string | Buffer>>): Buffer =>
  craftedZip(Object.entries(files).map(([name, data]) => ({ name, data })))

export function craftedZip(entries: readonly CraftedEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let offset = 0
  for (const { data, mode = 0, flags = 0, deflated = false, size, sharing, ...entry } of entries) {
    const name = Buffer.from(entry.name as string)
    const bytes = Buffer.from(data as string)
    const packed = deflated ? deflateRawSync(bytes) : bytes
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0) // version needed
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(deflated ? 8 : 0, 4)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(size ?? bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE((mode << 16) >>> 0, 6)
    tail.writeUInt32LE(sharing === undefined ? offset : offsets[sharing]!, 10)
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), fields, tail, name)
    offsets.push(offset)
    if (sharing !== undefined) continue
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name, packed])
    locals.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, listed, Buffer.from('PK\x05\x06'), end])
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
