/**
 * Handles Ctrl-C, SIGTERM, and SIGHUP, which the end of a terminal sends: what a command has begun is undone, and a publication in progress is
 * finished. Commands that handle signals themselves, such as a server, add their own listeners.
 */
import { undoAll } from '../../builder/system/interrupt.ts'
import { EXIT, type ExitCode } from './exit.ts'

const EXIT_CODES = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const
export const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

let outcome = () => 'stopped'
let isStopped = false

/** Sets the message about what was done before the command was stopped. */
export function sayWhenStopped(say: () => string): void {
  outcome = say
}

/** `print` prints a message for people. A second signal ends the program at once. */
export function stopOnSignals(print: (message: string) => void): void {
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return
      if (isStopped) process.exit(EXIT_CODES[signal])
      isStopped = true
      if (undoAll()) {
        print(outcome())
        process.exit(EXIT_CODES[signal])
      }
      print('finishing what is being published')
    })
}

/**
 * Runs `work`, and calls `stop` on the first signal, which must make the work end. Returns the exit code of the
 * signal, if one came.
 */
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
