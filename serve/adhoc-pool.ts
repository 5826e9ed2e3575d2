/**
 * Queries for the ad-hoc engine: who waits, what the child process has, and what becomes of both when a limit is reached or
 * the child ends. The child is started by the first query, and replaced when it has grown.
 */
import { availableParallelism, totalmem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AdhocReply, AdhocRequest } from '../builder/contract/adhoc.ts'
import { Problem } from '../builder/contract/problem.ts'
import { type AdhocProcess, startAdhocProcess } from './adhoc-process.ts'
import { CompanyUnreadableError } from './companies/company.ts'
import { createFairQueue } from './fair-queue.ts'

export interface AdhocPool {
  /**
   * The document's bytes. Throws `Problem` `overloaded` where the queue is full or a limit was reached, and
   * `CompanyUnreadableError` where the books are damaged or their disk fails. When the signal aborts, nobody waits
   * any more: the query is taken out of the queue, or interrupted. Grants take turns.
   */
  answer(request: AdhocRequest, signal?: AbortSignal, grantId?: string): Promise<Buffer>
  /** Queries that wait, and queries that the child has. */
  load(): { readonly waiting: number; readonly running: number }
  close(): Promise<void>
}

export interface AdhocEvent {
  readonly event:
    | 'adhoc-started'
    | 'adhoc-ended'
    | 'adhoc-answered'
    | 'adhoc-refused'
    | 'adhoc-cancelled'
    | 'adhoc-time-limit'
    | 'adhoc-memory-limit'
    | 'adhoc-failed'
    | 'adhoc-recycled'
    | 'adhoc-poisonous'
  readonly [detail: string]: string | number | null
}

interface Settings {
  /** The child's module; the twin of this file's kind, compiled or not as this file is. */
  readonly child: string
  readonly greatestQueue: number
  /** Of one grant; the rest is for others. */
  readonly greatestQueueOfGrant: number
  /** How long a query may wait for the child to take it. */
  readonly longestWaitMs: number
  /** Queries given to the child at once; one core is left to the answers that need no query. */
  readonly atOnce: number
  /** How long an answer may take from when the child has the query; then it is interrupted. */
  readonly timeLimitMs: number
  /** How long an interrupted query has to end; then the child is ended. */
  readonly graceMs: number
  /** How long books may take to load, which goes on when the first who asked has been told to come back. */
  readonly loadLimitMs: number
  /** A child is replaced after so many answers, or when it holds so much memory. */
  readonly recycleAfter: number
  readonly recycleBytes: number
  readonly log: (event: AdhocEvent) => void
}

interface Job {
  readonly request: AdhocRequest
  readonly grantId: string
  readonly resolve: (body: Buffer) => void
  readonly reject: (problem: Error) => void
  /** Times that the child ended by itself while it had this job beside others. */
  timesLost: number
  /** Its books are loaded, its query runs. */
  isRunning: boolean
  /** Whoever asked has been answered, or has left; only the child does not know yet. */
  isOver: boolean
  readonly timers: Set<NodeJS.Timeout>
}

const GB = 1024 ** 3
const MOST_POISONOUS = 1000
const POISONOUS = 'the ad-hoc engine ended each time that it had this query'
const keyOf = (request: AdhocRequest): string => JSON.stringify(request)
/** Books so large that a child is over its memory with one of them must not be loaded for every answer. */
const LEAST_ANSWERS = 100
const overloaded = (detail: string): Problem =>
  new Problem('overloaded', detail, { headers: { 'Retry-After': '5' } })

const defaults = (): Settings => ({
  child: fileURLToPath(new URL(`../builder/adhoc/child${extname(import.meta.url)}`, import.meta.url)),
  greatestQueue: 64,
  greatestQueueOfGrant: 32,
  longestWaitMs: 20_000,
  atOnce: Math.max(1, availableParallelism() - 1),
  timeLimitMs: 20_000,
  graceMs: 1000,
  loadLimitMs: 120_000,
  recycleAfter: 20_000,
  recycleBytes: Math.min(4 * GB, totalmem() / 2),
  log: () => {},
})

export const createAdhocPool = (options: Partial<Settings> = {}): AdhocPool =>
  new Pool({ ...defaults(), ...options })

