/**
 * Keeps the working copy of a server like its bucket: a thread of its own makes a pass every few seconds. With the client of the bucket in the
 * thread that answers requests, V8 compiles node:http for both, and an answer takes a tenth longer.
 */
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BucketError } from '../../system/refusals.ts'
import { Threads } from '../../system/threads.ts'
import { bucketName } from '../../workspace/bucket-address.ts'
import type { BucketSettings } from '../../workspace/snapshots-setting.ts'
import type { Requests } from './bucket/bucket.ts'
import type { FollowEvent, Passed } from './following.ts'

export interface Follower {
  /** How often each kind of request was sent so far. */
  readonly requests: Requests
  /** How often the bucket was asked what changed. */
  looks(): number
  close(): Promise<void>
}

/** What the thread is given. */
export interface FollowedBucket {
  readonly copy: string
  readonly settings: BucketSettings
}

/**
 * Begins to follow. Returns once all current snapshots are there, or the bucket did not answer. Throws {@link BucketError} only if two writers
 * could overwrite each other there.
 */
export async function followBucket(
  copy: string,
  settings: BucketSettings,
  log: (event: FollowEvent) => void,
): Promise<Follower> {
  const follower = new InThread({ copy, settings }, log)
  try {
    await follower.pass()
  } catch (problem) {
    await follower.close()
    throw problem
  }
  follower.repeat(settings.pollMs)
  return follower
}

/** The memory of the thread; a list of ten thousand companies fits. */
const MEMORY = 512 * 1024 ** 2

const WORK = {
  module: new URL(`follower-thread${extname(import.meta.url)}`, import.meta.url),
  name: 'this server',
  remedy: 'It begins again.',
  errors: { bucket: BucketError },
}

class InThread implements Follower {
  readonly #given: FollowedBucket
  readonly #log: (event: FollowEvent) => void
  readonly #stop = new AbortController()
  #thread: Threads<'pass', Passed>
  #repeating: Promise<void> = Promise.resolve()
  /** Why the last pass failed, so that it is logged once. */
  #reason: string | null = null
  #passed: Passed = { events: [], requests: {}, looks: 0 }

  constructor(given: FollowedBucket, log: (event: FollowEvent) => void) {
    this.#given = given
    this.#log = log
    this.#thread = this.#started()
  }

  get requests(): Requests {
    return this.#passed.requests
  }

  looks(): number {
    return this.#passed.looks
  }

  async pass(): Promise<void> {
    this.#passed = await this.#thread.run('pass')
    this.#reason = null
    for (const event of this.#passed.events) this.#log(event)
  }

  repeat(everyMs: number): void {
    const { signal } = this.#stop
    this.#repeating = (async () => {
      while (!signal.aborted) {
        await pause(everyMs, undefined, { signal }).catch(() => {})
        if (!signal.aborted) await this.pass().catch((problem: Error) => this.#again(problem))
      }
    })()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#repeating
    await this.#thread.close()
  }

  /** Logs the failure and starts the thread anew for the next pass. Snapshots that were brought before are served meanwhile. */
  async #again(problem: Error): Promise<void> {
    const reason = problem.message
    if (reason !== this.#reason)
      this.#log({ event: 'bucket-away', bucket: bucketName(this.#given.settings), reason })
    this.#reason = reason
    await this.#thread.close()
    this.#thread = this.#started()
  }

  #started(): Threads<'pass', Passed> {
    return new Threads(WORK, this.#given, 1, MEMORY)
  }
}
