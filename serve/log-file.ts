/** The file that the log is appended to. A log rotation renames it, and then has it reopened. */
import { appendFileSync, closeSync, openSync } from 'node:fs'
import { MODES } from '../builder/workspace/effects.ts'
import type { LogOutput } from './log-writer.ts'

export interface LogFile extends LogOutput {
  /**
   * Opens the path again, so that further lines go to the new file. Throws where that fails; the old file then
   * stays in use.
   */
  reopen(): void
}

/** Throws as `node:fs` does. */
export function openLogFile(path: string): LogFile {
  const open = (): number => openSync(path, 'a', MODES.file)
  let descriptor = open()
  return {
    // Lines are written synchronously, as Node does for a stderr that is a file, so that nothing is lost when the
    // process ends.
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