class Pool implements AdhocPool {
  readonly #settings: Settings
  readonly #waiting = createFairQueue<Job>()
  /** What the child has, by the id of its message. */
  readonly #given = new Map<number, Job>()
  /** Requests that end whichever child has them: until this process or the snapshot is another. */
  readonly #poisonous = new Set<string>()
  #child: AdhocProcess | null = null
  #childEnded: Promise<void> = Promise.resolve()
  #lastId = 0
  #isClosed = false
  /** Of the child that runs now. */
  #answered = 0
  /** It gets no more work. */
  #isRetiring = false

  constructor(settings: Settings) {
    this.#settings = settings
  }

  answer(request: AdhocRequest, signal?: AbortSignal, grantId = ''): Promise<Buffer> {
    if (this.#poisonous.has(keyOf(request))) return Promise.reject(new Error(POISONOUS))
    if (!this.#hasRoomFor(grantId)) {
      this.#settings.log({ event: 'adhoc-refused', company: request.company })
      return Promise.reject(overloaded('Too many answers are being computed.'))
    }
    return new Promise((resolve, reject) => {
      const state = { timesLost: 0, isRunning: false, isOver: false, timers: new Set<NodeJS.Timeout>() }
      const job: Job = { request, grantId, resolve, reject, ...state }
      this.#waiting.push(grantId, job)
      this.#startQueueTimer(job)
      if (signal?.aborted) this.#onReaderLeft(job)
      else signal?.addEventListener('abort', () => this.#onReaderLeft(job), { once: true })
      this.#giveNext()
    })
  }

  load(): { readonly waiting: number; readonly running: number } {
    return { waiting: this.#waiting.size, running: this.#given.size }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (let job = this.#waiting.shift(); job !== undefined; job = this.#waiting.shift()) {
      stopTimers(job)
      job.reject(new Error('the ad-hoc engine was stopped'))
    }
    this.#child?.kill()
    await this.#childEnded
  }

  #hasRoomFor(grantId: string): boolean {
    const { greatestQueue, greatestQueueOfGrant } = this.#settings
    return (
      !this.#isClosed &&
      this.#waiting.size < greatestQueue &&
      this.#waiting.sizeOf(grantId) < greatestQueueOfGrant
    )
  }

  #giveNext(): void {
    if (this.#isRetiring && this.#given.size === 0) this.#child?.kill()
    while (!this.#isClosed && !this.#isRetiring && this.#mayGive()) {
      const job = this.#waiting.shift()
      if (job === undefined) return
      stopTimers(job)
      const id = ++this.#lastId
      this.#given.set(id, job)
      job.isRunning = false
      this.#child ??= this.#startChild()
      startTimer(job, this.#settings.timeLimitMs, () => this.#onTimeLimit(id, job))
      this.#child.send({ id, ...job.request })
    }
  }

  /** A suspect has the child for itself: it begins when nothing else runs, and nothing begins beside it. */
  #mayGive(): boolean {
    const next = this.#waiting.peek()
    if (next === undefined || this.#given.size >= this.#settings.atOnce) return false
    if (this.#given.size === 0) return true
    return !isSuspect(next) && ![...this.#given.values()].some(isSuspect)
  }

  #startChild(): AdhocProcess {
    const { child: module, log } = this.#settings
    this.#answered = 0
    this.#isRetiring = false
    const child = startAdhocProcess(module, {
      onReply: (reply) => this.#onReply(reply),
      onExit: (how) => {
        log({ event: 'adhoc-ended', pid: child.pid, how })
        if (this.#child === child) this.#onChildExit()
      },
    })
    this.#childEnded = child.ended
    if (child.pid !== null) log({ event: 'adhoc-started', pid: child.pid })
    return child
  }

  /**
   * Its jobs go back to the head of the queue. Which of them ended it is not known: a job that was there twice is given to a
   * child of its own, and if that ends too, the job is at fault, and is not given to any again.
   */
  #onChildExit(): void {
    this.#child = null
    this.#isRetiring = false
    const jobs = [...this.#given.values()]
    this.#given.clear()
    for (const job of jobs) stopTimers(job)
    // One that was ended for its time is known to be the cause.
    const isCauseKnown = jobs.some(({ isOver }) => isOver)
    const left = jobs.filter(({ isOver }) => !isOver)
    for (const job of left.reverse())
      if (this.#isClosed) job.reject(new Error('the ad-hoc engine ended while it had this query'))
      else if (jobs.length === 1 && isSuspect(job)) this.#condemn(job)
      else this.#putBack(job, isCauseKnown)
    this.#giveNext()
  }

  #putBack(job: Job, isCauseKnown: boolean): void {
    if (!isCauseKnown) job.timesLost++
    this.#waiting.unshift(job.grantId, job)
    this.#startQueueTimer(job)
  }

  #condemn(job: Job): void {
    const [oldest] = this.#poisonous
    if (oldest !== undefined && this.#poisonous.size >= MOST_POISONOUS) this.#poisonous.delete(oldest)
    this.#poisonous.add(keyOf(job.request))
    this.#settings.log({ event: 'adhoc-poisonous', company: job.request.company })
    reject(job, new Error(POISONOUS))
  }

  #startQueueTimer(job: Job): void {
    startTimer(job, this.#settings.longestWaitMs, () => this.#onQueueTimeout(job))
  }

  /** It waited too long: it is told so while there is still somebody to tell. */
  #onQueueTimeout(job: Job): void {
    this.#waiting.remove(job.grantId, job)
    this.#settings.log({ event: 'adhoc-refused', company: job.request.company })
    reject(job, overloaded('Too many answers are being computed.'))
  }

  /** A query is interrupted, and ends the child where that does not help; books that load are left to do so a while. */
  #onTimeLimit(id: number, job: Job): void {
    const { timeLimitMs, graceMs, loadLimitMs, log } = this.#settings
    if (!job.isOver) {
      log({ event: 'adhoc-time-limit', company: job.request.company, ms: timeLimitMs })
      reject(job, overloaded('The answer took too long to compute.'))
      this.#child?.send({ id, cancel: true })
    }
    const patience = job.isRunning ? graceMs : Math.max(graceMs, loadLimitMs - timeLimitMs)
    startTimer(job, patience, () => this.#child?.kill())
  }

  #onReaderLeft(job: Job): void {
    if (job.isOver) return
    this.#settings.log({ event: 'adhoc-cancelled', company: job.request.company })
    reject(job, new Error('nobody waits for the answer any more'))
    if (this.#waiting.remove(job.grantId, job)) stopTimers(job)
    for (const [id, other] of this.#given) if (other === job) this.#child?.send({ id, cancel: true })
  }

  #onReply(reply: AdhocReply): void {
    const job = this.#given.get(reply.id)
    if (job === undefined) return
    if ('begun' in reply) {
      job.isRunning = true
      return
    }
    this.#given.delete(reply.id)
    stopTimers(job)
    this.#answered++
    if (!job.isOver) this.#finish(job, reply)
    this.#retireWhenGrown(reply.memory)
    this.#giveNext()
  }

  #finish(job: Job, reply: Exclude<AdhocReply, { readonly begun: true }>): void {
    const { log } = this.#settings
    const { company } = job.request
    if (reply.ok) {
      const { buffer, byteOffset, byteLength } = reply.body
      log({ event: 'adhoc-answered', company })
      job.isOver = true
      job.resolve(Buffer.from(buffer, byteOffset, byteLength))
    } else if (reply.reason === 'memory') {
      log({ event: 'adhoc-memory-limit', company, message: reply.message })
      reject(job, overloaded('The answer took too much memory to compute.'))
    } else {
      log({ event: 'adhoc-failed', company, message: reply.message })
      const message = `the ad-hoc engine failed: ${reply.message}`
      reject(job, reply.reason === 'unreadable' ? new CompanyUnreadableError(message) : new Error(message))
    }
  }

  /** A child that retires gets no more work; `#giveNext` ends it when it has done what it has. */
  #retireWhenGrown(memory: number): void {
    const { recycleAfter, recycleBytes, log } = this.#settings
    const isGrown = memory >= recycleBytes && this.#answered >= LEAST_ANSWERS
    if (this.#isRetiring || (this.#answered < recycleAfter && !isGrown)) return
    this.#isRetiring = true
    log({ event: 'adhoc-recycled', pid: this.#child?.pid ?? null, answered: this.#answered, memory })
  }
}

const isSuspect = ({ timesLost }: Job): boolean => timesLost >= 2

function reject(job: Job, problem: Error): void {
  job.isOver = true
  job.reject(problem)
}

function startTimer(job: Job, ms: number, then: () => void): void {
  job.timers.add(setTimeout(then, ms))
}

function stopTimers(job: Job): void {
  for (const timer of job.timers) clearTimeout(timer)
  job.timers.clear()
}
