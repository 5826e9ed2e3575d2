/** Zip archives byte by byte, to make those that no program would write: workbooks, and archives that are traps. */
import { crc32, deflateRawSync } from 'node:zlib'

/** What a header of an entry states of it (APPNOTE.TXT 4.3.7). */
export interface CraftedHeader {
  readonly flags: number
  readonly method: number
  readonly time: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
  /** Extra fields, as bytes. */
  readonly fields: Buffer
}

export interface CraftedEntry {
  readonly name: string | Buffer
  readonly data: string | Buffer
  /** Unix mode: 0o120777 is a link. */
  readonly mode?: number
  /** The lower half of the attributes, those of DOS. */
  readonly attributes?: number
  /** Bit 0: encrypted. */
  readonly flags?: number
  readonly deflated?: boolean
  /** What a program must be able to do to unpack it: 20 is deflate. */
  readonly version?: number
  /** The program that wrote it ran there: 3 is Unix. */
  readonly host?: number
  /** Further bytes that belong to the packed content. */
  readonly behind?: string
  /** What both headers state, where that is a lie. */
  readonly stated?: Partial<CraftedHeader>
  /** What only the header before the content states. */
  readonly local?: Partial<CraftedHeader>
  /** What follows the content. */
  readonly descriptor?: Buffer
  readonly comment?: string
  /** Says that its bytes are those of the entry with this number. */
  readonly sharing?: number
}

/** Entries are stored as they are, unless said otherwise. */
export const storedZip = (files: Readonly<Record<string, string | Buffer>>): Buffer =>
  craftedZip(Object.entries(files).map(([name, data]) => ({ name, data })))

/** An extra field: its number, and what it holds. */
export const field = (id: number, data: string | Buffer): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(id, 0)
  head.writeUInt16LE(data.length, 2)
  return Buffer.concat([head, Buffer.from(data as string)])
}

const UTF8 = 0x800

export function craftedZip(entries: readonly CraftedEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let offset = 0
  for (const { data, deflated = false, sharing, host = 3, ...entry } of entries) {
    const name = Buffer.from(entry.name as string)
    const bytes = Buffer.from(data as string)
    const packed = Buffer.concat([deflated ? deflateRawSync(bytes) : bytes, Buffer.from(entry.behind ?? '')])
    const header: CraftedHeader = {
      flags: (entry.flags ?? 0) | (name.some((byte) => byte > 0x7f) ? UTF8 : 0),
      method: deflated ? 8 : 0,
      time: 0,
      crc: crc32(bytes),
      packedSize: packed.length,
      size: bytes.length,
      fields: Buffer.alloc(0),
      ...entry.stated,
    }
    const comment = Buffer.from(entry.comment ?? '')
    const tail = Buffer.alloc(14)
    tail.writeUInt16LE(comment.length, 0)
    tail.writeUInt32LE((((entry.mode ?? 0) << 16) | (entry.attributes ?? 0)) >>> 0, 6)
    tail.writeUInt32LE(sharing === undefined ? offset : offsets[sharing]!, 10)
    const head = [Buffer.from('PK\x01\x02'), Buffer.from([20, host]), headerOf(header, name, entry.version)]
    directory.push(...head, tail, name, header.fields, comment)
    offsets.push(offset)
    if (sharing !== undefined) continue
    const own = { ...header, ...entry.local }
    const local = [Buffer.from('PK\x03\x04'), headerOf(own, name, entry.version), name, own.fields, packed]
    if (entry.descriptor) local.push(entry.descriptor)
    locals.push(...local)
    for (const { length } of local) offset += length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, listed, Buffer.from('PK\x05\x06'), end])
}

function headerOf(header: CraftedHeader, name: Buffer, version = 20): Buffer {
  const bytes = Buffer.alloc(26)
  bytes.writeUInt16LE(version, 0)
  bytes.writeUInt16LE(header.flags, 2)
  bytes.writeUInt16LE(header.method, 4)
  bytes.writeUInt32LE(header.time, 6)
  bytes.writeUInt32LE(header.crc, 10)
  bytes.writeUInt32LE(header.packedSize, 14)
  bytes.writeUInt32LE(header.size, 18)
  bytes.writeUInt16LE(name.length, 22)
  bytes.writeUInt16LE(header.fields.length, 24)
  return bytes
}

/** What follows an entry whose header does not state its sizes (APPNOTE.TXT 4.3.9). */
export function descriptorOf(data: string | Buffer, packedSize = data.length): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.write('PK\x07\x08', 'latin1')
  bytes.writeUInt32LE(crc32(Buffer.from(data as string)), 4)
  bytes.writeUInt32LE(packedSize, 8)
  bytes.writeUInt32LE(data.length, 12)
  return bytes
}
