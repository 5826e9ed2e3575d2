/**
 * The parts of a workbook's zip archive, as streams. An archive that is made to do harm is refused before anything
 * is unpacked.
 */
import { type Entry, nameOf, ZipReader } from '../../workspace/zip-reader.ts'

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

/**
 * Throws where the archive is truncated or encrypted, where its headers contradict each other, where entries overlap, or where it
 * expands beyond the limit.
 */
export async function zipEntries(bytes: Buffer): Promise<ZipEntry[]> {
  const zip = await ZipReader.ofBytes(bytes).catch((problem: Error) => {
    throw /central directory/.test(problem.message) ? new Error('the file is cut off') : problem
  })
  if (zip.count > ENTRY_LIMIT) throw new Error(`it holds ${zip.count} parts; up to ${ENTRY_LIMIT} are read`)
  const entries = await zip.entries()
  if (entries.some((entry) => entry.isEncrypted())) throw new Error('it is protected by a password')
  const wrong = await zip.wrongWith(entries, false)
  if (wrong !== null) throw new Error(wrong)
  const size = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  if (size > SIZE_LIMIT) throw new Error(`it unpacks to ${size} bytes; up to ${SIZE_LIMIT} are read`)
  return entries.map((entry) => ({
    name: nameOf(entry),
    size: entry.uncompressedSize,
    chunks: () => unpacked(zip, entry),
  }))
}

/** A figure with a flipped bit would still look like a figure. */
async function* unpacked(zip: ZipReader, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* zip.content(entry)
  } catch {
    throw new Error(`"${nameOf(entry)}" is damaged`)
  }
}
