/**
 * Owns the disk operations that must survive a crash: publication, pruning, restoring, keys. Everything that changes a snapshot
 * uses only these operations, so that a test can make each of them fail. First file of the room that owns what is asked of the
 * operating system: files, processes, threads, memory. Must not know what a company is.
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
 * Modes of published files: for the owner and the owner's group only, because books name people. The umask decides whether the
 * group may write (007), for several users who build, or not (022: 0750 and 0640).
 */
export const MODES = {
  folder: 0o770,
  file: 0o660,
  /** Read-only: a linked file edited in place would change every snapshot that shares it. */
  published: 0o440,
} as const

/** Each operation happens completely or not at all, and throws as `node:fs` does. Nothing is durable before it is flushed (`sync…`). */
export interface Effects {
  /** Creates a folder in an existing one. `mode` defaults to {@link MODES}`.folder`. */
  makeFolder(path: string, mode?: number): void
  /** Creates a file with all its bytes. Throws EEXIST if it exists. */
  create(path: string, bytes: string | Uint8Array, mode: number): void
  /** Copies a file. Throws EEXIST if the target exists. */
  copy(from: string, to: string): void
  /** Adds to the end of a file, which is created if it is missing. */
  append(path: string, bytes: string | Uint8Array, mode: number): void
  /** Cuts a file to a length in bytes. */
  truncate(path: string, bytes: number): void
  chmod(path: string, mode: number): void
  /** Makes a hard link. Throws EEXIST if the name exists. Not every file system can make links ({@link cannotLink}). */
  link(from: string, to: string): void
  /** Renames in one step. It replaces a file of that name; a folder only if it is empty. */
  rename(from: string, to: string): void
  /** Removes the name of a file. */
  unlink(path: string): void
  removeFolder(path: string): void
  syncFile(path: string): void
  /** Flushes the names in a folder. */
  syncFolder(path: string): void
  /** Flushes the whole file system of `path` at once. Returns false if this machine cannot do that. */
  syncAll(path: string): Promise<boolean>
}

export const disk: Effects = {
  makeFolder: (path, mode = MODES.folder) => void mkdirSync(path, { mode }),
  create: (path, bytes, mode) => writeWhole(path, bytes, { flag: 'wx', mode }),
  // If the file system supports it, the copy shares the blocks of the original.
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
    // On other systems sync(1) takes no path and returns before the data is written.
    if (process.platform !== 'linux') return false
    try {
      await promisify(execFile)('sync', ['-f', path])
      return true
    } catch (problem) {
      // After a failed flush, another flush proves nothing (ATC '20, "Can applications recover from fsync failures?"). Files are
      // flushed one by one only if the program sync is missing or different.
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

/** Adds the path to errors of write(2) and fsync(2), which do not name the file. */
function naming(path: string, action: () => void): void {
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

/** A stream that writes a new file; its errors name the file. */
export function fileStream(path: string, mode?: number): WriteStream {
  const stream = createWriteStream(path, { flags: 'wx', ...(mode === undefined ? {} : { mode }) })
  stream.on('error', (problem: NodeJS.ErrnoException) => {
    problem.path ??= path
  })
  return stream
}

const code = (problem: unknown): string => (problem as NodeJS.ErrnoException).code ?? ''

/** Whether a path exists. Unlike `existsSync` it throws if that is unknown, such as for a path that this user may not see. */
export const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Whether an error means that nothing has this path, if only because a part of it is a file. */
export const isAbsent = (problem: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(code(problem) ?? '')
export const isPresent = (problem: unknown): boolean => code(problem) === 'EEXIST'
/** Whether an error means that a hard link is impossible: none on this file system, too many, or two different file systems. */
export const cannotLink = (problem: unknown): boolean =>
  ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOSYS'].includes(code(problem))
