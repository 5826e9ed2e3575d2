/**
 * The parts of a workbook's zip archive, as streams. An archive that is made to do harm is refused before anything
 * is unpacked.
 */
import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'

export interface ZipEntry {
  readonly name: string
  /** Unpacked size in bytes, as the directory states it; where it is wrong, {@link chunks} throws. */
  readonly size: number
  /** The unpacked content. Throws where its size or CRC-32 differ from those stated. */
  readonly chunks: () => AsyncGenerator<Buffer>
}

/** Larger than any sheet of a million rows; a small file that expands to more is made to exhaust memory. */
const SIZE_LIMIT = 1024 ** 3
/** A workbook has a part for each sheet, chart and picture. */
const ENTRY_LIMIT = 10_000
/** Length of a local file header without its name (APPNOTE.TXT 4.3.7). */
const LOCAL_LENGTH = 30

/** Throws where the archive is truncated or encrypted, where entries overlap, or where it expands beyond the limit. */
export async function zipEntries(bytes: Buffer): Promise<ZipEntry[]> {
  // xlsx.ts compares names, since it knows how programs write them; yauzl would refuse a backslash.
  const zip = await yauzl.fromBufferPromise(bytes, { decodeStrings: false }).catch((problem: Error) => {
    throw /central directory/.test(problem.message) ? new Error('the file is cut off') : problem
  })
  if (zip.entryCount > ENTRY_LIMIT)
    throw new Error(`it holds ${zip.entryCount} parts; up to ${ENTRY_LIMIT} are read`)
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new Error('it is protected by a password')
    entries.push(entry)
  }
  refuseOverlaps(entries)
  const size = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (size > SIZE_LIMIT) throw new Error(`it unpacks to ${size} bytes; up to ${SIZE_LIMIT} are read`)
  return entries.map((entry) => ({
    name: nameOf(entry),
    size: entry.uncompressedSize,
    chunks: () => unpacked(zip, entry),
  }))
}

const nameOf = ({ fileNameRaw }: Entry): string => fileNameRaw.toString('utf8')

/** Entries that share bytes are how a few kilobytes become petabytes (D. Fifield, A better zip bomb, WOOT '19). */
function refuseOverlaps(entries: readonly Entry[]): void {
  const inOrder = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  const endOf = (entry: Entry): number =>
    entry.relativeOffsetOfLocalHeader + LOCAL_LENGTH + entry.fileNameRaw.length + entry.compressedSize
  let before: Entry | null = null
  for (const entry of inOrder) {
    if (before !== null && entry.relativeOffsetOfLocalHeader < endOf(before))
      throw new Error(`"${nameOf(before)}" and "${nameOf(entry)}" share their bytes`)
    before = entry
  }
}

/** yauzl checks the stated size but not the checksum. */
async function* unpacked(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      sum = crc32(chunk as Buffer, sum)
      yield chunk as Buffer
    }
  } catch {
    throw new Error(`"${nameOf(entry)}" is damaged`)
  }
  // A figure with a flipped bit would still look like a figure.
  if (sum !== entry.crc32) throw new Error(`"${nameOf(entry)}" is damaged`)
}
