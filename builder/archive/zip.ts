/**
 * A zip as a container: read entry by entry, never as a whole, and refused before unpacking where it is made to do
 * harm.
 */

import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { present } from '../contract/present.ts'
import { createReadStream } from '../workspace/plain-file.ts'
import { type ContainedFile, type Container, type ContainerProblem, soundFiles } from './container.ts'
import { DECLARATION } from './tags.ts'

/** A snapshot has some thousands of files. A directory with more entries than this is made to exhaust memory. */
const MOST_ENTRIES = 1_000_000
/** Statements full of zeros shrink to a fortieth. What expands by more than this factor is made to exhaust the disk. */
const MOST_GROWTH = { factor: 300, beyondBytes: 64 * 1024 ** 2 }

/** The file is not a zip, or is truncated. */
export class ZipUnreadableError extends Error {
  readonly code = 'zip-unreadable'
}

/** Recognises a zip by its first bytes: a local file header, or the end record of an empty archive. */
export async function isZipFile(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { end: 3 }))
    return /^PK(\x03\x04|\x05\x06)$/.test((chunk as Buffer).toString('latin1'))
  return false
}

const openZipFile = promisify<string, yauzl.Options, ZipFile>(yauzl.open)

/** Opens a zip; the caller closes the container. Throws {@link ZipUnreadableError}. */
export async function openZip(path: string): Promise<Container> {
  // Names are taken as bytes, because yauzl stops at the first invalid one and guesses at old code pages.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true }
  const unreadable = (problem: unknown) => {
    const { code, message } = problem as NodeJS.ErrnoException
    return code === undefined ? new ZipUnreadableError(`the zip cannot be read: ${message}`) : problem
  }
  const zip = await openZipFile(path, options).catch((problem: unknown) => {
    throw unreadable(problem)
  })
  try {
    const { entries, folders, problems } = await directoryOf(zip, (await stat(path)).size)
    const base = baseOf([...entries.keys(), ...folders])
    const within = [...entries].map(([name, { size, isFile }]) => ({
      path: base === null ? name : name.slice(base.length),
      size,
      isFile,
    }))
    const sound = soundFiles(within)
    return {
      kind: 'zip',
      name: base === null || base === '' ? basename(path).replace(/\.zip$/i, '') : base.slice(0, -1),
      files: sound.files,
      problems: [
        ...problems,
        ...(base === null
          ? [{ path: null, message: 'the zip does not hold one folder, the bag, at its top' }]
          : []),
        ...sound.problems,
      ],
      read: (file) => streamOf(zip, present(entries.get(`${base ?? ''}${file}`), `${file} in the zip`).entry),
      close: () => zip.close(),
    }
  } catch (problem) {
    zip.close()
    throw unreadable(problem)
  }
}

interface ZipEntry extends Omit<ContainedFile, 'path'> {
  readonly entry: Entry
  readonly isFile: boolean
}

interface Directory {
  /** Files and links by their full names. */
  readonly entries: Map<string, ZipEntry>
  readonly folders: readonly string[]
  readonly problems: ContainerProblem[]
}

