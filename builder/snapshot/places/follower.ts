/**
 * Keeps the working copy of a server like its bucket, in passes: each lists all companies with one request to see which changed,
 * and brings their new snapshots. While the bucket does not answer, what was brought before stays as it is.
 */

import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as othersTurn, setTimeout as pause } from 'node:timers/promises'
import { makeFolders } from '../../system/durable.ts'
import { isAbsent, MODES } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'
import type { BucketSettings } from '../../workspace/snapshots-setting.ts'
import type { Requests } from './bucket/bucket.ts'
import { companiesHeld } from './bucket/company-object.ts'
import { BucketLocation, SERVER_PATIENCE } from './bucket-location.ts'
export interface FollowEvent {
  readonly event: 'bucket-away' | 'bucket-back' | 'company-not-followed'
  readonly bucket: string
  readonly company?: string
  readonly reason?: string
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
  const follower = new Follower(await BucketLocation.open(copy, settings, SERVER_PATIENCE), log)
  await follower.pass()
  follower.repeat(settings.pollMs)
  return follower
}

export class Follower {
  readonly #location: BucketLocation
  readonly #log: (event: FollowEvent) => void
  readonly #stop = new AbortController()
  #repeating: Promise<void> = Promise.resolve()
  #looks = 0
  #isTried = false
  /** Why the bucket does not answer; null while it does. */
  #away: string | null = null
  /** Why the last pass failed; null if it did not. */
  #failure: string | null = null
  /** Why a company could not be brought, so that it is logged once. */
  readonly #reasons = new Map<string, string>()

  constructor(location: BucketLocation, log: (event: FollowEvent) => void) {
    this.#location = location
    this.#log = log
  }

  /** How often each kind of request was sent so far. */
  get requests(): Requests {
    return this.#location.requests
  }

  /** How often the bucket was asked what changed. */
  looks(): number {
    return this.#looks
  }

  /** Makes passes until {@link close}, so many milliseconds apart. */
  repeat(everyMs: number): void {
    const { signal } = this.#stop
    this.#repeating = (async () => {
      while (!signal.aborted) {
        await pause(everyMs, undefined, { signal }).catch(() => {})
        if (!signal.aborted) await this.#again()
      }
    })()
  }

  /** Makes a pass; where it fails, for example because the disk is full, that is logged once. */
  async #again(): Promise<void> {
    try {
      await this.pass()
      this.#failure = null
    } catch (problem) {
      const reason = (problem as Error).message
      if (reason !== this.#failure) this.#log({ event: 'bucket-away', bucket: this.#location.name, reason })
      this.#failure = reason
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#repeating
  }

  /** Makes one pass. Throws {@link BucketError} if two writers could overwrite each other in the bucket. */
  async pass(): Promise<void> {
    const { bucket, copy, name } = this.#location
    this.#looks++
    const asked = performance.now()
    let tags: ReadonlyMap<string, string>
    try {
      tags = await companiesHeld(bucket)
    } catch (problem) {
      await this.#notAnswered((problem as Error).message)
      return
    }
    const AnswerMs = Math.round(performance.now() - asked)
    await noteState(copy.root, { At: followed(copy.root)?.At ?? null, Problem: null, AnswerMs })
    if (!this.#isTried) {
      await this.#location.requireConditions()
      this.#isTried = true
    }
    if (this.#away !== null) this.#log({ event: 'bucket-back', bucket: name })
    this.#away = null
    for (const company of new Set([...tags.keys(), ...copy.companies()])) {
      const tag = tags.get(company)
      if (tag !== undefined && copy.held(company)?.tag === tag && copy.isServed(company)) continue
      await this.#bring(company, tag)
      await othersTurn()
    }
    await noteState(copy.root, { At: Date.now(), Problem: null, AnswerMs })
    this.#location.trim()
  }

  async #bring(company: string, tag: string | undefined): Promise<void> {
    const { copy, name } = this.#location
    try {
      await copy.follow(company, { extent: 'served', ...(tag === undefined ? {} : { tag }) })
      this.#reasons.delete(company)
    } catch (problem) {
      const reason = (problem as Error).message
      if (this.#reasons.get(company) !== reason)
        this.#log({ event: 'company-not-followed', bucket: name, company, reason })
      this.#reasons.set(company, reason)
    }
  }

  async #notAnswered(reason: string): Promise<void> {
    const { copy, name } = this.#location
    // Whoever reads the log and asks for readiness then finds it there.
    await noteState(copy.root, { At: followed(copy.root)?.At ?? null, Problem: reason })
    if (this.#away === null) this.#log({ event: 'bucket-away', bucket: name, reason })
    this.#away = reason
  }
}

/**
 * Writes the state without syncing it: it is written every few seconds, a sync on a busy disk would block the server,
 * and a lost state is written again.
 */
async function noteState(copy: string, state: FollowState): Promise<void> {
  makeFolders(dirname(copy))
  const next = `${stateFile(copy)}.next`
  await writeFile(next, `${JSON.stringify(state)}\n`, { mode: MODES.file })
  await rename(next, stateFile(copy))
}

export interface FollowState {
  /** When the bucket answered last, in milliseconds since 1970; null if it never did. */
  readonly At: number | null
  /** Why it does not answer now; null if it does. */
  readonly Problem: string | null
  /** How many milliseconds its last answer took. */
  readonly AnswerMs?: number
}

export const stateFile = (copy: string): string => join(dirname(copy), 'followed.json')

/** The state of the follower on this machine; null if there never was one. */
export function followed(copy: string): FollowState | null {
  try {
    return JSON.parse(readFileSync(stateFile(copy), 'utf8')) as FollowState
  } catch (problem) {
    if (isAbsent(problem) || problem instanceof SyntaxError) return null
    throw problem
  }
}
