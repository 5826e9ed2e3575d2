/**
 * A zip as a container: read entry by entry, never as a whole, and refused before unpacking where it is made to do
 * harm.
 */

import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import { present } from '../../contract/present.ts'
import { createReadStream } from '../../system/plain-file.ts'
import { inQuotes } from '../../system/zip-headers.ts'
import { type Entry, entryName, ZipReader } from '../../system/zip-reader.ts'
import { type ContainedFile, type Container, type ContainerProblem, soundFiles } from './container.ts'
import { DECLARATION, dangerOf, foldedPath } from './tags.ts'

/** A snapshot has some thousands of files. A directory with more entries than this is made to exhaust memory. */
const MOST_ENTRIES = 1_000_000
/** Statements full of zeros shrink to a fortieth. What expands by more than this factor is made to exhaust the disk. */
const MOST_GROWTH = { factor: 300, beyondBytes: 64 * 1024 ** 2 }

/** How yauzl says that bytes stand behind the end record, which it takes for a comment. */
const TRAILING = /^Invalid comment length/

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

/** Opens a zip; the caller closes the container. Throws {@link ZipUnreadableError}. */
export async function openZip(path: string): Promise<Container> {
  const unreadable = (problem: unknown) => {
    const { code, message } = problem as NodeJS.ErrnoException
    if (code !== undefined) return problem
    return new ZipUnreadableError(
      TRAILING.test(message)
        ? 'the zip does not end where it says: bytes stand behind it, such as the zeros with which bsdtar fills up what it writes into a pipe. Write it into a file instead, or unpack it with another program and verify the folder'
        : `the zip cannot be read: ${message}`,
    )
  }
  const zip = await ZipReader.ofFile(path).catch((problem: unknown) => {
    throw unreadable(problem)
  })
  try {
    const { entries, folders, problems } = await directoryOf(zip)
    const base = baseOf([...entries.keys(), ...folders])
    const within = [...entries].map(([name, { size, isFile }]) => ({
      path: base === null ? name : name.slice(base.length),
      size,
      isFile,
    }))
    const sound = soundFiles(within)
    const folded = new Set([...sound.files.keys()].map(foldedPath))
    const danger = base && dangerOf(base.slice(0, -1))
    return {
      kind: 'zip',
      name: base === null || base === '' ? basename(path).replace(/\.zip$/i, '') : base.slice(0, -1),
      files: sound.files,
      problems: [
        ...problems,
        ...(base === null
          ? [{ path: null, message: 'the zip does not hold one folder, the bag, at its top' }]
          : []),
        ...(danger ? [{ path: null, message: `the folder at the top of the zip ${danger}` }] : []),
        ...sound.problems,
        ...folders.flatMap((name) => problemOf(name.slice(base?.length ?? 0, -1), folded)),
      ],
      read: async (file) => {
        const { entry } = present(entries.get(`${base ?? ''}${file}`), `${file} in the zip`)
        return Readable.from(zip.content(entry), { objectMode: false })
      },
      close: () => zip.close(),
    }
  } catch (problem) {
    zip.close()
    throw unreadable(problem)
  }
}

/**
 * What is wrong with an entry that is a folder: other programs make folders of them, and this one does not. `files` are the folded paths
 * of all files.
 */
function problemOf(path: string, files: ReadonlySet<string>): ContainerProblem[] {
  if (path === '') return []
  const danger = dangerOf(path)
  const problem = (wrong: string) => [{ path, message: `${inQuotes(`${path}/`)} ${wrong}` }]
  if (danger !== null) return problem(danger)
  for (let part = path; part !== '.'; part = dirname(part))
    if (files.has(foldedPath(part))) return problem('is a file and a folder at once')
  return []
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

async function directoryOf(zip: ZipReader): Promise<Directory> {
  if (zip.count > MOST_ENTRIES)
    throw new ZipUnreadableError(`the zip lists ${zip.count} entries; up to ${MOST_ENTRIES} are read`)
  const entries = new Map<string, ZipEntry>()
  const folders: string[] = []
  const problems: ContainerProblem[] = []
  let size = 0
  const all = await zip.entries()
  for (const entry of all) {
    const name = entryName(entry)
    if (name.endsWith('/') && entry.uncompressedSize === 0) {
      folders.push(name)
      if (!isOfKind(entry, FOLDER))
        problems.push({ path: name, message: `${inQuotes(name)} is a link or a device` })
      const hidden = await hiddenIn(zip, entry)
      if (hidden !== null)
        problems.push({ path: name, message: `${inQuotes(name)} cannot be unpacked: ${hidden}` })
      continue
    }
    size += entry.uncompressedSize
    if (entries.has(name)) problems.push({ path: name, message: `${inQuotes(name)} is in the zip twice` })
    if (entry.isEncrypted())
      problems.push({ path: name, message: `${inQuotes(name)} is protected by a password` })
    else if (!entry.canDecodeFileData())
      problems.push({ path: name, message: `${inQuotes(name)} is packed in a way that is not read` })
    // Some programs give the rights of such a file to whoever runs it. Folders of shared workspaces have the bit honestly.
    if (((entry.externalFileAttributes >>> 16) & SPECIAL) !== 0)
      problems.push({ path: name, message: `${inQuotes(name)} has a mode with setuid, setgid or sticky` })
    entries.set(name, { entry, size: entry.uncompressedSize, isFile: isPlain(entry) })
  }
  const wrong = await zip.wrongWith(all, true)
  if (wrong !== null) problems.push({ path: null, message: wrong })
  if (size > MOST_GROWTH.beyondBytes && size > zip.size * MOST_GROWTH.factor)
    problems.push({
      path: null,
      message: `the zip of ${zip.size} bytes unpacks to ${size}: it is made to fill a disk`,
    })
  return { entries, folders, problems }
}

/** Why the packed content of a folder is not empty, or null: behind its end, programs that read from the beginning find further entries. */
async function hiddenIn(zip: ZipReader, entry: Entry): Promise<string | null> {
  try {
    for await (const _ of zip.content(entry));
    return null
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).syscall !== undefined) throw problem
    return (problem as Error).message
  }
}

/** The upper half of the attributes is the Unix mode, where the entry was written on Unix (APPNOTE.TXT 4.4.15). */
const KIND = 0o170000
const SPECIAL = 0o007000
const FOLDER = 0o040000
const FILE = 0o100000
const isOfKind = ({ externalFileAttributes }: Entry, kind: number): boolean =>
  [0, kind].includes((externalFileAttributes >>> 16) & KIND)
/** Attributes of DOS and Windows: a disk label, a folder, a device, a link. Some programs skip such files, or make folders. */
const NO_FILE = 0x08 | 0x10 | 0x40 | 0x400
const isPlain = (entry: Entry): boolean =>
  isOfKind(entry, FILE) && (entry.externalFileAttributes & NO_FILE) === 0

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