async function directoryOf(zip: ZipFile, zipSize: number): Promise<Directory> {
  if (zip.entryCount > MOST_ENTRIES)
    throw new ZipUnreadableError(`the zip lists ${zip.entryCount} entries; up to ${MOST_ENTRIES} are read`)
  const entries = new Map<string, ZipEntry>()
  const folders: string[] = []
  const problems: ContainerProblem[] = []
  let size = 0
  const all: Entry[] = []
  // yauzl advances this offset: before the first entry it is where the directory begins, after the last one where
  // it ends.
  const cursor = zip as unknown as { readonly readEntryCursor: number }
  const begin = cursor.readEntryCursor
  for await (const entry of zip.eachEntry()) {
    all.push(entry)
    const name = entry.fileNameRaw.toString('utf8')
    if (name.endsWith('/') && entry.uncompressedSize === 0) {
      folders.push(name)
      continue
    }
    size += entry.uncompressedSize
    if (entries.has(name)) problems.push({ path: name, message: `"${name}" is in the zip twice` })
    if (entry.isEncrypted()) problems.push({ path: name, message: `"${name}" is protected by a password` })
    else if (!entry.canDecodeFileData())
      problems.push({ path: name, message: `"${name}" is packed in a way that is not read` })
    entries.set(name, { entry, size: entry.uncompressedSize, isFile: isPlain(entry) })
  }
  const hidden = await hiddenIn(zip, all, { begin, end: cursor.readEntryCursor, size: zipSize })
  if (hidden) problems.push(hidden)
  if (size > MOST_GROWTH.beyondBytes && size > zipSize * MOST_GROWTH.factor)
    problems.push({
      path: null,
      message: `the zip of ${zipSize} bytes unpacks to ${size}: it is made to fill a disk`,
    })
  return { entries, folders, problems }
}

/** Sizes of the end record, and of its 64-bit form with its locator (APPNOTE.TXT 4.3.14 to 4.3.16). */
const ENDS = [22, 56 + 20 + 22]
/**
 * Sizes of the data descriptor that follows an entry written without known sizes: with and without a signature,
 * with 32 and 64 bits (4.3.9).
 */
const DESCRIPTORS = [12, 16, 20, 24]
const HAS_DESCRIPTOR = 8

/**
 * Programs that unpack entry by entry, without the directory, must find the same files: every byte of the zip
 * belongs to the directory or to an entry that it lists, under the same name. Entries that share bytes are refused
 * too: this is how a few kilobytes become petabytes (D. Fifield, A better zip bomb, WOOT '19).
 */
async function hiddenIn(
  zip: ZipFile,
  entries: readonly Entry[],
  directory: { readonly begin: number; readonly end: number; readonly size: number },
): Promise<ContainerProblem | null> {
  const problem = (message: string): ContainerProblem => ({ path: null, message })
  if (zip.comment.length > 0) return problem('the zip has a comment, in which anything can be hidden')
  if (!ENDS.includes(directory.size - directory.end))
    return problem('the directory of the zip does not end where the zip does: something is hidden beside it')
  let at = 0
  let may = [0]
  const inOrder = [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  for (const entry of inOrder) {
    const name = entry.fileNameRaw.toString('utf8')
    if (!may.includes(entry.relativeOffsetOfLocalHeader - at))
      return problem(`before "${name}" entries of the zip lie upon each other, or something is hidden`)
    const local = await zip.readLocalFileHeaderPromise(entry)
    if (!local.fileName.equals(entry.fileNameRaw))
      return problem(
        `"${name}" has another name in the zip itself than in its directory: "${local.fileName}"`,
      )
    at = local.fileDataStart + entry.compressedSize
    may = (entry.generalPurposeBitFlag & HAS_DESCRIPTOR) === 0 ? [0] : DESCRIPTORS
  }
  return may.includes(directory.begin - at)
    ? null
    : problem('between the last entry of the zip and its directory something is hidden')
}

/** The upper half of the attributes is the Unix mode, where the entry was written on Unix (APPNOTE.TXT 4.4.15). */
const KIND = 0o170000
const isPlain = ({ externalFileAttributes }: Entry): boolean =>
  [0, 0o100000].includes((externalFileAttributes >>> 16) & KIND)

/**
 * RFC 8493 §4: the archive holds one folder, the base folder of the bag. Archives that hold the files without that
 * folder are read too. Null for any other.
 */
function baseOf(names: readonly string[]): string | null {
  if (names.includes(DECLARATION)) return ''
  const tops = new Set(names.map((name) => name.slice(0, name.indexOf('/') + 1)))
  const [top] = tops
  return tops.size === 1 && top !== undefined && top !== '' ? top : null
}

const streamOf = (zip: ZipFile, entry: Entry): Promise<Readable> => zip.openReadStreamPromise(entry)
