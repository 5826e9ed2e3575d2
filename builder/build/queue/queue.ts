/**
 * Owns the queue of builds in a PostgreSQL database: which companies wait to be built, are being built, and how their last
 * build ended. First file of the room that hands companies out to workers on several machines. A company waits at most
 * once, and is built by one worker at a time. Must not build anything itself.
 */
import PgBoss from 'pg-boss'
import { z } from 'zod'
import { databaseProblem } from '../../workspace/database.ts'
import { CLAIMED_BY, WORKERS } from './claims.ts'
import { type Ended, endedSchema } from './ended.ts'

const SCHEMA = 'tieout_queue'
const BUILD = 'build'
const NIGHTLY = 'nightly'

const DAY = 24 * 60 * 60
/**
 * How often a build is tried again after the program or a machine failed: after 5, 10, 20, 40 and 80 seconds, or up to
 * twice as long.
 */
const RETRIES = { retryLimit: 5, retryDelay: 5, retryBackoff: true }
/** How long to wait before a company is tried again that another worker is building. */
export const BUSY_SECONDS = 2
/** A build that runs without a claim for this long has lost its worker. */
const UNCLAIMED_SECONDS = 5

/**
 * PostgreSQL rolled back a transaction because others interfered, and asks to try again: two workers that make the tables at once.
 */
const ROLLED_BACK = ['40001', '40P01']
const ATTEMPTS = 5

export interface Queued {
  readonly id: string
  readonly company: string
  /** 1 for the first. */
  readonly attempt: number
}

export interface QueueEntry {
  readonly company: string
  /** `from` is later than now where an attempt failed and the next one waits. */
  readonly waiting: { readonly since: Date; readonly from: Date; readonly attempt: number } | null
  readonly running: { readonly since: Date; readonly worker: string | null; readonly attempt: number } | null
  readonly last: (Ended & { readonly at: Date }) | null
}

interface Nightly {
  /** Five fields: minute, hour, day, month, day of the week. */
  readonly schedule: string
  /** A name of the IANA time zone database. */
  readonly timezone: string
}

/** All methods throw a `DatabaseError` where the database does not do its part. */
export class BuildQueue {
  readonly url: string
  readonly #boss: PgBoss

  private constructor(url: string, boss: PgBoss) {
    this.url = url
    this.#boss = boss
  }

