/**
 * Keeps the working copy of a server like its bucket: asks every few seconds which companies changed, in one list for all, and brings their new
 * snapshots. While the bucket does not answer, what was brought before stays as it is.
 */
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Requests } from '../bucket/bucket.ts'
import { companiesHeld } from '../bucket/company-object.ts'
import { makeFolders } from '../workspace/durable.ts'
import { isAbsent, MODES } from '../workspace/effects.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import type { BucketSettings } from '../workspace/snapshots-setting.ts'
import { BucketLocation, SERVER_PATIENCE } from './bucket-location.ts'

export interface FollowEvent {
  readonly event: 'bucket-away' | 'bucket-back' | 'company-not-followed'
  readonly bucket: string
  readonly company?: string
  readonly reason?: string
}

export interface Follower {
  /** How often each kind of request was sent so far. */
  readonly requests: Requests
  /** How often the bucket was asked what changed. */
  looks(): number
  close(): Promise<void>
}

/**
 * Begins to follow. Returns once all current snapshots are there, or the bucket did not answer. Throws {@link BucketError} only if two writers
 * could overwrite each other there.
 */
export async function follow(
  copy: string,
  settings: BucketSettings,
  log: (event: FollowEvent) => void,
): Promise<Follower> {
  const location = await BucketLocation.open(copy, settings, SERVER_PATIENCE)
  const following = new Following(location, log)
  await following.pass()
  const stop = new AbortController()
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await pause(settings.pollMs, undefined, { signal: stop.signal }).catch(() => {})
      if (!stop.signal.aborted) await following.pass()
    }
  })()
  return {
    requests: location.requests,
    looks: () => following.looks,
    close: () => {
      stop.abort()
      return ended
    },
  }
}

class Following {
  readonly #location: BucketLocation
  readonly #log: (event: FollowEvent) => void
  looks = 0
  #isTried = false
  /** Why the bucket does not answer; null while it does. */
  #away: string | null = null
  /** Why a company could not be brought, so that it is logged once. */
  readonly #reasons = new Map<string, string>()

  constructor(location: BucketLocation, log: (event: FollowEvent) => void) {
    this.#location = location
    this.#log = log
  }

  async pass(): Promise<void> {
    const { bucket, copy, name } = this.#location
    this.looks++
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
    if (this.#away === null) this.#log({ event: 'bucket-away', bucket: name, reason })
    this.#away = reason
    await noteState(copy.root, { At: followed(copy.root)?.At ?? null, Problem: reason })
  }
}

/** What the process that follows says to all others of this machine. */
export interface FollowState {
  /** When the bucket answered last, in milliseconds since 1970; null if it never did. */
  readonly At: number | null
  /** Why it does not answer now; null if it does. */
  readonly Problem: string | null
  /** How many milliseconds its last answer took. */
  readonly AnswerMs?: number
}

const stateFile = (copy: string): string => join(dirname(copy), 'followed.json')

/** Not synced: it is written every few seconds, a busy disk would stop a server that answers meanwhile, and a state that was lost is made again. */
async function noteState(copy: string, state: FollowState): Promise<void> {
  makeFolders(dirname(copy))
  const next = `${stateFile(copy)}.next`
  await writeFile(next, `${JSON.stringify(state)}\n`, { mode: MODES.file })
  await rename(next, stateFile(copy))
}

/** The state of the follower on this machine; null if there never was one. */
export function followed(copy: string): FollowState | null {
  try {
    return JSON.parse(readFileSync(stateFile(copy), 'utf8')) as FollowState
  } catch (problem) {
    if (isAbsent(problem) || problem instanceof SyntaxError) return null
    throw problem
  }
}
