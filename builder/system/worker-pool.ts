/**
 * A pool of workers that carry out orders, which may write files: threads, or this thread alone. Where a thread ends or an
 * order fails, all orders fail: a result without the others is of no use.
 */
import { deserialize, serialize } from 'node:v8'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { present } from '../contract/present.ts'
import { undoWhenStopped } from './interrupt.ts'
import { NoRoomError, ThreadEndedError } from './refusals.ts'

/** What the threads of a pool do, and how their failures are reported. */
interface Work {
  /** The module that each thread runs. It takes orders with {@link serveOrders}, and its data from {@link givenData}. */
  readonly module: URL
  /** Names the work in messages: `this build`. */
  readonly name: string
  /** A sentence that says what to do after a thread ended. */
  readonly remedy: string
  /** The classes of errors that keep their class on the way from a thread, by their codes. */
  readonly errors: Readonly<Record<string, new (message: string) => Error>>
}

export interface WorkerPool<Order, Result> {
  run(order: Order): Promise<Result>
  /** Ends the pool; when this resolves, no order is running any more. */
  close(): Promise<void>
}

/** Names who needs the pool, for messages where a thread ended. */
export type Purpose = Pick<Work, 'name' | 'remedy'>

/** A pool that carries out the orders in this thread. */
export function inThisThread<Order, Result>(make: (order: Order) => Result): WorkerPool<Order, Result> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (order) => {
      const made = last.then(() => make(order))
      last = made.catch(() => {})
      return made
    },
    close: async () => void (await last),
  }
}

/** Starts a pool of `count` threads, each of which may take `bytes` of memory and gets the `data`. */
export const workerThreads = <Order, Result>(
  work: Work,
  data: unknown,
  count: number,
  bytes: number,
): WorkerPool<Order, Result> => new Threads(work, data, count, bytes)

/**
 * How many orders a thread is given beyond the one that it carries out, so that it need not wait while the main thread is
 * busy. The last orders are then spread less evenly, so they should be short.
 */
const AHEAD = 1

type Reply<Result> = { readonly result: Result } | { readonly problem: Problem }

/** An error as plain data: a structured clone would keep nothing but its message. */
type Problem = Pick<NodeJS.ErrnoException, 'message' | 'code' | 'path' | 'stack'>

/** What a thread is given when it starts. */
interface Given {
  readonly data: unknown
  /** How many orders are under way in all threads: the main thread counts up, the threads count down. */
  readonly underWay: Int32Array
}

interface Waiting<Order, Result> {
  readonly order: Order
  readonly resolve: (result: Result) => void
  readonly reject: (problem: unknown) => void
}

/** A thread with the orders that it has not answered yet, in their order. */
interface BusyThread<Order, Result> {
  readonly worker: Worker
  readonly orders: Waiting<Order, Result>[]
}

class Threads<Order, Result> implements WorkerPool<Order, Result> {
  readonly #threads: BusyThread<Order, Result>[] = []
  readonly #waiting: Waiting<Order, Result>[] = []
  readonly #forget: () => void
  readonly #work: Work
  readonly #bytes: number
  readonly #data: unknown
  /** The counter `underWay` of {@link Given}. */
  readonly #count = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #isClosing = false
  #failure: { readonly reason: unknown } | null = null

