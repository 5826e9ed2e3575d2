/** Work divided among processes, one piece at a time each: one that runs out of memory takes no other with it. */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, freemem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Failure } from './exit.ts'

/** What a process says of an order: how far it is, then the end of it. */
export type Reply<Progress, Result> =
  | { readonly progress: Progress }
  | { readonly result: Result }
  /** `trace` is the stack, for --debug. */
  | { readonly failure: Failure; readonly trace: string }
  /** Only of a process that ended: `with 1`, `by SIGKILL`. */
  | { readonly ended: string }

export type End<Result> = Exclude<Reply<never, Result>, { readonly progress: never }>

/** How many of `pieces` are done at once: as many as there are cores, and room in memory for `bytes` each. */
export const atOnce = (pieces: number, bytes: number): number =>
  Math.max(1, Math.min(pieces, availableParallelism(), Math.floor(freemem() / bytes)))

export class Pool<Order extends object, Progress, Result> {
  readonly #module: string
  readonly #free: (ChildProcess | null)[]
  readonly #children = new Set<ChildProcess>()
  #closed = false
  readonly #waiting: ((child: ChildProcess | null) => void)[] = []

  /** `module` stands beside the one that asks, and takes its orders with {@link serveOrders}; `at` is import.meta.url. */
  constructor(module: string, at: string, processes: number) {
    this.#module = fileURLToPath(new URL(`${module}${extname(at)}`, at))
    this.#free = Array.from({ length: processes }, () => null)
  }

  /** Begins when one of the processes is free, and says so by `begin`. */
  async run(
    order: Order,
    { begin, progress }: { readonly begin?: () => void; readonly progress?: (at: Progress) => void } = {},
  ): Promise<End<Result>> {
    const idle = this.#free.pop()
    // Null is a place for a process that is not started yet.
    const free = idle === undefined ? await this.#next() : idle
    if (this.#closed) return { ended: 'with the others, since one of them failed' }
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

  /** What runs still, since something else failed, is ended: nobody waits for it. */
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
  // A process that was killed cannot be written to: its end says all there is to say.
  child.on('error', () => {})
  return child
}

const isThere = (child: ChildProcess | null): child is ChildProcess =>
  child?.connected === true && child.exitCode === null && child.signalCode === null

function take<Order extends object, Progress, Result>(
  child: ChildProcess,
  order: Order,
  progress: ((at: Progress) => void) | undefined,
): Promise<End<Result>> {
  return new Promise((resolve) => {
    const settle = (end: End<Result>): void => {
      child.removeListener('message', onMessage)
      child.removeListener('exit', onExit)
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
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.send(order)
  })
}
