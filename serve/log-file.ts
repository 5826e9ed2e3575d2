/** The file that the log is appended to. Whoever rotates logs moves it away, and then has it opened anew. */
import { appendFileSync, closeSync, openSync } from 'node:fs'
import { MODES } from '../builder/workspace/effects.ts'
import type { LogOutput } from './log-writer.ts'

export interface LogFile extends LogOutput {
  /** From now on lines go to the file that has the path now. Throws where it cannot be opened; the old one then goes on. */
  reopen(): void
}

/** Several processes may append to one file. Throws as `node:fs` does. */
export function openLogFile(path: string): LogFile {
  const open = (): number => openSync(path, 'a', MODES.file)
  let descriptor = open()
  return {
    // Written at once, as Node does on a stderr that is a file: so nothing is lost at the end of the process.
    writableLength: 0,
    write: (text, done) => {
      try {
        appendFileSync(descriptor, text)
      } catch (problem) {
        return done(problem as Error)
      }
      done()
    },
    reopen: () => {
      const next = open()
      closeSync(descriptor)
      descriptor = next
    },
  }
}
