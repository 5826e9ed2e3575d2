/**
 * Divides this machine among the companies or snapshots that a command has under way: cores, and the memory that `--memory` allows.
 * Owns how much a process, a thread and a database take. Must not start any of them.
 */
import { availableParallelism, totalmem } from 'node:os'

const MB = 1024 ** 2

/** What a process takes besides its database and its threads: Node.js, the program, and the sums of a company. */
const PROCESS = 300 * MB
/** What each thread of DuckDB needs at least for a million postings. What does not fit is written to temporary files. */
const DATABASE_THREAD = 100 * MB
/** What a thread that makes documents takes, for a million postings. */
const THREAD = 80 * MB
/** The part of the memory beside the process that all threads together may take, where each then gets more than {@link THREAD}. */
const THREADS_PART = 0.25
/**
 * Without `--memory`, DuckDB gets at most this, or this for each thread if that is more: a build of ten million
 * postings takes hardly longer than with any memory.
 */
const DATABASE_UNASKED = { all: 1500 * MB, thread: 150 * MB }

/** The least memory in bytes with which a company can be built or a snapshot verified. */
export const LEAST_MEMORY = PROCESS + DATABASE_THREAD

export interface Sharing {
  /** How many companies or snapshots share the machine, each in a process of its own; the default is 1. */
  readonly share?: number
  /** How many bytes of memory all of them may take; the default is half of the machine's. */
  readonly memory?: number
  /** How many threads make the documents of one of them; by default as its share of cores and memory, and the number of documents, suggest. */
  readonly workers?: number
}

/** What one process of those that share the machine may use. Memory is in bytes. */
export interface Portion {
  /** The most threads that make documents, and the memory of each. A single one is the main thread, which takes it from the memory of the process. */
  readonly threads: { readonly count: number; readonly bytes: number }
  readonly database: { readonly threads: number; readonly bytes: number }
}

export function portionOf({ share = 1, memory, workers }: Sharing): Portion {
  const own = (memory ?? usualMemory()) / share
  const cores = Math.max(1, Math.floor(availableParallelism() / share))
  const count = Math.max(1, Math.min(workers ?? cores, Math.floor((own - LEAST_MEMORY) / THREAD)))
  const each = Math.max(THREAD, ((own - PROCESS) * THREADS_PART) / count)
  const rest = own - PROCESS - (count > 1 ? count * each : 0)
  const unasked = Math.max(DATABASE_UNASKED.all, cores * DATABASE_UNASKED.thread)
  const bytes = Math.max(DATABASE_THREAD, memory === undefined ? Math.min(rest, unasked) : rest)
  return {
    threads: { count, bytes: each },
    database: { threads: Math.max(1, Math.min(cores, Math.floor(bytes / DATABASE_THREAD))), bytes },
  }
}

/** How many companies or snapshots may be under way at once with that memory, `most` at most. */
export const atOnceWithin = (memory: number | undefined, most: number): number =>
  Math.max(1, Math.min(most, Math.floor((memory ?? usualMemory()) / LEAST_MEMORY)))

/** Half of the memory of this machine, or of the container in which this process runs. */
export function usualMemory(): number {
  // Without a limit this is 0 or larger than any machine.
  const allowed = process.constrainedMemory()
  return (allowed > 0 ? Math.min(allowed, totalmem()) : totalmem()) / 2
}
