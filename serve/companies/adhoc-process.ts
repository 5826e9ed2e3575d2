/**
 * One child process of the ad-hoc engine. Database queries occupy libuv's four threads, which would stop file reads
 * and password hashing in the server, and only a process can be ended with certainty.
 */
import { fork } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import type { AdhocMessage, AdhocReply } from '../../builder/contract/adhoc.ts'

export interface AdhocProcess {
  readonly pid: number | null
  send(message: AdhocMessage): void
  kill(): void
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
}

interface Listeners {
  readonly onReply: (reply: AdhocReply) => void
  /** Called once; `how` is a signal, an exit code or the reason why it could not start. */
  readonly onExit: (how: string) => void
}

export function startAdhocProcess(module: string, { onReply, onExit }: Listeners): AdhocProcess {
  const child = fork(module, [], {
    serialization: 'advanced',
    // The child cannot use the same port for a debugger.
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => {
    let isOver = false
    const end = (how: string): void => {
      if (isOver) return
      isOver = true
      process.removeListener('exit', kill)
      onExit(how)
      resolve()
    }
    child.once('exit', (code, signal) => end(signal ?? `exit ${code}`))
    child.once('error', (problem) => {
      kill()
      end(problem.message)
    })
  })
  child.on('message', (reply) => onReply(reply as AdhocReply))
  if (child.pid !== undefined) lowerPriority(child.pid)
  return {
    pid: child.pid ?? null,
    send: (message) =>
      void child.send(message, (problem) => {
        // A child that cannot be written to is ended; `exit` then reports it.
        if (problem) kill()
      }),
    kill,
    ended,
  }
}

/** Lowers the child's priority, so that answers that need no query come first. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // Some hosts do not allow it; the child then keeps the priority of this process.
  }
}
