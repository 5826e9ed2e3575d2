/** Where the log of a server goes, and how SIGHUP affects it. */
import { appendFileSync, closeSync, openSync } from 'node:fs'
import { MODES } from '../../builder/system/effects.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { createLogWriter, type LogOutput } from '../../serve/http/log-writer.ts'
import type { ServerOptions } from '../../serve/server.ts'
import { failureOf, RefusedError } from '../terminal/exit.ts'

export type ServerLog = Required<Pick<ServerOptions, 'log' | 'droppedLines'>> & {
  /** Writes a line about an event of the command itself. */
  readonly line: (entry: { readonly event: string; readonly detail: string }) => void
}

/** Logs to stderr. The event `error` is ignored, because the callback of each write reports the same failure. */
export function logToStderr(): ServerLog {
  process.stderr.on('error', () => {})
  return logTo(createLogWriter(process.stderr))
}

/**
 * Logs to stderr, or to the file of `server.log`, which SIGHUP opens again. Without a file SIGHUP changes nothing:
 * a server outlives the terminal in which it was started.
 */
export function openServerLog({ log: path }: Pick<Workspace['server'], 'log'>): ServerLog {
  if (path === null) {
    const log = logToStderr()
    process.on('SIGHUP', () => log.line(NO_FILE))
    return log
  }
  const file = opened(path)
  const log = logTo(createLogWriter(file))
  process.on('SIGHUP', () => {
    try {
      file.reopen()
      log.line({ event: 'log-reopened', detail: path })
    } catch (problem) {
      log.line({ event: 'log-not-reopened', detail: failureOf(problem).message })
    }
  })
  return log
}

const NO_FILE = { event: 'hangup', detail: 'the log goes to stderr: there is no server.log to open anew' }

function opened(path: string): ReturnType<typeof openLogFile> {
  try {
    return openLogFile(path)
  } catch (problem) {
    throw new RefusedError(`${failureOf(problem).message}; it is the server.log of tieout.yaml`, {
      cause: problem,
    })
  }
}

function logTo({ write, flush, dropped }: ReturnType<typeof createLogWriter>): ServerLog {
  process.on('exit', flush)
  return { log: write, line: write, droppedLines: dropped }
}

interface LogFile extends LogOutput {
  /**
   * Opens the path again, so that further lines go to the new file. Throws where that fails; the old file then
   * stays in use.
   */
  reopen(): void
}

/**
 * Opens the file that the log is appended to; a log rotation renames it and has it reopened. Throws as `node:fs` does.
 */
function openLogFile(path: string): LogFile {
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
