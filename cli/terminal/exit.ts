/** Translates every failure into an exit code, a sentence and findings. The only place that does. */

import { tmpdir } from 'node:os'
import { CommanderError } from 'commander'
import { SnapshotDamagedError } from '../../builder/snapshot/files/damage.ts'
import { LockedError } from '../../builder/snapshot/log/lock.ts'
import {
  AddressError,
  BucketError,
  ChangeRefusedError,
  DatabaseError,
  NoRoomError,
  PlaceError,
  SecretError,
  UnloggedError,
} from '../../builder/system/refusals.ts'
import { type Finding, FindingsError } from '../../builder/workspace/findings/finding.ts'

/**
 * `readOtherwise`: nothing is damaged, but this program computes other figures than the version that published
 * them. `waiting`: a second person has to approve before it is done. `unproven`: what exists is sound, but
 * something asked for is missing.
 */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  findings: 3,
  readOtherwise: 4,
  waiting: 5,
  unproven: 6,
  /** As shells count: 128 and the number of the signal. */
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The command was called in a wrong way; the message shows how to call it. */
export class UsageError extends Error {
  readonly code = 'usage'
}

/** The command cannot do what was asked, for a reason that the user can understand and correct. */
export class RefusedError extends Error {
  readonly code = 'refused'
}

export interface CommandFailure {
  readonly exitCode: ExitCode
  /** Stable, in kebab-case. */
  readonly code: string
  readonly message: string
  readonly findings: readonly Finding[]
}

/**
 * Loading the program opens more than a hundred files at once. A server needs one more for each connection, 4096 at
 * most.
 */
const FEW_FILES =
  'too many files are open; let this user open at least 256 at once (ulimit -n 256), for a server 8192 (LimitNOFILE=8192 of its service)'

/** The errors of the operating system in words. */
const SYSTEM: Record<string, string> = {
  EACCES: 'this user has no permission for it',
  EPERM: 'this user has no permission for it',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'the file is larger than this program reads, or than this user may write (ulimit -f)',
  EIO: 'the disk reports an error',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  EFTYPE: 'it is a pipe or a device, not a file',
  ENXIO: 'it is a pipe or a device, not a file',
  ENOTDIR: 'a part of the path is not a folder',
  EMFILE: FEW_FILES,
  ENFILE: 'all programs of this computer together have too many files open (sysctl fs.file-max)',
}

export function failureOf(problem: unknown): CommandFailure {
  const failure = (exitCode: ExitCode, code: string, message: string): CommandFailure => ({
    exitCode,
    code,
    message,
    findings: problem instanceof FindingsError ? problem.findings : [],
  })
  if (problem instanceof FindingsError) return failure(EXIT.findings, problem.code, problem.message)
  if (problem instanceof CommanderError)
    return problem.exitCode === 0
      ? failure(EXIT.done, 'done', '')
      : failure(EXIT.usage, 'usage', usageMessage(problem))
  if (problem instanceof UsageError) return failure(EXIT.usage, problem.code, problem.message)
  if (
    problem instanceof LockedError ||
    problem instanceof SnapshotDamagedError ||
    problem instanceof ChangeRefusedError ||
    problem instanceof UnloggedError ||
    problem instanceof RefusedError ||
    problem instanceof DatabaseError ||
    problem instanceof SecretError ||
    problem instanceof BucketError ||
    problem instanceof PlaceError ||
    problem instanceof AddressError ||
    problem instanceof NoRoomError
  )
    return failure(EXIT.failed, problem.code, problem.message)
  const noRoom = NO_ROOM.find(([of]) => of.test((problem as Error)?.message))
  if (noRoom !== undefined) return failure(EXIT.failed, 'no-room', noRoom[1])
  const { code, path, dest, message } = {
    ...(problem as NodeJS.ErrnoException & { readonly dest?: string }),
    message: (problem as Error)?.message,
    ...fromDuckDb((problem as Error)?.message),
  }
  const known = typeof code === 'string' ? SYSTEM[code] : undefined
  if (known !== undefined) {
    const place = dest !== undefined && OF_WHAT_IS_WRITTEN.has(code ?? '') ? dest : path
    return failure(EXIT.failed, 'system', `${place ?? 'a file'} cannot be used: ${known}`)
  }
  return failure(
    EXIT.failed,
    'unexpected',
    `this should not have happened: ${message ?? String(problem)} (--debug shows where)`,
  )
}

/** When a file is copied, linked or renamed, these errors are about the new path. */
const OF_WHAT_IS_WRITTEN = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS'])

/** DuckDB reports a full disk as lack of memory, too. The first pattern that matches counts. */
const NO_ROOM: readonly (readonly [of: RegExp, words: string])[] = [
  [
    /^Out of Memory Error.*failed to offload/s,
    `the temporary files of DuckDB do not fit on the disk of ${tmpdir()}: free space there, let TMPDIR name a folder on a larger disk, or allow more memory, such as --memory 4GB`,
  ],
  [
    /^Out of Memory Error/,
    'DuckDB had not enough memory: allow more, such as --memory 4GB, or give it fewer companies at once (--jobs 1)',
  ],
]

/** DuckDB writes files itself, and states errors in words where Node has a code. */
const DUCKDB_CODES: Record<string, string> = {
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'File too large': 'EFBIG',
  'Input/output error': 'EIO',
  'Read-only file system': 'EROFS',
  'Permission denied': 'EACCES',
}

function fromDuckDb(message: string | undefined): { code?: string; path?: string } {
  const [, path, words] = /^IO Error: [^"]*"([^"]+)".*: ([^:]+)$/s.exec(message ?? '') ?? []
  const code = words === undefined ? undefined : DUCKDB_CODES[words.trim()]
  return path === undefined || code === undefined ? {} : { code, path }
}

/**
 * `tieout` without a command has the code `commander.help`; the help was printed before, and says all that is
 * needed.
 */
const usageMessage = ({ code, message }: CommanderError): string =>
  code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '')
