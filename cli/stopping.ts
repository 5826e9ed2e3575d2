/**
 * Ctrl-C and SIGTERM: what was begun is undone, and what is being published is finished. Commands that handle signals themselves,
 * such as a server, have listeners of their own.
 */
import { undoAll } from '../builder/workspace/interrupt.ts'
import { EXIT, type ExitCode } from './exit.ts'

const EXIT_CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

let outcome = () => 'stopped'
let isStopped = false

/** What the message says of what was done until then. */
export function sayWhenStopped(say: () => string): void {
  outcome = say
}

/** `tell` prints a message for people. A second signal ends the program at once. */
export function stopOnSignals(tell: (message: string) => void): void {
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return
      if (isStopped) process.exit(EXIT_CODES[signal])
      isStopped = true
      if (undoAll()) {
        tell(outcome())
        process.exit(EXIT_CODES[signal])
      }
      tell('finishing what is being published')
    })
}

/** Runs `work`, and calls `stop` on the first signal: the work ends by itself then. Gives the exit code of the signal, if one came. */
export async function stoppable<T>(
  stop: () => void,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly exitCode: ExitCode | null }> {
  let exitCode: ExitCode | null = null
  const listeners = SIGNALS.map((signal) => {
    const listener = () => {
      if (exitCode !== null) process.exit(exitCode)
      exitCode = EXIT_CODES[signal]
      stop()
    }
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  try {
    return { value: await work(), exitCode }
  } finally {
    for (const forget of listeners) forget()
  }
}
