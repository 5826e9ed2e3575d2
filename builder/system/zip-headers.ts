/**
 * Judges what the headers of a zip say. Each entry has two of them, and programs differ in which one they believe: a
 * zip may unpack to other files elsewhere than here unless both agree. Sections are those of APPNOTE.TXT 6.3.10.
 */
import type { Entry, LocalFileHeader } from 'yauzl'

/** Bit 0 (4.4.4): the content is encrypted. */
const ENCRYPTED = 1
/** Bit 3: checksum and sizes stand in a data descriptor behind the content. */
const HAS_DESCRIPTOR = 8
/** Bit 11: the name is UTF-8, and not in a code page of the reader's choice. */
const UTF8 = 0x800
/** The flags that an entry may have. Bits 1 and 2 only say how hard the program tried to compress. */
const KNOWN_FLAGS = 0b110 | HAS_DESCRIPTOR | UTF8
/**
 * The systems on which a zip may be made (4.4.2): DOS, Unix, Windows, VFAT, macOS. Names of VMS end with a version,
 * which unzip cuts off.
 */
const SYSTEMS = [0, 3, 10, 14, 19]

/** What a program must be able to do (4.4.3): deflate, folders, and zips of 64 bits. Programs skip entries that ask for more. */
const NEWEST_VERSION = 45

/** In a header a size of all ones stands in the field ZIP64 (4.5.3). */
const ALL_ONES = 0xffffffff
const ZIP64 = 0x0001
const NTFS_TIMES = 0x000a
const UNIX_TIMES = 0x5455
const UNIX_OWNER = 0x7875
/** By this field, which is empty, `jar` marks the first entry of what it packs. */
const OF_JAR = 0xcafe
/** The field whose name some programs give to the unpacked entry (4.6.9). */
const UNICODE_PATH = 0x7075

export const hasDescriptor = ({ generalPurposeBitFlag }: Entry): boolean =>
  (generalPurposeBitFlag & HAS_DESCRIPTOR) !== 0

const MOST_QUOTED = 300
/** A name between quotation marks; of one that is longer than names of files are, the beginning alone. */
export const inQuotes = (name: string): string =>
  `"${name.length > MOST_QUOTED ? `${name.slice(0, MOST_QUOTED)}…` : name}"`

/**
 * What is wrong with the two headers of an entry, in words that follow its name; null if nothing is. Of a `strict` zip each word
 * must be known and agree; of another one, that which decides what is read.
 */
export function wrongHeaders(entry: Entry, local: LocalFileHeader, strict: boolean): string | null {
  const own = fieldsOf(local.extraField)
  const listed = fieldsOf(entry.extraFieldRaw)
  // Some programs fill fields up with zeros, to align what follows.
  if (own === null || listed === null)
    return strict ? 'has fields that cannot be read' : wrongStatements(entry, local, undefined, strict)
  if (own.has(UNICODE_PATH) || listed.has(UNICODE_PATH)) return differing(UNICODE_PATH)
  return (
    wrongStatements(entry, local, own.get(ZIP64), strict) ??
    (strict ? wrongDetails(entry, local) : null) ??
    (strict ? wrongFields(own, listed) : null)
  )
}

function wrongStatements(
  entry: Entry,
  local: LocalFileHeader,
  zip64: Buffer | undefined,
  strict: boolean,
): string | null {
  const other = (what: string) =>
    `has another ${what} in the zip itself than in its directory, so that programs unpack other content`
  if (!local.fileName.equals(entry.fileNameRaw))
    return `has another name in the zip itself than in its directory: ${inQuotes(String(local.fileName))}`
  if (local.compressionMethod !== entry.compressionMethod) return other('method of packing')
  if ((local.generalPurposeBitFlag & ENCRYPTED) !== (entry.generalPurposeBitFlag & ENCRYPTED))
    return other('mark of encryption')
  const mayBeZero = !strict || hasDescriptor(entry)
  const agrees = (stated: number, listed: number) => stated === listed || (mayBeZero && stated === 0)
  // Some programs believe both numbers of ZIP64 as soon as one size is all ones, others the first number for that size.
  const isWide = (value: number): boolean => value === ALL_ONES && zip64?.length === 16
  const sizeAgrees = (value: number, at: number, listed: number): boolean =>
    (isWide(value) || agrees(value, listed)) &&
    (zip64?.length !== 16 || agrees(Number(zip64.readBigUInt64LE(at)), listed))
  if (!agrees(local.crc32, entry.crc32)) return other('checksum')
  if (!sizeAgrees(local.uncompressedSize, 0, entry.uncompressedSize)) return other('size')
  if (!sizeAgrees(local.compressedSize, 8, entry.compressedSize)) return other('packed size')
  if (isWide(local.uncompressedSize) !== isWide(local.compressedSize)) return other('size')
  return null
}

function wrongDetails(entry: Entry, local: LocalFileHeader): string | null {
  const flags = entry.generalPurposeBitFlag
  const system = entry.versionMadeBy >>> 8
  if (local.generalPurposeBitFlag !== flags) return 'has other flags in the zip itself than in its directory'
  if ((flags & ~KNOWN_FLAGS) !== 0) return `has flags 0x${flags.toString(16)}, which are not known here`
  if (local.lastModFileTime !== entry.lastModFileTime || local.lastModFileDate !== entry.lastModFileDate)
    return 'has another time in the zip itself than in its directory'
  if ((flags & UTF8) === 0 && entry.fileNameRaw.some((byte) => byte > 0x7f))
    return 'is not marked as UTF-8, so that programs unpack it under other names'
  const version = entry.versionNeededToExtract & 0xff
  if (version > NEWEST_VERSION) return `asks for version ${version}, so that some programs do not unpack it`
  if (!SYSTEMS.includes(system)) return `is of system ${system}, whose names other programs change`
  if (entry.fileCommentRaw.length > 0) return 'has a comment, in which anything can be hidden'
  return null
}

