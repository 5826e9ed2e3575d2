/**
 * Owns the lock that allows one builder at a time per company: a file that names its holder and is taken over once the holder
 * is gone. A holder is identified by machine, boot and start time, because process ids are reused.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { createOnce, makeFolders, removeIfThere } from '../../system/durable.ts'
import { cannotLink, disk, type Effects, isAbsent, isPresent, MODES } from '../../system/effects.ts'
import { undoWhenStopped } from '../../system/interrupt.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { isRunning, pidSpace } from '../../system/running.ts'

/** Thrown when another process is changing this company right now. */
export class LockedError extends Error {
  readonly code = 'locked'
}

export interface Lock {
  /** Throws {@link LockedError} if the lock was taken away. It is called right before steps that cannot be undone. */
  confirm(): void
  /** Removes the lock; further calls do nothing. */
  release(): void
}

interface Holder {
  readonly pid: number
  readonly host: string
  /** Id of the machine's boot; absent if the system has none, and in locks of earlier versions. */
  readonly boot?: string | undefined
  /** The pid namespace of the process; each container has its own. */
  readonly pids?: string | undefined
  /** Start time of the process, in ticks since the boot. */
  readonly began?: string | undefined
  /** Tells two locks of one process apart. */
  readonly token?: string
}

/** Takes the lock. Throws {@link LockedError} while its holder is running. */
export function takeLock(path: string, effects: Effects = disk): Lock {
  for (const made of makeFolders(dirname(path), effects)) effects.syncFolder(dirname(made))
  const own = JSON.stringify({ ...thisProcess(), token: randomBytes(6).toString('hex') })
  for (let attempt = 0; attempt < 2; attempt++) {
    const text = read(path)
    const holder = text === null ? null : parse(text)
    if (holder !== null && isAlive(holder)) throw lockedBy(holder, path)
    if (text !== null) breakLock(path, text, effects)
    if (makeLock(path, own, effects)) return lockHeld(path, own, effects)
  }
  throw new LockedError('another build began at the same moment; try again')
}

function makeLock(path: string, own: string, effects: Effects): boolean {
  try {
    return createOnce(path, own, MODES.file, effects)
  } catch (problem) {
    // A faster process has taken the lock and removed our unfinished file.
    if (isAbsent(problem)) return false
    throw problem
  }
}

function lockHeld(path: string, own: string, effects: Effects): Lock {
  const isOurs = () => read(path) === own
  const release = () => {
    if (isOurs()) removeIfThere(path, effects)
  }
  const forget = undoWhenStopped(release)
  return {
    confirm: () => {
      if (!isOurs()) throw new LockedError(`${path} was taken away in the middle of it; try again`)
    },
    release: () => {
      forget()
      release()
    },
  }
}

/**
 * Removes the lock of a dead holder. Two processes that find it must not both continue, so the file is moved aside and read
 * once more. If it is a new lock of a faster process, it is put back.
 */
function breakLock(path: string, dead: string, effects: Effects): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}.next`
  try {
    effects.rename(path, aside)
  } catch (problem) {
    if (isAbsent(problem)) return
    throw problem
  }
  try {
    if (read(aside) !== dead) effects.link(aside, path)
  } catch (problem) {
    // If links are not possible, or a third process was faster still, the holder notices in confirm().
    if (!isPresent(problem) && !isAbsent(problem) && !cannotLink(problem)) throw problem
  } finally {
    removeIfThere(aside, effects)
  }
}

function lockedBy(holder: Holder, path: string): LockedError {
  const { pid, host } = holder
  if (typeof pid !== 'number' || typeof host !== 'string')
    return new LockedError(
      `${path} does not say which process on which computer is building this company right now; remove it, if none is`,
    )
  const isElsewhere = host !== hostname() || differs(holder.pids, pidSpace())
  const remedy = isElsewhere
    ? `; or remove ${path}, if that process is gone with its machine or container`
    : ''
  return new LockedError(
    `process ${pid} on ${host} is building this company right now; wait for it, or end it${remedy}`,
  )
}

/** Whether two values differ; false if one of them is unknown. */
const differs = (theirs: string | undefined, ours: string | undefined): boolean =>
  theirs !== undefined && ours !== undefined && theirs !== ours

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (problem) {
    if (isAbsent(problem)) return null
    throw problem
  }
}

/** The holder in a lock file; null if the file is incomplete, because its writer died before it held the lock. */
function parse(text: string): Holder | null {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' ? (found as Holder | null) : null
  } catch {
    return null
  }
}

/** What `look` reads from the system, trimmed; undefined where this system does not have it. */
const ifOffered = (look: () => string | undefined): string | undefined => {
  try {
    return look()?.trim()
  } catch {
    return undefined
  }
}

/** An id that changes each time the computer starts; undefined if the system has none. */
export const bootId = () => ifOffered(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
/** The start time of a process: field 22 of /proc/pid/stat (proc(5)), counted from the end of the name in brackets, which may hold spaces. */
const beganAt = (pid: number) =>
  ifOffered(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  })

const thisProcess = (): Holder => ({
  pid: process.pid,
  host: hostname(),
  boot: bootId(),
  pids: pidSpace(),
  began: beganAt(process.pid),
})

function isAlive(holder: Holder): boolean {
  // A process on another machine that shares the folder cannot be checked, so it counts as running.
  if (holder.host !== hostname()) return true
  if (differs(holder.boot, bootId())) return false
  // A process in another container of this machine cannot be checked either.
  if (differs(holder.pids, pidSpace())) return true
  return isRunning(holder.pid) && !differs(holder.began, beganAt(holder.pid))
}
