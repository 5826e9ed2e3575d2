/** Defines errors that refuse a command, each with a message for people. It imports nothing, because every command loads it. */

/** The place for an output is taken or not usable; the message says what to do. */
export class PlaceError extends Error {
  readonly code = 'place'
}

/** An address and port that cannot be listened on; the message names the setting that changes them. */
export class AddressError extends Error {
  readonly code = 'system'
}

/** The output exceeds the free disk space or the limits of its format; the message says by how much. */
export class NoRoomError extends Error {
  readonly code = 'no-room'
}

/** The change is refused for a reason that a person can correct; nothing was changed. */
export class ChangeRefusedError extends Error {
  readonly code = 'refused'
}

/** The change was made, but could not be entered in the log. The next build enters it. */
export class UnloggedError extends Error {
  readonly code = 'not-logged'
}

/** A database does not do its part; the message says why and what to do. */
export class DatabaseError extends Error {
  readonly code = 'database'
}

/** A secret that must stand in the environment is missing, or is another one; the message says which. */
export class SecretError extends Error {
  readonly code = 'secret'
}

/** A bucket does not do its part; the message says why and what to do. */
export class BucketError extends Error {
  readonly code = 'bucket'
}

/** A thread ended before its work was done; the message says how, and what to do. */
export class ThreadEndedError extends Error {
  readonly code = 'thread-ended'
}

/** What the operating system refuses to any program for lack of something. A file that is gone or may not be read is not among it. */
const SHORT_OF = new Set(['EAGAIN', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC'])

/** Whether a failure is one of this machine (memory, disk, files, threads), and says nothing of the data that was worked on. */
export function isOfMachine(problem: unknown): boolean {
  const { code = '', message = '' } = problem as NodeJS.ErrnoException
  return (
    problem instanceof ThreadEndedError ||
    problem instanceof NoRoomError ||
    SHORT_OF.has(code) ||
    // DuckDB states what it lacks in words only.
    /^Out of Memory Error|No space left on device|Disk quota exceeded/.test(message)
  )
}
