/**
 * Reads files as node:fs does, and refuses what bears the name of a file and is none: a folder, with an error that names it, and
 * a pipe, a device or a socket at once, where reading would wait for a writer that may never come.
 */
import {
  closeSync,
  constants,
  fstatSync,
  createReadStream as nodeStream,
  openSync,
  type ReadStream,
  readFileSync as readNode,
  type Stats,
} from 'node:fs'
import { open } from 'node:fs/promises'

/** Opening a pipe with this does not wait for somebody to write into it. */
const AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK

/** Throws what the system says, EISDIR for a folder, and EFTYPE for what else is no file; each with the path. */
export function readFileSync(path: string): Buffer
export function readFileSync(path: string, encoding: 'utf8'): string
export function readFileSync(path: string, encoding?: 'utf8'): Buffer | string {
  const file = openFile(path)
  try {
    return readNode(file, encoding)
  } finally {
    closeSync(file)
  }
}

/** {@link readFileSync}, elsewhere. */
export async function readFile(path: string): Promise<Buffer>
export async function readFile(path: string, encoding: 'utf8'): Promise<string>
export async function readFile(path: string, encoding?: 'utf8'): Promise<Buffer | string> {
  const file = await open(path, AT_ONCE)
  try {
    confirmFile(path, await file.stat())
    return await file.readFile(encoding)
  } finally {
    await file.close()
  }
}

/** A file of any size, piece by piece; throws as {@link readFileSync}, before the first piece. */
export const createReadStream = (
  path: string,
  options: { readonly highWaterMark?: number; readonly end?: number } = {},
): ReadStream => nodeStream(path, { ...options, fd: openFile(path) })

/** For reading; the caller closes it. Throws as {@link readFileSync}. */
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

/** Whether it is refused for what it is, and not for what it says. */
export const isNoFile = (problem: unknown): boolean =>
  ['EISDIR', 'EFTYPE', 'ENXIO'].includes((problem as NodeJS.ErrnoException)?.code ?? '')

/** Of what is no file. */
export const nameOf = (found: Stats): string => (found.isDirectory() ? 'a folder' : 'a pipe or a device')

function confirmFile(path: string, found: Stats): void {
  if (found.isFile()) return
  const code = found.isDirectory() ? 'EISDIR' : 'EFTYPE'
  throw Object.assign(new Error(`${code}: ${path} is no file`), { code, path, syscall: 'read' })
}
