/**
 * What Tieout does to the disk where a crash must not hurt: publication, pruning, restoring, keys. Everything that
 * changes a snapshot goes through these few operations, so that a test can put a fault in the place of each of them.
 */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  createWriteStream,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  unlinkSync,
  type WriteFileOptions,
  type WriteStream,
  writeFileSync,
} from 'node:fs'
import { promisify } from 'node:util'

/**
 * Modes of what is published: for its owner and the owner's group alone, since books name people. The umask takes the
 * group's right to write away (022: 0750 and 0640) or leaves it (007), for several users of one group who build.
 */
export const MODES = {
  folder: 0o770,
  file: 0o660,
  /** Read-only: a linked file edited in place would change every snapshot that shares it. */
  published: 0o440,
} as const

/** Each is one step that happens or does not; all throw as `node:fs` does. Nothing is durable before it is synchronised. */
export interface Effects {
  /** One new folder in a folder that is there; `mode` is {@link MODES}`.folder` where it is not given. */
  makeFolder(path: string, mode?: number): void
  /** A new file with all its bytes; refuses to replace one (EEXIST). */
  create(path: string, bytes: string | Uint8Array, mode: number): void
  /** A new file with the bytes of another; refuses to replace one (EEXIST). */
  copy(from: string, to: string): void
  /** Adds to the end of a file, and makes it where there is none. */
  append(path: string, bytes: string | Uint8Array, mode: number): void
  /** Cuts a file. */
  truncate(path: string, bytes: number): void
  /** Changes who may read and write. */
  chmod(path: string, mode: number): void
  /** A second name for a file; refuses to replace one (EEXIST). Not every file system can ({@link cannotLink}). */
  link(from: string, to: string): void
  /** In one step in the place of a file of that name; of a folder only where it is empty. */
  rename(from: string, to: string): void
  /** Removes the name of a file. */
  unlink(path: string): void
  /** Removes an empty folder. */
  removeFolder(path: string): void
  /** Data and length of a file. */
  syncFile(path: string): void
  /** The names in a folder. */
  syncFolder(path: string): void
  /** All of the file system that `path` is on, at once; false where this machine has no way to do that. */
  syncAll(path: string): Promise<boolean>
}

export const disk: Effects = {
  makeFolder: (path, mode = MODES.folder) => void mkdirSync(path, { mode }),
  create: (path, bytes, mode) => writeWhole(path, bytes, { flag: 'wx', mode }),
  // Where the file system can, the copy shares the blocks of the original until one of them is written to.
  copy: (from, to) => copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  append: (path, bytes, mode) => writeWhole(path, bytes, { flag: 'a', mode }),
  truncate: truncateSync,
  chmod: chmodSync,
  link: linkSync,
  rename: renameSync,
  unlink: unlinkSync,
  removeFolder: rmdirSync,
  syncFile: synchronise,
  syncFolder: synchronise,
  syncAll: async (path) => {
    // Elsewhere sync(1) takes no file, and returns before anything is written.
    if (process.platform !== 'linux') return false
    try {
      await promisify(execFile)('sync', ['-f', path])
      return true
    } catch (problem) {
      // What could not be written once is not written by asking again (ATC '20, "Can applications recover from fsync
      // failures?"): only a machine without the program, or with another one, is asked file by file.
      if (/error syncing/.test(String((problem as { stderr?: string }).stderr))) throw problem
      return false
    }
  },
}

function synchronise(path: string): void {
  const handle = openSync(path, 'r')
  try {
    naming(path, () => fsyncSync(handle))
  } finally {
    closeSync(handle)
  }
}

/** write(2) and fsync(2) do not say of which file they speak: their errors get its path. */
export function naming(path: string, action: () => void): void {
  try {
    action()
  } catch (problem) {
    ;(problem as NodeJS.ErrnoException).path ??= path
    throw problem
  }
}

/** Writes a file as `writeFileSync` does, with errors that name it. */
export function writeWhole(path: string, bytes: string | Uint8Array, options: WriteFileOptions = {}): void {
  naming(path, () => writeFileSync(path, bytes, options))
}

/** A new file to write to piece by piece, whose errors name it. */
export function fileStream(path: string, mode?: number): WriteStream {
  const stream = createWriteStream(path, { flags: 'wx', ...(mode === undefined ? {} : { mode }) })
  stream.on('error', (problem: NodeJS.ErrnoException) => {
    problem.path ??= path
  })
  return stream
}

const code = (problem: unknown): string => (problem as NodeJS.ErrnoException).code ?? ''

/** Unlike `existsSync`, where it cannot be told it throws: what this user may not see is not gone. */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

export const isAbsent = (problem: unknown): boolean => code(problem) === 'ENOENT'
export const isPresent = (problem: unknown): boolean => code(problem) === 'EEXIST'
/** A file system without hard links, or with too many of one file, or the two names are on different ones. */
export const cannotLink = (problem: unknown): boolean =>
  ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOSYS'].includes(code(problem))
