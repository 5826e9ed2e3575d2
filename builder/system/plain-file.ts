/**
 * Reads files as node:fs does, but refuses what is not a regular file: a folder, with an error that names it, and a pipe, device
 * or socket at once, where reading would wait for a writer that may never come.
 */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  createReadStream as nodeStream,
  openSync,
  type ReadStream,
  readFileSync as readNode,
  type Stats,
} from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** With these flags, opening a pipe does not wait for a writer. */
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK

/** Reads a whole file. Throws the system's errors, EISDIR for a folder, and EFTYPE for other things; each names the path. */
export function readFileSync(path: string): Buffer
export function readFileSync(path: string, encoding: 'utf8'): string
export function readFileSync(path: string, encoding?: 'utf8'): Buffer | string {
  const file = openFile(path)
  try {
    confirmSize(path, fstatSync(file))
    return readNode(file, encoding)
  } finally {
    closeSync(file)
  }
}

/** As {@link readFileSync}, without blocking. */
export async function readFile(path: string): Promise<Buffer>
export async function readFile(path: string, encoding: 'utf8'): Promise<string>
export async function readFile(path: string, encoding?: 'utf8'): Promise<Buffer | string> {
  const file = await open(path, AT_ONCE)
  try {
    const found = await file.stat()
    confirmFile(path, found)
    confirmSize(path, found)
    return await file.readFile(encoding)
  } finally {
    await file.close()
  }
}

/** Streams a file of any size. Throws as {@link readFileSync} does, before the first piece. */
export const createReadStream = (
  path: string,
  options: { readonly highWaterMark?: number; readonly start?: number; readonly end?: number } = {},
): ReadStream => nodeStream(path, { ...options, fd: openFile(path) })

/** Opens a file for reading; the caller closes it. Throws as {@link readFileSync} does. */
export function openFile(path: string): number {
  const file = openSync(path, AT_ONCE)
  try {
    confirmFile(path, fstatSync(file))
    return file
  } catch (problem) {
    closeSync(file)
    throw problem
  }
}

/** Whether an error means that the path is not a regular file, or one so large that it cannot be what is looked for. */
export const isNoFile = (problem: unknown): boolean =>
  ['EISDIR', 'EFTYPE', 'ENXIO', 'EFBIG'].includes((problem as NodeJS.ErrnoException)?.code ?? '')

/** The words for something that is not a regular file. */
export const kindOfFile = (found: Stats): string => (found.isDirectory() ? 'a folder' : 'a pipe or a device')

function confirmFile(path: string, found: Stats): void {
  if (found.isFile()) return
  const code = found.isDirectory() ? 'EISDIR' : 'EFTYPE'
  throw Object.assign(new Error(`${code}: ${path} is no file`), { code, path, syscall: 'read' })
}

/** Node reads no larger file whole; a sparse one has any size and takes no room. */
const MOST_BYTES = 2 ** 31 - 1

export const isTooLarge = ({ size }: Stats): boolean => size > MOST_BYTES

function confirmSize(path: string, found: Stats): void {
  if (!isTooLarge(found)) return
  const message = `EFBIG: ${path} has ${found.size} bytes, too many to read at once`
  throw Object.assign(new Error(message), { code: 'EFBIG', path, syscall: 'read' })
}

/** No folder that this program writes lies deeper than a third of this. */
const DEEPEST = 20

/** Whether {@link entriesBelow} listed a folder without entering it. */
export const isTooDeep = (folder: string, entry: Dirent): boolean =>
  relative(folder, entry.parentPath).split(sep).length >= DEEPEST - 1

/** All entries below a folder. Links are listed, not followed; folders at a depth made to exhaust programs are listed, not entered. */
export async function entriesBelow(folder: string, depth = 1): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const below = entries.map((entry) =>
    entry.isDirectory() && depth < DEEPEST ? entriesBelow(join(folder, entry.name), depth + 1) : [],
  )
  return [...entries, ...(await Promise.all(below)).flat()]
}