  /**
   * Makes the tables on first use. `supervised` is for workers: they archive, and hand out nightly builds. `onError`
   * receives errors of that work in the background.
   */
  static async open(
    url: string,
    supervised: boolean,
    onError: (problem: Error) => void,
  ): Promise<BuildQueue> {
    const boss = new PgBoss({
      connectionString: url,
      application_name: 'tieout',
      schema: SCHEMA,
      max: 4,
      supervise: supervised,
      schedule: supervised,
      archiveCompletedAfterSeconds: 90 * DAY,
      archiveFailedAfterSeconds: 90 * DAY,
    })
    boss.on('error', onError)
    const queue = new BuildQueue(url, boss)
    await queue
      .#ask(async () => {
        await boss.start()
        // Policy "short": a second order for a company that waits already changes nothing.
        await boss.createQueue(BUILD, { name: BUILD, policy: 'short' })
        await boss.createQueue(NIGHTLY, { name: NIGHTLY, policy: 'short' })
      })
      .catch(async (problem) => {
        await queue.close()
        throw problem
      })
    return queue
  }

  /** Returns the companies that did not wait already. */
  async enqueue(companies: readonly string[], afterSeconds = 0): Promise<string[]> {
    const added: string[] = []
    for (const company of companies) {
      const options = { ...RETRIES, singletonKey: company, startAfter: afterSeconds }
      // When a build is given up, and how long it may wait.
      const limits = { expireInHours: 23, retentionDays: 365 }
      const id = await this.#ask(() => this.#boss.send(BUILD, {}, { ...options, ...limits }))
      if (id !== null) added.push(company)
    }
    return added
  }

  /** Takes the company that has waited longest; null if none waits. */
  async take(): Promise<Queued | null> {
    const [job] = await this.#ask(() => this.#boss.fetch(BUILD, { includeMetadata: true }))
    if (job === undefined) return null
    return { id: job.id, company: job.singletonKey ?? '', attempt: job.retryCount + 1 }
  }

  /** Takes the order for the nightly builds; false where it is not time for them. */
  async takeNightly(): Promise<boolean> {
    const jobs = await this.#ask(() => this.#boss.fetch(NIGHTLY, { batchSize: 10 }))
    const ids = jobs.map(({ id }) => id)
    if (ids.length > 0) await this.#ask(() => this.#boss.deleteJob(NIGHTLY, ids))
    return ids.length > 0
  }

  /** Sets when all companies are enqueued, or with null that they are not. */
  async scheduleNightly(nightly: Nightly | null): Promise<void> {
    await this.#ask(() =>
      nightly === null
        ? this.#boss.unschedule(NIGHTLY)
        : this.#boss.schedule(NIGHTLY, nightly.schedule, {}, { tz: nightly.timezone, singletonKey: NIGHTLY }),
    )
  }

  async end({ id }: Queued, ended: Ended): Promise<void> {
    await this.#ask(() =>
      ended.outcome === 'failed' ? this.#boss.fail(BUILD, id, ended) : this.#boss.complete(BUILD, id, ended),
    )
  }

  /** Puts a company that was taken, and not built, back into the queue; it is no attempt. */
  async putBack({ id, company }: Queued, afterSeconds: number): Promise<void> {
    // In this order, a crash in between leaves one order too many, and never one too few.
    await this.enqueue([company], afterSeconds)
    await this.#ask(() => this.#boss.deleteJob(BUILD, id))
  }

  /** Puts the builds of workers that have ended back into the queue; returns their companies. */
  async giveBackUnclaimed(): Promise<string[]> {
    const unclaimed = await this.#rows(
      `SELECT id, singleton_key FROM ${SCHEMA}.job
       WHERE name = '${BUILD}' AND state = 'active' AND started_on < now() - interval '${UNCLAIMED_SECONDS} s'
         AND NOT EXISTS (${CLAIMED_BY('singleton_key')})`,
      z.object({ id: z.string(), singleton_key: z.string() }),
    )
    const lost: Ended = {
      outcome: 'failed',
      snapshotId: null,
      message: 'its worker ended in the middle',
      findings: [],
      worker: null,
    }
    for (const { id } of unclaimed) await this.#ask(() => this.#boss.fail(BUILD, id, lost))
    return unclaimed.map(({ singleton_key }) => singleton_key)
  }

  /** All companies that the queue knows, by id. */
  async entries(): Promise<QueueEntry[]> {
    const rows = await this.#rows(
      `SELECT DISTINCT ON (company, part) singleton_key AS company,
         CASE WHEN state IN ('created', 'retry') THEN 'waiting' WHEN state = 'active' THEN 'running' ELSE 'last' END AS part,
         created_on, start_after, started_on, completed_on, retry_count, state, output,
         CASE WHEN state = 'active' THEN (${CLAIMED_BY('singleton_key')} LIMIT 1) END AS worker
       FROM ${SCHEMA}.job WHERE name = '${BUILD}'
       ORDER BY company, part, coalesce(completed_on, created_on) DESC`,
      rowSchema,
    )
    const companies = [...new Set(rows.map(({ company }) => company))].sort()
    return companies.map((company) =>
      entryOf(
        company,
        rows.filter((row) => row.company === company),
      ),
    )
  }

  /** Whether one of these companies waits or is being built. */
  async isBusy(companies: readonly string[]): Promise<boolean> {
    const isOpen = ({ company, waiting, running }: QueueEntry) =>
      companies.includes(company) && (waiting ?? running)
    return companies.length > 0 && (await this.entries()).some(isOpen)
  }

  /** The machines and process ids of the workers that are connected. */
  async workers(): Promise<string[]> {
    const rows = await this.#rows(WORKERS, z.object({ name: z.string() }))
    return rows.map(({ name }) => name)
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false, wait: true }).catch(() => {})
  }

  async #rows<Row>(sql: string, schema: z.ZodType<Row>): Promise<Row[]> {
    const { rows } = await this.#ask(() => this.#boss.getDb().executeSql(sql, []))
    return z.array(schema).parse(rows)
  }

  async #ask<T>(work: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++)
      try {
        return await work()
      } catch (problem) {
        const { code } = problem as { readonly code?: string }
        if (tried === ATTEMPTS || !ROLLED_BACK.includes(code ?? '')) throw databaseProblem(this.url, problem)
      }
  }
}

const rowSchema = z.object({
  company: z.string(),
  part: z.enum(['waiting', 'running', 'last']),
  created_on: z.date(),
  start_after: z.date(),
  started_on: z.date().nullable(),
  completed_on: z.date().nullable(),
  retry_count: z.number(),
  state: z.string(),
  output: z.unknown(),
  worker: z.string().nullable(),
})
type Row = z.output<typeof rowSchema>

function entryOf(company: string, rows: readonly Row[]): QueueEntry {
  const of = (part: Row['part']): Row | undefined => rows.find((row) => row.part === part)
  const [waiting, running, last] = [of('waiting'), of('running'), of('last')]
  const attempts = (row: Row): number => row.retry_count + (row.started_on === null ? 1 : 2)
  return {
    company,
    waiting: waiting
      ? { since: waiting.created_on, from: waiting.start_after, attempt: attempts(waiting) }
      : null,
    running: running
      ? {
          since: running.started_on ?? running.created_on,
          worker: running.worker,
          attempt: running.retry_count + 1,
        }
      : null,
    last: lastOf([last, waiting].find((row) => endedSchema.safeParse(row?.output).success)),
  }
}

/** How a build ended, also one that waits for its next attempt. */
function lastOf(row: Row | undefined): QueueEntry['last'] {
  if (row === undefined) return null
  return { ...endedSchema.parse(row.output), at: row.completed_on ?? row.started_on ?? row.created_on }
}
