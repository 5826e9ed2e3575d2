/**
 * The ad-hoc engine as a child process: forked on first use, its answers handed over as bytes. A child of its own
 * because database queries fill libuv's four threads, which freezes file reads and password hashing of the process
 * that runs them, and because only a process can be stopped for certain.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, constants, getPriority, setPriority, totalmem } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AdhocMessage, AdhocReply, AdhocRequest } from '../builder/contract/adhoc.ts'
import { Problem } from '../builder/contract/problem.ts'
import { CompanyUnreadableError } from './companies/companies.ts'

export interface AdhocPool {
  /**
   * The document's bytes. Throws `Problem` `overloaded` where the queue is full or a limit was reached, and
   * `CompanyUnreadableError` where the books are damaged or their disk fails. When the signal aborts, nobody waits
   * any more: the query is taken out of the queue, or interrupted.
   */
  answer(request: AdhocRequest, signal?: AbortSignal): Promise<Buffer>
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

interface PoolOptions {
  /** The child's module; the twin beside this file, compiled or not as this file is. */
  readonly child?: string
  readonly greatestQueue?: number
  /** How long a query may wait for the child to take it. */
  readonly longestWaitMs?: number
  /** Queries given to the child at once; one core is left to the answers that need no query. */
  readonly atOnce?: number
  /** How long an answer may take from when the child has the query; then it is interrupted. */
  readonly timeLimitMs?: number
  /** How long an interrupted query has to end; then the child is ended. */
  readonly graceMs?: number
  /** How long books may take to load, which goes on when the first who asked has been told to come back. */
  readonly loadLimitMs?: number
  /** A child is replaced after so many answers, or when it holds so much memory. */
  readonly recycleAfter?: number
  readonly recycleBytes?: number
  readonly log?: (event: AdhocEvent) => void
}

interface Job {
  readonly request: AdhocRequest
  readonly resolve: (body: Buffer) => void
  readonly reject: (problem: Error) => void
  /** Times that the child ended by itself while it had this job beside others. */
  lost: number
  /** Its books are loaded, its query runs. */
  begun: boolean
  /** Whoever asked has been answered, or has left; only the child does not know yet. */
  over: boolean
  readonly timers: Set<NodeJS.Timeout>
}

const GB = 1024 ** 3
const MOST_POISONOUS = 1000
const POISONOUS = 'the ad-hoc engine ended each time that it had this query'
const keyOf = (request: AdhocRequest): string => JSON.stringify(request)
const RETRY_AFTER = { headers: { 'Retry-After': '5' } }
/** Books so large that a child is over its memory with one of them must not be loaded for every answer. */
const LEAST_ANSWERS = 100
const twin = (): string =>
  fileURLToPath(new URL(`../builder/adhoc/child${extname(import.meta.url)}`, import.meta.url))

