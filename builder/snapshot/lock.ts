/** One builder at a time per company: a lock file that names its holder, and is taken over once that one is gone. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'

/** Somebody else is building this company right now. */
export class LockedError extends Error {
  readonly code = 'locked'
}

interface Holder {
  readonly pid: number
  readonly host: string
}

/** Takes the lock; gives what releases it. Throws {@link LockedError} while its holder lives. */
export function takeLock(path: string): () => void {
  mkdirSync(dirname(path), { recursive: true })
  const own: Holder = { pid: process.pid, host: hostname() }
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, JSON.stringify(own), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (problem) {
      if ((problem as NodeJS.ErrnoException).code !== 'EEXIST') throw problem
      const holder = holderOf(path)
      if (holder !== null && isAlive(holder))
        throw new LockedError(
          `process ${holder.pid} on ${holder.host} is building this company right now; wait for it, or end it`,
        )
      rmSync(path, { force: true })
    }
  }
  throw new LockedError('another build began at the same moment; try again')
}

function holderOf(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch {
    // Torn or gone: its writer died before it held anything.
    return null
  }
}

function isAlive(holder: Holder): boolean {
  // A holder on another machine (a shared folder) cannot be asked: it counts as alive.
  if (holder.host !== hostname()) return true
  if (holder.pid === process.pid) return true
  try {
    process.kill(holder.pid, 0)
    return true
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM'
  }
}
