/** Threads that take orders one by one. One that ends or fails takes all with it: what needs the others' work is not whole. */
import { parentPort, Worker } from 'node:worker_threads'
import { present } from '../contract/present.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { NoRoomError } from '../workspace/refusals.ts'

type Reply<Result> = { readonly result: Result } | { readonly problem: Problem }

/** An error as plain data: of a copy nothing would be left but its message. */
type Problem = Pick<NodeJS.ErrnoException, 'message' | 'code' | 'path' | 'stack'>

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
  #isClosing = false
  #failure: { readonly reason: unknown } | null = null

  /** `module` takes orders with {@link serveOrders}; `data` is its workerData. */
  constructor(module: URL, data: unknown, count: number) {
    this.#workers = Array.from({ length: count }, () => this.#start(module, data))
    this.#idle = [...this.#workers]
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
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }

  #start(module: URL, data: unknown): Worker {
    const worker = threadOf(module, data)
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
    worker.postMessage(next.order)
  }

  /** The first reason is the one that is told: the others may follow from it. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#next()
  }
}

const ALONE = 'Nothing was published; build with --workers 1'

const deathOf = (problem: NodeJS.ErrnoException): Error =>
  problem.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new NoRoomError(`a thread of this build had not enough memory. ${ALONE}`)
    : problem

const errorOf = ({ message, ...rest }: Problem): Error =>
  Object.assign(rest.code === DAMAGED ? new SnapshotDamagedError(message) : new Error(message), rest)

const DAMAGED = new SnapshotDamagedError('').code

/** Sources run by tsx as they are: a thread does not inherit what loads them. */
function threadOf(module: URL, workerData: unknown): Worker {
  if (module.pathname.endsWith('.js')) return new Worker(module, { workerData })
  const [loader, own] = [import.meta.resolve('tsx/esm/api'), module.href].map((each) => JSON.stringify(each))
  return new Worker(`import(${loader}).then((tsx) => { tsx.register(); return import(${own}) })`, {
    eval: true,
    workerData,
  })
}

/** In a thread: makes what is ordered, one after the other. */
export function serveOrders<Order, Result>(make: (order: Order) => Promise<Result>): void {
  const port = present(parentPort, 'thread that orders')
  port.on('message', (order: Order) => {
    make(order).then(
      (result) => port.postMessage({ result } satisfies Reply<Result>),
      ({ message, code, path, stack }: NodeJS.ErrnoException) =>
        port.postMessage({ problem: { message, code, path, stack } as Problem } satisfies Reply<Result>),
    )
  })
}
