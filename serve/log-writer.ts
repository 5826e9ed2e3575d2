/**
 * The log as lines of JSON on a stream. It must never be what ends a server or fills its memory: where the disk is full,
 * its reader has gone or does not read, lines are dropped and counted, and the first line that goes through says so.
 */

/** Where lines go; a stream is one. */
export interface LogOutput {
  /** What was handed over and is not written yet. */
  readonly writableLength: number
  write(text: string, done: (problem?: Error | null) => void): unknown
}

export interface LogWriter {
  /** One event as one line, its time first. Lines of one turn of the event loop are one write. */
  write(entry: { readonly event: string }): void
  /** Writes at once what waits for the end of this turn. */
  flush(): void
  /** Lines dropped since the start. */
  dropped(): number
}

/** What waits for a reader that does not read, at most, about. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

export function createLogWriter(out: LogOutput): LogWriter {
  let lines: string[] = []
  /** In all, and those of which no line has told yet. */
  let [dropped, untold] = [0, 0]

  function drop(count: number): void {
    dropped += count
    untold += count
  }

  function flush(): void {
    const batch = lines
    lines = []
    if (batch.length === 0) return
    if (out.writableLength > MOST_WAITING_BYTES) {
      drop(batch.length)
      return
    }
    const told = untold
    untold = 0
    out.write(gap(told) + batch.join(''), (problem) => {
      if (!problem) return
      drop(batch.length)
      untold += told
    })
  }

  return {
    write: (entry) => {
      if (lines.length === 0) setImmediate(flush)
      lines.push(lineOf(entry))
    },
    flush,
    dropped: () => dropped,
  }
}

/** The write that failed may have left half a line, which ends here. */
const gap = (count: number): string =>
  count === 0 ? '' : `\n${lineOf({ event: 'log-lines-dropped', lines: count })}`

const lineOf = (entry: { readonly event: string; readonly lines?: number }): string =>
  `{"time":"${timeOf(Date.now())}",${JSON.stringify(entry).slice(1)}\n`

/** Many lines are of one millisecond, and its text takes as long as a line. */
let latest = { at: Number.NaN, text: '' }
function timeOf(at: number): string {
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() }
  return latest.text
}
