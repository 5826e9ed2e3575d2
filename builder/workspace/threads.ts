/** Threads that take orders one by one. One that ends or fails takes all with it: what needs the others' work is not whole. */
import { deserialize, serialize } from 'node:v8'
import { parentPort, Worker, type WorkerOptions, workerData } from 'node:worker_threads'
import { present } from '../contract/present.ts'
import { undoWhenStopped } from './interrupt.ts'
import { NoRoomError, ThreadEndedError } from './refusals.ts'

/** What threads do, and how their failures are told. */
export interface Work {
  /** Takes orders with {@link serveOrders}, and its data from {@link givenData}. */
  readonly module: URL
  /** For messages: `this build`. */
  readonly name: string
  /** What to do where a thread ended, as a sentence. */
  readonly remedy: string
  /** Classes of errors that orders may throw and that are told apart, by their codes. */
  readonly errors: Readonly<Record<string, new (message: string) => Error>>
  /**
   * How many orders a thread is given beyond the one that it carries out (default: none), so that it need not wait while the main thread
   * is busy. The last orders are then spread less evenly, so they should be short.
   */
  readonly ahead?: number
  /** Whether orders write files (default: no). Who stops the program then waits for those under way before what they write is removed. */
  readonly writes?: boolean
}

/** Those who carry out orders, whoever they are. */
export interface Hands<Order, Result> {
  run(order: Order): Promise<Result>
  /** Afterwards none of them does anything any more. */
  close(): Promise<void>
}

/** Who needs threads, for messages where one ended. */
export type Purpose = Pick<Work, 'name' | 'remedy'>

type Reply<Result> = { readonly result: Result } | { readonly problem: Problem }

/** An error as plain data: of a copy nothing would be left but its message. */
type Problem = Pick<NodeJS.ErrnoException, 'message' | 'code' | 'path' | 'stack'>

/** What a thread is given when it starts. */
interface Given {
  readonly data: unknown
  /** How many orders are under way in all threads: counted up by who gives them, down by who carries them out. */
  readonly underWay: Int32Array
}

interface Waiting<Order, Result> {
  readonly order: Order
  readonly resolve: (result: Result) => void
  readonly reject: (problem: unknown) => void
}

/** A thread, and the orders that it was given and has not answered, in their order. */
interface Hand<Order, Result> {
  readonly worker: Worker
  readonly orders: Waiting<Order, Result>[]
}

export class Threads<Order, Result> implements Hands<Order, Result> {
  readonly #hands: Hand<Order, Result>[] = []
  readonly #waiting: Waiting<Order, Result>[] = []
  readonly #forget: () => void
  readonly #work: Work
  readonly #bytes: number
  readonly #data: unknown
  /** {@link Given} */
  readonly #count = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #isClosing = false
  #failure: { readonly reason: unknown } | null = null