type Fields = ReadonlyMap<number, Buffer>

/** The extra fields of a header (4.5.1), by their numbers; null where they are not whole, or one is there twice. */
function fieldsOf(raw: Buffer): Fields | null {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at < raw.length; ) {
    if (raw.length - at < 4) return null
    const [id, length] = [raw.readUInt16LE(at), raw.readUInt16LE(at + 2)]
    const data = raw.subarray(at + 4, at + 4 + length)
    if (data.length < length || fields.has(id)) return null
    fields.set(id, data)
    at += 4 + length
  }
  return fields
}

/** Fields with sizes, times and owners are what zipping again adds; in any other something can be hidden. */
function wrongFields(own: Fields, listed: Fields): string | null {
  const wrong = [...new Set([...own.keys(), ...listed.keys()])].find(
    (id) => !SOUND_FIELDS.get(id)?.(own.get(id) ?? null, listed.get(id) ?? null),
  )
  return wrong === undefined ? null : differing(wrong)
}

const differing = (id: number): string =>
  `has the field 0x${id.toString(16).padStart(4, '0')}, in which something can be hidden, or in its two headers with other content`

type Judge = (own: Buffer | null, listed: Buffer | null) => boolean
const SOUND_FIELDS: ReadonlyMap<number, Judge> = new Map<number, Judge>([
  // Info-ZIP writes the time of the last access before the content alone.
  [
    UNIX_TIMES,
    (own, listed) =>
      own !== null &&
      listed !== null &&
      [5, 9, 13].includes(own.length) &&
      own.subarray(1, listed.length).equals(listed.subarray(1)),
  ],
  [UNIX_OWNER, (own, listed) => own?.length === 11 && listed !== null && own.equals(listed)],
  // 7-Zip writes it in the directory alone.
  [NTFS_TIMES, (own, listed) => listed?.length === 32 && (own === null || own.equals(listed))],
  [OF_JAR, (own, listed) => !own?.length && !listed?.length],
  [ZIP64, (own, listed) => (own?.length ?? 16) === 16 && [8, 16, 24].includes(listed?.length ?? 8)],
])

/** Sizes of a data descriptor (4.3.9): with and without a signature, with sizes of 32 and 64 bits. */
export const DESCRIPTORS: readonly number[] = [12, 16, 20, 24]

/** Whether bytes with one of these sizes are the data descriptor of an entry. */
export function isDescriptor(bytes: Buffer, { crc32, compressedSize, uncompressedSize }: Entry): boolean {
  const isWide = bytes.length >= 20
  const isSigned = bytes.length % 8 === 0
  const body = bytes.subarray(isSigned ? 4 : 0)
  const number = (at: number): number => (isWide ? Number(body.readBigUInt64LE(at)) : body.readUInt32LE(at))
  return (
    (!isSigned || bytes.readUInt32LE(0) === 0x08074b50) &&
    body.readUInt32LE(0) === crc32 &&
    number(4) === compressedSize &&
    number(isWide ? 12 : 8) === uncompressedSize
  )
}

/** The directory of a zip: where it begins and ends, and how many entries it lists. */
interface DirectoryPlace {
  readonly begin: number
  readonly end: number
  readonly count: number
}

/** Length of the end record without a comment (4.3.16), and of the records before it in a zip of 64 bits (4.3.14, 4.3.15). */
const END = 22
const WIDE_ENDS = 56 + 20

/**
 * What is wrong with the bytes behind the directory; null if nothing is. Some programs find the directory by its size, counted
 * back from here, and others by its offset: all that is stated must be so.
 */
export function wrongEnd(bytes: Buffer, place: DirectoryPlace, comment: number): string | null {
  const isWide = bytes.length - comment === WIDE_ENDS + END
  if (!isWide && bytes.length - comment !== END)
    return 'the directory of the zip does not end where the zip does: something is hidden beside it'
  const { begin, end, count } = place
  const size = end - begin
  const record = bytes.subarray(isWide ? WIDE_ENDS : 0)
  const is = (stated: number, value: number, ones: number) => stated === value || (isWide && stated === ones)
  const agrees =
    record.readUInt32LE(4) === 0 &&
    is(record.readUInt16LE(8), count, 0xffff) &&
    is(record.readUInt16LE(10), count, 0xffff) &&
    is(record.readUInt32LE(12), size, ALL_ONES) &&
    is(record.readUInt32LE(16), begin, ALL_ONES) &&
    (!isWide || agreesWidely(bytes, place))
  return agrees ? null : 'the end of the zip states another directory than the one before it'
}

function agreesWidely(bytes: Buffer, { begin, end, count }: DirectoryPlace): boolean {
  const number = (at: number) => Number(bytes.readBigUInt64LE(at))
  return (
    number(4) === 44 &&
    number(16) === 0 &&
    number(24) === count &&
    number(32) === count &&
    number(40) === end - begin &&
    number(48) === begin &&
    bytes.readUInt32LE(60) === 0 &&
    number(64) === end &&
    bytes.readUInt32LE(72) === 1
  )
}
