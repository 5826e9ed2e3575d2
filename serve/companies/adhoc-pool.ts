/**
 * The queue in front of the ad-hoc engine, and what happens to waiting and running queries when a limit is reached
 * or the child process ends. The first query starts the child; a child that has grown is replaced.
 */
import { availableParallelism, totalmem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AdhocReply, AdhocRequest } from '../../builder/contract/adhoc.ts'
import { Problem } from '../../builder/contract/problem.ts'
import { type AdhocProcess, startAdhocProcess } from './adhoc-process.ts'
import { CompanyUnreadableError } from './company.ts'
import { createFairQueue } from './fair-queue.ts'

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
  /** Path of the child's module, compiled where this file is. */
  readonly child: string
  readonly greatestQueue: number
  /** How many queries of one grant may wait; the rest of the queue is for others. */
  readonly greatestQueueOfGrant: number
  /** How long a query may wait before the child takes it. */
  readonly longestWaitMs: number
  /** Queries that run at once; one core is left for answers that need no query. */
  readonly atOnce: number
  /** How long a query may run before it is interrupted. */
  readonly timeLimitMs: number
  /** How long an interrupted query may take to end before the child is killed. */
  readonly graceMs: number
  /** How long books may take to load. Loading continues after the first client was told to come back. */
  readonly loadLimitMs: number
  /** A child is replaced after this many answers, or when it uses this much memory. */
  readonly recycleAfter: number
  readonly recycleBytes: number
  readonly log: (event: AdhocEvent) => void
}

interface Job {
  readonly request: AdhocRequest
  readonly grantId: string
  readonly resolve: (body: Buffer) => void
  readonly reject: (problem: Error) => void
  /** How often the child ended unexpectedly while it ran this job. */
  timesLost: number
  /** Its books are loaded and its query runs. */
  isRunning: boolean
  /** The client was answered or has left, but the child still works on it. */
  isOver: boolean
  readonly timers: Set<NodeJS.Timeout>
}

const GB = 1024 ** 3
const MOST_POISONOUS = 1000
const POISONOUS = 'the ad-hoc engine ended each time that it had this query'
const keyOf = (request: AdhocRequest): string => JSON.stringify(request)
/**
 * A child is not replaced for its memory before this many answers: very large books exceed the limit at once, and
 * would be loaded again for every answer.
 */
const LEAST_ANSWERS = 100
const overloaded = (detail: string): Problem =>
  new Problem('overloaded', detail, { headers: { 'Retry-After': '5' } })

const defaults = (): Settings => ({
  child: fileURLToPath(
    new URL(`../../builder/report/adhoc/child${extname(import.meta.url)}`, import.meta.url),
  ),
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

export class AdhocPool {
  readonly #settings: Settings
  readonly #waiting = createFairQueue<Job>()
  /** The jobs of the child, by the id of their message. */
  readonly #given = new Map<number, Job>()
  /**
   * Requests on which every child ends. They are refused until this process restarts or another snapshot is current.
   */
  readonly #poisonous = new Set<string>()
  #child: AdhocProcess | null = null
  #childEnded: Promise<void> = Promise.resolve()
  #lastId = 0
  #isClosed = false
  /** Answers of the present child. */
  #answered = 0
  /** The present child gets no more work. */
  #isRetiring = false

  constructor(options: Partial<Settings> = {}) {
    this.#settings = { ...defaults(), ...options }
  }

  /**
   * Computes a document and returns its bytes. Throws `Problem` `overloaded` where the queue is full or a limit was
   * reached, and `CompanyUnreadableError` where the books are damaged or their disk fails. Where the signal aborts,
   * the query is taken out of the queue or interrupted. Queries of different grants take turns.
   */
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

  /** The number of queries that wait, and of those that the child is running. */
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

  /** A suspected job runs alone: it starts when nothing else runs, and nothing starts beside it. */
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
   * Returns the jobs of the ended child to the head of the queue. Nobody knows which of them ended it: a job that was
   * in two children that ended gets a child of its own, and where that one ends too, the job is refused from then on.
   */
  #onChildExit(): void {
    this.#child = null
    this.#isRetiring = false
    const jobs = [...this.#given.values()]
    this.#given.clear()
    for (const job of jobs) stopTimers(job)
    // A job that was ended for its time is the known cause.
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

  /** Answers a job that waited too long, while its client is still there. */
  #onQueueTimeout(job: Job): void {
    this.#waiting.remove(job.grantId, job)
    this.#settings.log({ event: 'adhoc-refused', company: job.request.company })
    reject(job, overloaded('Too many answers are being computed.'))
  }

  /**
   * Interrupts a query that runs too long, and kills the child where it does not end; books that are still loading
   * get more time.
   */
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
    reject(job, new Error('the client has left'))
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

  /** A child that is to be replaced gets no more work; `#giveNext` ends it when its last job is done. */
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
