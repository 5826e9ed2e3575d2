/** Where the log of a server goes, and how SIGHUP affects it. */
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { openLogFile } from '../../serve/log-file.ts'
import { createLogWriter } from '../../serve/log-writer.ts'
import type { ServerOptions } from '../../serve/server.ts'
import { failureOf, RefusedError } from '../exit.ts'

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
