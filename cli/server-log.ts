/** Where a server's log goes, and what a hangup (SIGHUP) does to it. */
import { openLogFile } from '../serve/log-file.ts'
import { createLogWriter } from '../serve/log-writer.ts'
import type { ServerOptions } from '../serve/server.ts'
import { failureOf, RefusedError } from './exit.ts'

type ServerLog = Required<Pick<ServerOptions, 'log' | 'droppedLines'>> & {
  /** One line of the command's own. */
  readonly line: (entry: { readonly event: string; readonly detail: string }) => void
}

/** To stderr, where the callback of each write says what its event `error` would. */
export function logToStderr(): ServerLog {
  process.stderr.on('error', () => {})
  return logTo(createLogWriter(process.stderr))
}

/**
 * To stderr, or to the file of `server.log`, which SIGHUP opens anew. Without a file a hangup changes nothing: a server
 * outlives the terminal that it was started in.
 */
export function openServerLog(path: string | null): ServerLog {
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
