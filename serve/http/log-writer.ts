/**
 * Writes the log as lines of JSON to a stream. The log must never end a server or fill its memory: where the disk
 * is full or the reader is gone or does not read, lines are dropped and counted, and the next line that can be
 * written states how many.
 */

/** The destination of lines, such as a stream. */
export interface LogOutput {
  /** Bytes passed on and not written yet. */
  readonly writableLength: number
  write(text: string, done: (problem?: Error | null) => void): unknown
}

interface LogWriter {
  /**
   * Writes an event as one line that begins with its time. Lines of one turn of the event loop are written
   * together.
   */
  write(entry: { readonly event: string }): void
  /** Writes at once what would be written at the end of this turn. */
  flush(): void
  /** The number of lines dropped since the start. */
  dropped(): number
}

/** Bytes that may wait for a reader that does not read. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024

export function createLogWriter(out: LogOutput): LogWriter {
  let lines: string[] = []
  /** Lines dropped in all, and those that no line has reported yet. */
  let [dropped, unreported] = [0, 0]

  function drop(count: number): void {
    dropped += count
    unreported += count
  }

  function flush(): void {
    const batch = lines
    lines = []
    if (batch.length === 0) return
    if (out.writableLength > MOST_WAITING_BYTES) drop(batch.length)
    else writeLines(batch)
  }

  function writeLines(batch: readonly string[]): void {
    const count = unreported
    unreported = 0
    out.write(gap(count) + batch.join(''), (problem) => {
      if (!problem) return
      drop(batch.length)
      unreported += count
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

/** Starts with a line end, since the write that failed may have left half a line. */
const gap = (count: number): string =>
  count === 0 ? '' : `\n${lineOf({ event: 'log-lines-dropped', lines: count })}`

const lineOf = (entry: { readonly event: string; readonly lines?: number }): string =>
  `{"time":"${new Date().toISOString()}",${JSON.stringify(entry).slice(1)}\n`
