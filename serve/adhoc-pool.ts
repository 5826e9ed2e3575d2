/**
 * The ad-hoc engine as a child process: forked on first use, its answers handed over as bytes. A child of its own
 * because database queries fill libuv's four threads, which freezes file reads and password hashing of the process
 * that runs them, and because only a process can be stopped for certain.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, constants, setPriority } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AdhocReply, AdhocRequest } from '../builder/contract/adhoc.ts'
import { Problem } from '../builder/contract/problem.ts'

export interface AdhocPool {
  /** The document's bytes. Throws `Problem` `overloaded` where the queue is full or the time limit was reached. */
  answer(request: AdhocRequest): Promise<Buffer>
  close(): Promise<void>
}

export interface AdhocEvent {
  readonly event: 'adhoc-started' | 'adhoc-ended' | 'adhoc-time-limit' | 'adhoc-failed'
  readonly [detail: string]: string | number | null
}

interface PoolOptions {
  /** The child's module; the twin beside this file, compiled or not as this file is. */
  readonly child?: string
  readonly greatestQueue?: number
  /** Queries given to the child at once; one core is left to the answers that need no query. */
  readonly atOnce?: number
  readonly timeLimitMs?: number
  readonly log?: (event: AdhocEvent) => void
}

interface Job {
  readonly request: AdhocRequest
  readonly resolve: (body: Buffer) => void
  readonly reject: (problem: Error) => void
  /** Times that the child ended while it had this job. */
  lost: number
  timer: NodeJS.Timeout | undefined
}

const RETRY_AFTER = { headers: { 'Retry-After': '5' } }
const twin = (): string =>
  fileURLToPath(new URL(`../builder/adhoc/child${extname(import.meta.url)}`, import.meta.url))

export function createAdhocPool(options: PoolOptions = {}): AdhocPool {
  const {
    child: module = twin(),
    greatestQueue = 64,
    atOnce = Math.max(1, availableParallelism() - 1),
    timeLimitMs = 20_000,
    log = () => {},
  } = options
  const waiting: Job[] = []
  const given = new Map<number, Job>()
  let child: ChildProcess | null = null
  let ended: Promise<void> = Promise.resolve()
  let lastId = 0
  let closed = false

  function start(): ChildProcess {
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

  /** The child is gone: its jobs go back to the head of the queue, once; a job that ended two children is at fault. */
  function lose(): void {
    child = null
    const jobs = [...given.values()]
    given.clear()
    for (const job of jobs.reverse()) {
      clearTimeout(job.timer)
      job.lost++
      if (closed || job.lost > 1) job.reject(new Error('the ad-hoc engine ended while it had this query'))
      else waiting.unshift(job)
    }
    next()
  }

  function next(): void {
    while (!closed && waiting.length > 0 && given.size < atOnce) {
      const job = waiting.shift()!
      const id = ++lastId
      given.set(id, job)
      child ??= start()
      job.timer = setTimeout(() => giveUp(id, job), timeLimitMs)
      const asked = child
      asked.send({ id, ...job.request }, (problem) => {
        // Its end is noticed by `exit`; a child that cannot be written to must come to one.
        if (problem) asked.kill('SIGKILL')
      })
    }
  }

  /** Interrupting a query is not certain to work; ending the process is. */
  function giveUp(id: number, job: Job): void {
    given.delete(id)
    log({ event: 'adhoc-time-limit', company: job.request.company, ms: timeLimitMs })
    job.reject(new Problem('overloaded', 'The answer took too long to compute.', RETRY_AFTER))
    child?.kill('SIGKILL')
  }

  function settle(reply: AdhocReply): void {
    const job = given.get(reply.id)
    if (job === undefined) return
    given.delete(reply.id)
    clearTimeout(job.timer)
    if (reply.ok) {
      const { buffer, byteOffset, byteLength } = reply.body
      job.resolve(Buffer.from(buffer, byteOffset, byteLength))
    } else {
      log({ event: 'adhoc-failed', company: job.request.company, message: reply.message })
      job.reject(new Error(`the ad-hoc engine failed: ${reply.message}`))
    }
    next()
  }

  return {
    answer: (request) =>
      new Promise((resolve, reject) => {
        if (closed || waiting.length >= greatestQueue) {
          reject(new Problem('overloaded', 'Too many answers are being computed.', RETRY_AFTER))
          return
        }
        waiting.push({ request, resolve, reject, lost: 0, timer: undefined })
        next()
      }),
    close: async () => {
      closed = true
      for (const job of waiting.splice(0)) job.reject(new Error('the ad-hoc engine was stopped'))
      child?.kill('SIGKILL')
      await ended
    },
  }
}

/** Computing gives way to answering. Not every host lets a process do that. */
function beNice(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The child then runs at the priority of this process.
  }
}