export function createAdhocPool(options: PoolOptions = {}): AdhocPool {
  const {
    child: module = twin(),
    greatestQueue = 64,
    longestWaitMs = 20_000,
    atOnce = Math.max(1, availableParallelism() - 1),
    timeLimitMs = 20_000,
    graceMs = 1000,
    loadLimitMs = 120_000,
    recycleAfter = 20_000,
    recycleBytes = Math.min(4 * GB, totalmem() / 2),
    log = () => {},
  } = options
  const waiting: Job[] = []
  const given = new Map<number, Job>()
  let child: ChildProcess | null = null
  let ended: Promise<void> = Promise.resolve()
  /** Requests that end whichever child has them: until this process or the snapshot is another. */
  const poisonous = new Set<string>()
  let lastId = 0
  let closed = false
  /** Of the child that runs now. */
  let answered = 0
  let retiring = false

  function start(): ChildProcess {
    answered = 0
    retiring = false
    const started = fork(module, [], {
      serialization: 'advanced',
      // A debugger's port cannot be shared with the child.
      execArgv: process.execArgv.filter((flag) => !flag.startsWith('--inspect')),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const stopWithParent = (): void => void started.kill('SIGKILL')
    process.once('exit', stopWithParent)
    ended = new Promise((resolve) => {
      let over = false
      const end = (how: string): void => {
        if (over) return
        over = true
        process.removeListener('exit', stopWithParent)
        log({ event: 'adhoc-ended', pid: started.pid ?? null, how })
        if (child === started) lose()
        resolve()
      }
      started.once('exit', (code, signal) => end(signal ?? `exit ${code}`))
      started.once('error', (problem) => {
        started.kill('SIGKILL')
        end(problem.message)
      })
    })
    started.on('message', (reply) => settle(reply as AdhocReply))
    if (started.pid !== undefined) {
      beNice(started.pid)
      log({ event: 'adhoc-started', pid: started.pid })
    }
    return started
  }

  /**
   * The child is gone: its jobs go back to the head of the queue. Which of them ended it is not known: a job that was there
   * twice is given to a child of its own, and if that ends too, the job is at fault, and is not given to any again.
   */
  function lose(): void {
    child = null
    retiring = false
    const jobs = [...given.values()]
    given.clear()
    for (const job of jobs) stopTimers(job)
    // One that was ended for its time is known to be the cause.
    const isKnown = jobs.some(({ over }) => over)
    const left = jobs.filter(({ over }) => !over)
    for (const job of left.reverse()) {
      if (closed) job.reject(new Error('the ad-hoc engine ended while it had this query'))
      else if (jobs.length === 1 && isSuspect(job)) condemn(job)
      else {
        if (!isKnown) job.lost++
        waiting.unshift(job)
        after(job, longestWaitMs, () => tire(job))
      }
    }
    next()
  }

  const isSuspect = ({ lost }: Job): boolean => lost >= 2

  function condemn(job: Job): void {
    job.over = true
    poisonous.add(keyOf(job.request))
    if (poisonous.size > MOST_POISONOUS) poisonous.delete(poisonous.values().next().value!)
    log({ event: 'adhoc-poisonous', company: job.request.company })
    job.reject(new Error(POISONOUS))
  }

  /** A suspect has the child for itself: it begins when nothing else runs, and nothing begins beside it. */
  function mayBegin(): boolean {
    if (waiting.length === 0 || given.size >= atOnce) return false
    if (given.size === 0) return true
    return !isSuspect(waiting[0]!) && ![...given.values()].some(isSuspect)
  }

  /** Waited too long: said while there is still somebody to say it to. */
  function tire(job: Job): void {
    waiting.splice(waiting.indexOf(job), 1)
    job.over = true
    log({ event: 'adhoc-refused', company: job.request.company })
    job.reject(new Problem('overloaded', 'Too many answers are being computed.', RETRY_AFTER))
  }

  function next(): void {
    if (retiring && given.size === 0) child?.kill('SIGKILL')
    while (!closed && !retiring && mayBegin()) {
      const job = waiting.shift()!
      stopTimers(job)
      const id = ++lastId
      given.set(id, job)
      job.begun = false
      child ??= start()
      after(job, timeLimitMs, () => reachLimit(id, job))
      tell({ id, ...job.request })
    }
  }

  function tell(message: AdhocMessage): void {
    const asked = child
    asked?.send(message, (problem) => {
      // Its end is noticed by `exit`; a child that cannot be written to must come to one.
      if (problem) asked.kill('SIGKILL')
    })
  }

  /** A query is interrupted, and ends the child where that does not help; books that load are left to do so a while. */
  function reachLimit(id: number, job: Job): void {
    if (!job.over) {
      log({ event: 'adhoc-time-limit', company: job.request.company, ms: timeLimitMs })
      job.over = true
      job.reject(new Problem('overloaded', 'The answer took too long to compute.', RETRY_AFTER))
      tell({ id, cancel: true })
    }
    const stop = (): void => void child?.kill('SIGKILL')
    after(job, job.begun ? graceMs : Math.max(graceMs, loadLimitMs - timeLimitMs), stop)
  }

  function leave(job: Job): void {
    if (job.over) return
    job.over = true
    log({ event: 'adhoc-cancelled', company: job.request.company })
    job.reject(new Error('nobody waits for the answer any more'))
    const place = waiting.indexOf(job)
    if (place >= 0) {
      waiting.splice(place, 1)
      stopTimers(job)
    }
    for (const [id, other] of given) if (other === job) tell({ id, cancel: true })
  }

  function settle(reply: AdhocReply): void {
    const job = given.get(reply.id)
    if (job === undefined) return
    if ('begun' in reply) {
      job.begun = true
      return
    }
    given.delete(reply.id)
    stopTimers(job)
    answered++
    if (!job.over) finish(job, reply)
    if (answered >= recycleAfter || (reply.memory >= recycleBytes && answered >= LEAST_ANSWERS))
      retire(reply.memory)
    next()
  }

  /** Gets no more work; `next` ends it when it has done what it has. */
  function retire(memory: number): void {
    if (retiring) return
    retiring = true
    log({ event: 'adhoc-recycled', pid: child?.pid ?? null, answered, memory })
  }

  function finish(job: Job, reply: Exclude<AdhocReply, { readonly begun: true }>): void {
    const { company } = job.request
    job.over = true
    if (reply.ok) {
      const { buffer, byteOffset, byteLength } = reply.body
      log({ event: 'adhoc-answered', company })
      job.resolve(Buffer.from(buffer, byteOffset, byteLength))
    } else if (reply.reason === 'memory') {
      log({ event: 'adhoc-memory-limit', company, message: reply.message })
      job.reject(new Problem('overloaded', 'The answer took too much memory to compute.', RETRY_AFTER))
    } else {
      log({ event: 'adhoc-failed', company, message: reply.message })
      const message = `the ad-hoc engine failed: ${reply.message}`
      job.reject(reply.reason === 'unreadable' ? new CompanyUnreadableError(message) : new Error(message))
    }
  }

  return {
    answer: (request, signal) =>
      new Promise((resolve, reject) => {
        if (poisonous.has(keyOf(request))) {
          reject(new Error(POISONOUS))
          return
        }
        if (closed || waiting.length >= greatestQueue) {
          log({ event: 'adhoc-refused', company: request.company })
          reject(new Problem('overloaded', 'Too many answers are being computed.', RETRY_AFTER))
          return
        }
        const job: Job = { request, resolve, reject, lost: 0, begun: false, over: false, timers: new Set() }
        waiting.push(job)
        after(job, longestWaitMs, () => tire(job))
        if (signal?.aborted) leave(job)
        else signal?.addEventListener('abort', () => leave(job), { once: true })
        next()
      }),
    load: () => ({ waiting: waiting.length, running: given.size }),
    close: async () => {
      closed = true
      for (const job of waiting.splice(0)) {
        stopTimers(job)
        job.reject(new Error('the ad-hoc engine was stopped'))
      }
      child?.kill('SIGKILL')
      await ended
    },
  }
}

function after(job: Job, ms: number, then: () => void): void {
  job.timers.add(setTimeout(then, ms))
}

function stopTimers(job: Job): void {
  for (const timer of job.timers) clearTimeout(timer)
  job.timers.clear()
}

/** Computing gives way to answering. Not every host lets a process do that. */
function beNice(pid: number): void {
  try {
    setPriority(pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // The child then runs at the priority of this process.
  }
}
