/** Tells whether a process of this machine runs, and in which pid namespace this process can see that. */
import { readlinkSync } from 'node:fs'

/** The pid namespace of this process, since each container has its own; undefined where the system has none. */
export function pidSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (problem) {
    return (problem as NodeJS.ErrnoException).code === 'EPERM'
  }
}