  /** `bytes` is the memory that each of them may take. */
  constructor(work: Work, data: unknown, count: number, bytes: number) {
    this.#work = work
    this.#bytes = bytes
    this.#data = data
    while (this.#hands.length < count) this.#hands.push(this.#startOrEnd())
    this.#forget = work.writes ? undoWhenStopped(() => this.#waitForLast()) : () => {}
  }

  /** Where one cannot be started, the others end too: nobody may have an object yet to close them by. */
  #startOrEnd(): Hand<Order, Result> {
    try {
      return this.#start()
    } catch (cause) {
      const { name, remedy } = this.#work
      const reason = new NoRoomError(
        `a thread of ${name} could not be started (${(cause as Error).message}): this user may have too few threads (ulimit -u, or TasksMax or a limit of pids of a container), or there is not enough memory. ${remedy}`,
        { cause },
      )
      this.#isClosing = true
      for (const { worker } of this.#hands) void worker.terminate()
      this.#fail(reason)
      throw reason
    }
  }

  /** Rejects with what the order failed of, or any other one. */
  run(order: Order): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order, resolve, reject })
      this.#next()
    })
  }

  /** Ends them, whatever they are at: afterwards none of them touches a file any more. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#forget()
    await Promise.all(this.#hands.map(({ worker }) => worker.terminate()))
  }

  #start(): Hand<Order, Result> {
    const { name, remedy } = this.#work
    const given: Given = { data: this.#data, underWay: this.#count }
    const worker = threadOf(this.#work.module, {
      workerData: given,
      resourceLimits: { maxOldGenerationSizeMb: Math.floor((this.#bytes * HEAP_PART) / 1024 ** 2) },
    })
    const orders: Waiting<Order, Result>[] = []
    worker.on('message', (reply: Reply<Result>) => {
      // What comes after a failure nobody waits for.
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

  /** Gives the next order to the thread that has the fewest, unless all have enough. */
  #next(): void {
    if (this.#failure) {
      for (const { reject } of [
        ...this.#hands.flatMap(({ orders }) => orders.splice(0)),
        ...this.#waiting.splice(0),
      ])
        reject(this.#failure.reason)
      return
    }
    const [hand] = this.#hands.toSorted((a, b) => a.orders.length - b.orders.length)
    if (!hand || hand.orders.length > (this.#work.ahead ?? 0)) return
    const next = this.#waiting.shift()
    if (!next) return
    Atomics.add(this.#count, 0, 1)
    hand.worker.postMessage(next.order)
    hand.orders.push(next)
  }

  /** Before what they write is removed. This thread does nothing else meanwhile, so that no further order is given. */
  #waitForLast(): void {
    const until = Date.now() + PATIENCE_MS
    for (
      let left = Atomics.load(this.#count, 0);
      left > 0 && Date.now() < until;
      left = Atomics.load(this.#count, 0)
    )
      Atomics.wait(this.#count, 0, left, until - Date.now())
  }

  /** The first reason is the one that is told: the others may follow from it. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#next()
  }
}

/** An order takes less than a second. One whose thread died never ends: what it leaves the next build clears. */
const PATIENCE_MS = 5000

function deathOf(problem: NodeJS.ErrnoException, { name, remedy }: Work): Error {
  if (problem.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new NoRoomError(`a thread of ${name} had not enough memory. ${remedy}`)
  // The operating system refused something, such as one more open file: the reason is the same as in this thread.
  if (problem.syscall !== undefined) return problem
  return new ThreadEndedError(`a thread of ${name} failed: ${problem.message}`, { cause: problem })
}

function errorOf({ message, ...rest }: Problem, { errors }: Work): Error {
  const Class = errors[rest.code ?? ''] ?? Error
  return Object.assign(new Class(message), rest)
}

/** The part of a thread's memory for its objects. Code, stack and what was made just now take the rest. */
const HEAP_PART = 0.75

/** Sources run by tsx as they are: a thread does not inherit what loads them. */
function threadOf(module: URL, options: WorkerOptions): Worker {
  if (module.pathname.endsWith('.js')) return new Worker(module, options)
  const [loader, own] = [import.meta.resolve('tsx/esm/api'), module.href].map((each) => JSON.stringify(each))
  return new Worker(`import(${loader}).then((tsx) => { tsx.register(); return import(${own}) })`, {
    ...options,
    eval: true,
  })
}

/** In a thread: the data that it was started with. */
export const givenData = (): unknown => (workerData as Given).data

/** What many orders need. A thread copies it once. */
export interface Shared<Value> {
  readonly number: number
  readonly bytes: SharedArrayBuffer
  /** Never set; keeps the type of the value. */
  readonly value?: Value
}

let shares = 0

export function share<Value>(value: Value): Shared<Value> {
  const bytes = serialize(value)
  const shared = new SharedArrayBuffer(bytes.length)
  bytes.copy(new Uint8Array(shared))
  return { number: shares++, bytes: shared }
}

let lastShared: { readonly number: number; readonly value: unknown } | null = null

/** The value. Orders that need the same come one after the other, so that only the last one is kept. */
export function sharedValue<Value>({ number, bytes }: Shared<Value>): Value {
  if (lastShared?.number !== number) lastShared = { number, value: deserialize(new Uint8Array(bytes)) }
  return lastShared.value as Value
}

/** In a thread: makes what is ordered, one after the other. */
export function serveOrders<Order, Result>(make: (order: Order) => Promise<Result>): void {
  const port = present(parentPort, 'thread that orders')
  const { underWay } = workerData as Given
  let last: Promise<unknown> = Promise.resolve()
  port.on('message', (order: Order) => {
    last = last.then(async () => {
      const reply = await replyOf(make(order))
      Atomics.sub(underWay, 0, 1)
      Atomics.notify(underWay, 0)
      port.postMessage(reply)
    })
  })
}

const replyOf = <Result>(made: Promise<Result>): Promise<Reply<Result>> =>
  made.then(
    (result) => ({ result }),
    ({ message, code, path, stack }: NodeJS.ErrnoException) => ({
      problem: { message, code, path, stack } as Problem,
    }),
  )
