/**
 * One process of the ad-hoc engine. A child of its own because database queries fill libuv's four threads, which freezes
 * file reads and password hashing of the process that runs them, and because only a process can be stopped for certain.
 */
import { fork } from 'node:child_process'
import { constants, getPriority, setPriority } from 'node:os'
import type { AdhocMessage, AdhocReply } from '../builder/contract/adhoc.ts'

export interface AdhocProcess {
  readonly pid: number | null
  send(message: AdhocMessage): void
  kill(): void
  /** Settled once it has ended. */
  readonly ended: Promise<void>
}

interface Listeners {
  readonly onReply: (reply: AdhocReply) => void
  /** Called once; `how` is a signal, an exit code or why it could not start. */
  readonly onExit: (how: string) => void
}

export function startAdhocProcess(module: string, { onReply, onExit }: Listeners): AdhocProcess {
  const child = fork(module, [], {
    serialization: 'advanced',
    // A debugger's port cannot be shared with the child.
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
        // Its end is noticed by `exit`; a child that cannot be written to must come to one.
        if (problem) kill()
      }),
    kill,
    ended,
  }
}

/** So that answers that need no query come first. Not every host allows it: the child then has the priority of this process. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // Answers are computed all the same.
  }
}
