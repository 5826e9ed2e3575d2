/** Threads that take orders one by one. One that ends or fails takes all with it: what needs the others' work is not whole. */
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { present } from '../contract/present.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { undoWhenStopped } from '../workspace/interrupt.ts'
import { NoRoomError } from '../workspace/refusals.ts'

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

export class Threads<Order, Result> {
  readonly #workers: Worker[]
  readonly #idle: Worker[]
  readonly #waiting: Waiting<Order, Result>[] = []
  readonly #underWay = new Map<Worker, Waiting<Order, Result>>()
  readonly #forget: () => void
  /** {@link Given} */
  readonly #count = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #isClosing = false
  #failure: { readonly reason: unknown } | null = null

  /** `module` takes orders with {@link serveOrders}, and `data` from {@link givenData}. */
  constructor(module: URL, data: unknown, count: number) {
    const given: Given = { data, underWay: this.#count }
    this.#workers = Array.from({ length: count }, () => this.#start(module, given))
    this.#idle = [...this.#workers]
    this.#forget = undoWhenStopped(() => this.#waitForLast())
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
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }

  #start(module: URL, given: Given): Worker {
    const worker = threadOf(module, given)
    worker.on('message', (reply: Reply<Result>) => {
      // What comes after a failure nobody waits for.
      if (this.#failure) return
      if ('problem' in reply) return this.#fail(errorOf(reply.problem))
      const done = present(this.#underWay.get(worker), 'order of the thread')
      this.#underWay.delete(worker)
      this.#idle.push(worker)
      done.resolve(reply.result)
      this.#next()
    })
    worker.on('error', (problem) => this.#fail(deathOf(problem)))
    worker.on('exit', (code) => {
      if (!this.#isClosing) this.#fail(new Error(`a thread of this build ended with ${code}. ${ALONE}`))
    })
    return worker
  }

  #next(): void {
    if (this.#failure) {
      for (const { reject } of [...this.#underWay.values(), ...this.#waiting.splice(0)])
        reject(this.#failure.reason)
      this.#underWay.clear()
      return
    }
    const worker = this.#waiting.length > 0 ? this.#idle.pop() : undefined
    const next = worker && this.#waiting.shift()
    if (!worker || !next) return
    this.#underWay.set(worker, next)
    Atomics.add(this.#count, 0, 1)
    worker.postMessage(next.order)
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

const ALONE = 'Nothing was published; build with --workers 1'

const deathOf = (problem: NodeJS.ErrnoException): Error =>
  problem.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new NoRoomError(`a thread of this build had not enough memory. ${ALONE}`)
    : problem

const errorOf = ({ message, ...rest }: Problem): Error =>
  Object.assign(rest.code === DAMAGED ? new SnapshotDamagedError(message) : new Error(message), rest)

const DAMAGED = new SnapshotDamagedError('').code

/** Sources run by tsx as they are: a thread does not inherit what loads them. */
function threadOf(module: URL, given: Given): Worker {
  if (module.pathname.endsWith('.js')) return new Worker(module, { workerData: given })
  const [loader, own] = [import.meta.resolve('tsx/esm/api'), module.href].map((each) => JSON.stringify(each))
  return new Worker(`import(${loader}).then((tsx) => { tsx.register(); return import(${own}) })`, {
    eval: true,
    workerData: given,
  })
}

/** In a thread: the data that it was started with. */
export const givenData = (): unknown => (workerData as Given).data

/** In a thread: makes what is ordered, one after the other. */
export function serveOrders<Order, Result>(make: (order: Order) => Promise<Result>): void {
  const port = present(parentPort, 'thread that orders')
  const { underWay } = workerData as Given
  port.on('message', async (order: Order) => {
    const reply = await replyOf(make(order))
    Atomics.sub(underWay, 0, 1)
    Atomics.notify(underWay, 0)
    port.postMessage(reply)
  })
}

const replyOf = <Result>(made: Promise<Result>): Promise<Reply<Result>> =>
  made.then(
    (result) => ({ result }),
    ({ message, code, path, stack }: NodeJS.ErrnoException) => ({
      problem: { message, code, path, stack } as Problem,
    }),
  )
