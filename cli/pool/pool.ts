/**
 * A pool of processes that carry out one order at a time each. A process that runs out of memory does not end the
 * others.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, freemem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atOnceWithin, usualMemory } from '../../builder/system/machine.ts'
import type { CommandFailure } from '../terminal/exit.ts'

/** What a process sends about an order: its progress, then its end. */
export type Reply<Progress, Result> =
  | { readonly progress: Progress }
  | { readonly result: Result }
  /** `trace` is the stack, which --debug prints. */
  | { readonly failure: CommandFailure; readonly trace: string }
  /** How a process ended that sent no result: `with 1`, `by SIGKILL`, `before it began (spawn EAGAIN)`. */
  | { readonly ended: string }

export type End<Result> = Exclude<Reply<never, Result>, { readonly progress: never }>

/** Memory in bytes that a company of a million postings takes. */
const MEMORY_EACH = 1024 ** 3

/**
 * How many of `count` companies or snapshots are under way at once: as many as `jobs` asks for, or else as there are
 * cores, but no more than there are free gigabytes. The memory that is allowed limits both.
 */
export function atOnce(
  count: number,
  { jobs, memory }: { readonly jobs?: number | undefined; readonly memory?: number | undefined },
): number {
  const free = Math.floor(Math.min(freemem(), memory ?? usualMemory()) / MEMORY_EACH)
  const wanted = jobs ?? Math.max(1, Math.min(availableParallelism(), free))
  return atOnceWithin(memory, Math.min(count, wanted))
}

export class Pool<Order extends object, Progress, Result> {
  readonly #module: string
  readonly #free: (ChildProcess | null)[]
  readonly #children = new Set<ChildProcess>()
  #closed = false
  readonly #waiting: ((child: ChildProcess | null) => void)[] = []

  /**
   * `module` is a file beside the caller that handles orders with {@link serveParent}; `at` is the caller's
   * import.meta.url.
   */
  constructor(module: string, at: string, processes: number) {
    this.#module = fileURLToPath(new URL(`${module}${extname(at)}`, at))
    this.#free = Array.from({ length: processes }, () => null)
  }

  /** Carries out an order when a process is free, and calls `begin` then. */
  async run(
    order: Order,
    { begin, progress }: { readonly begin?: () => void; readonly progress?: (at: Progress) => void } = {},
  ): Promise<End<Result>> {
    const idle = this.#free.pop()
    // Null stands for a process that was not started yet.
    const free = idle === undefined ? await this.#next() : idle
    if (this.#closed) return { ended: 'with the others, which were stopped' }
    const child = isThere(free) ? free : start(this.#module)
    this.#children.add(child)
    begin?.()
    try {
      return await take<Order, Progress, Result>(child, order, progress)
    } finally {
      const next = this.#waiting.shift()
      if (next) next(child)
      else this.#free.push(child)
    }
  }

  /** Ends the processes that still run, since somebody stops the program; what one of them is publishing is finished. */
  stop(): void {
    this.#closed = true
    for (const child of this.#children) if (isThere(child)) child.kill('SIGTERM')
    for (const waiting of this.#waiting.splice(0)) waiting(null)
  }

  /** Ends the processes that still run because another one failed: nobody waits for their results. */
  close(): void {
    this.#closed = true
    for (const child of this.#children) if (isThere(child)) child.disconnect()
  }

  #next(): Promise<ChildProcess | null> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

function start(module: string): ChildProcess {
  const child = fork(module, [], {
    serialization: 'advanced',
    execArgv: process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // Writing to a killed process is an error; its `exit` event reports what happened.
  child.on('error', () => {})
  return child
}

/** A process that could not be started has no number. */
const isThere = (child: ChildProcess | null): child is ChildProcess =>
  child?.pid !== undefined && child.connected && child.exitCode === null && child.signalCode === null

function take<Order extends object, Progress, Result>(
  child: ChildProcess,
  order: Order,
  progress: ((at: Progress) => void) | undefined,
): Promise<End<Result>> {
  return new Promise((resolve) => {
    const settle = (end: End<Result>): void => {
      child.removeListener('message', onMessage)
      child.removeListener('exit', onExit)
      child.removeListener('error', onError)
      resolve(end)
    }
    const onMessage = (reply: Reply<Progress, Result>): void => {
      if ('progress' in reply) progress?.(reply.progress)
      else settle(reply)
    }
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      const how = signal === null ? `with ${code}` : `by ${signal}`
      settle({ ended: signal === 'SIGKILL' ? `${how}; most likely there was not enough memory` : how })
    }
    // A process that could not be started never exits.
    const onError = ({ message }: Error): void => {
      if (child.pid !== undefined) return
      if (child.connected) child.disconnect()
      settle({ ended: `before it began (${message})` })
    }
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.on('error', onError)
    child.send(order)
  })
}
