/**
 * One builder at a time per company: a lock file that names its holder, and is taken over once that one is gone. A
 * holder is a process of one boot of one machine; a number alone is given to other processes again.
 */
import { randomBytes } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { createOnce, makeFolders, removeIfThere } from '../workspace/durable.ts'
import { cannotLink, disk, type Effects, isAbsent, isPresent, MODES } from '../workspace/effects.ts'
import { undoWhenStopped } from '../workspace/interrupt.ts'
import { readFileSync } from '../workspace/plain-file.ts'

/** Somebody else is building this company right now. */
export class LockedError extends Error {
  readonly code = 'locked'
}

export interface Lock {
  /** Throws {@link LockedError} where somebody took it away: the last look before what cannot be undone. */
  confirm(): void
  /** Safe to do twice. */
  release(): void
}

interface Holder {
  readonly pid: number
  readonly host: string
  /** Absent where the system does not tell (and in locks of earlier versions). */
  readonly boot?: string | undefined
  /** Where pids are counted from: a container counts its own. */
  readonly pids?: string | undefined
  /** When the process began, in ticks since the boot. */
  readonly began?: string | undefined
  /** Tells two locks of one process apart. */
  readonly token?: string
}

/** Takes the lock. Throws {@link LockedError} while its holder lives. */
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
    // Who was faster has swept the folder already, and what was to become this lock.
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
 * Two that find the same dead holder must not both go on: the file is moved away, and looked at once more. Where it was
 * a living one's, who was faster, it goes back.
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
    // Without links, or where a third was faster still, its holder finds out by confirm().
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

/** Only where both tell. */
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

/** Null where it is torn: its writer died before it held anything. */
function parse(text: string): Holder | null {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' ? (found as Holder | null) : null
  } catch {
    return null
  }
}

const told = (look: () => string): string | undefined => {
  try {
    return look().trim()
  } catch {
    return undefined
  }
}

/** Another one each time that the computer starts; undefined where the system tells none. */
export const bootId = () => told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
const pidSpace = () => told(() => readlinkSync('/proc/self/ns/pid'))
/** The 22nd field of stat(5), told from the end of the name in brackets, which may hold blanks. */
const beganAt = (pid: number) =>
  told(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!
  })

const thisProcess = (): Holder => ({
  pid: process.pid,
  host: hostname(),
  boot: bootId(),
  pids: pidSpace(),
  began: beganAt(process.pid),
})

function isAlive(holder: Holder): boolean {
  // A holder on another machine (a shared folder) cannot be asked: it counts as alive.
  if (holder.host !== hostname()) return true
  if (differs(holder.boot, bootId())) return false
  // Nor can one in another container of this machine.
  if (differs(holder.pids, pidSpace())) return true
  return isRunning(holder.pid) && !differs(holder.began, beganAt(holder.pid))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM'
  }
}