  constructor(work: Work, data: unknown, count: number, bytes: number) {
    this.#work = work
    this.#bytes = bytes
    this.#data = data
    while (this.#threads.length < count) this.#threads.push(this.#startOrEnd())
    this.#forget = undoWhenStopped(() => this.#waitForLast())
  }

  /** Where one cannot be started, the others are ended: the constructor throws, so nobody could close them. */
  #startOrEnd(): BusyThread<Order, Result> {
    try {
      return this.#start()
    } catch (cause) {
      const { name, remedy } = this.#work
      const reason = new NoRoomError(
        `a thread of ${name} could not be started (${(cause as Error).message}): this user may have too few threads (ulimit -u, or TasksMax or a limit of pids of a container), or there is not enough memory. ${remedy}`,
        { cause },
      )
      this.#isClosing = true
      for (const { worker } of this.#threads) void worker.terminate()
      this.#fail(reason)
      throw reason
    }
  }

  /** Rejects with the failure of this order, or of any other one. */
  run(order: Order): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order, resolve, reject })
      this.#next()
    })
  }

  /** Ends all threads at once, whatever they are doing: afterwards none of them touches a file any more. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#forget()
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #start(): BusyThread<Order, Result> {
    const { name, remedy } = this.#work
    const given: Given = { data: this.#data, underWay: this.#count }
    const worker = new Worker(this.#work.module, {
      workerData: given,
      resourceLimits: { maxOldGenerationSizeMb: Math.floor((this.#bytes * HEAP_PART) / 1024 ** 2) },
    })
    const orders: Waiting<Order, Result>[] = []
    worker.on('message', (reply: Reply<Result>) => {
      // After a failure nobody waits for further results.
      if (this.#failure) return
      if ('problem' in reply) return this.#fail(errorOf(reply.problem, this.#work))
      present(orders.shift(), 'order of the thread').resolve(reply.result)
      this.#next()
    })
    worker.on('error', (problem) => this.#fail(deathOf(problem, this.#work)))
    worker.on('exit', (code) => {
      if (!this.#isClosing)
        this.#fail(new ThreadEndedError(`a thread of ${name} ended with ${code}. ${remedy}`))
    })
    return { worker, orders }
  }

  /** Gives the next order to the thread that has the fewest, unless all have as many as they may. */
  #next(): void {
    if (this.#failure) {
      for (const { reject } of [
        ...this.#threads.flatMap(({ orders }) => orders.splice(0)),
        ...this.#waiting.splice(0),
      ])
        reject(this.#failure.reason)
      return
    }
    const [thread] = this.#threads.toSorted((a, b) => a.orders.length - b.orders.length)
    if (!thread || thread.orders.length > AHEAD) return
    const next = this.#waiting.shift()
    if (!next) return
    Atomics.add(this.#count, 0, 1)
    thread.worker.postMessage(next.order)
    thread.orders.push(next)
  }

  /** Waits until no order is under way, before what orders write is removed. It blocks this thread, so that no further order is given. */
  #waitForLast(): void {
    const until = Date.now() + PATIENCE_MS
    for (
      let left = Atomics.load(this.#count, 0);
      left > 0 && Date.now() < until;
      left = Atomics.load(this.#count, 0)
    )
      Atomics.wait(this.#count, 0, left, until - Date.now())
  }

  /** Fails all orders. The first reason is reported: the others may follow from it. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#next()
  }
}

/**
 * How long to wait for orders under way: each takes less than a second. One whose thread died never ends; the next
 * build removes what it left.
 */
const PATIENCE_MS = 5000

function deathOf(problem: NodeJS.ErrnoException, { name, remedy }: Work): Error {
  if (problem.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new NoRoomError(`a thread of ${name} had not enough memory. ${remedy}`)
  // The operating system refused something, such as one more open file: the same error could have come from this thread.
  if (problem.syscall !== undefined) return problem
  return new ThreadEndedError(`a thread of ${name} failed: ${problem.message}`, { cause: problem })
}

function errorOf({ message, ...rest }: Problem, { errors }: Work): Error {
  const Class = errors[rest.code ?? ''] ?? Error
  return Object.assign(new Class(message), rest)
}

/** The part of a thread's memory for its old objects; code, stack and new objects take the rest. */
const HEAP_PART = 0.75

/** For code in a thread: the data that the pool was started with. */
export const givenData = (): unknown => (workerData as Given).data

/** A value that many orders need; each thread copies it once. */
export interface Shared<Value> {
  readonly number: number
  readonly bytes: SharedArrayBuffer
  /** Never set; keeps the type of the value. */
  readonly value?: Value
}

let shares = 0

export function shareWithThreads<Value>(value: Value): Shared<Value> {
  const bytes = serialize(value)
  const shared = new SharedArrayBuffer(bytes.length)
  bytes.copy(new Uint8Array(shared))
  return { number: shares++, bytes: shared }
}

let lastShared: { readonly number: number; readonly value: unknown } | null = null

/** Returns the value. Orders with the same value follow each other, so that only the last one is kept. */
export function sharedValue<Value>({ number, bytes }: Shared<Value>): Value {
  if (lastShared?.number !== number) lastShared = { number, value: deserialize(new Uint8Array(bytes)) }
  return lastShared.value as Value
}

/** For code in a thread: carries out the orders, one after the other. */
export function serveOrders<Order, Result>(make: (order: Order) => Result): void {
  const port = present(parentPort, 'thread that orders')
  const { underWay } = workerData as Given
  port.on('message', (order: Order) => {
    const reply = replyOf(make, order)
    Atomics.sub(underWay, 0, 1)
    Atomics.notify(underWay, 0)
    port.postMessage(reply)
  })
}

function replyOf<Order, Result>(make: (order: Order) => Result, order: Order): Reply<Result> {
  try {
    return { result: make(order) }
  } catch (problem) {
    const { message, code, path, stack } = problem as NodeJS.ErrnoException
    return { problem: { message, code, path, stack } as Problem }
  }
}
