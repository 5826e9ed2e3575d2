/**
 * Brings the working copy of a server up to date with its bucket, in passes: each lists all companies with one request to see which changed, and
 * brings their new snapshots. While the bucket does not answer, what was brought before stays as it is.
 */
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolders } from '../../system/durable.ts'
import { MODES } from '../../system/effects.ts'
import type { Requests } from './bucket/bucket.ts'
import { companiesHeld } from './bucket/company-object.ts'
import type { BucketLocation } from './bucket-location.ts'
import { type FollowState, followed, stateFile } from './followed.ts'

export interface FollowEvent {
  readonly event: 'bucket-away' | 'bucket-back' | 'company-not-followed'
  readonly bucket: string
  readonly company?: string
  readonly reason?: string
}

/** The events of one pass, and the requests of all passes so far. */
export interface Passed {
  readonly events: readonly FollowEvent[]
  /** How often each kind of request was sent so far. */
  readonly requests: Requests
  /** How often the bucket was asked what changed. */
  readonly looks: number
}

export class Following {
  readonly #location: BucketLocation
  #events: FollowEvent[] = []
  #looks = 0
  #isTried = false
  /** Why the bucket does not answer; null while it does. */
  #away: string | null = null
  /** Why a company could not be brought, so that it is logged once. */
  readonly #reasons = new Map<string, string>()

  constructor(location: BucketLocation) {
    this.#location = location
  }

  /** Makes one pass. Throws {@link BucketError} only if two writers could overwrite each other in the bucket. */
  async pass(): Promise<Passed> {
    this.#events = []
    await this.#pass()
    return { events: this.#events, requests: this.#location.requests, looks: this.#looks }
  }

  async #pass(): Promise<void> {
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
    if (this.#away !== null) this.#events.push({ event: 'bucket-back', bucket: name })
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
        this.#events.push({ event: 'company-not-followed', bucket: name, company, reason })
      this.#reasons.set(company, reason)
    }
  }

  async #notAnswered(reason: string): Promise<void> {
    const { copy, name } = this.#location
    if (this.#away === null) this.#events.push({ event: 'bucket-away', bucket: name, reason })
    this.#away = reason
    await noteState(copy.root, { At: followed(copy.root)?.At ?? null, Problem: reason })
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
