/** The worker: takes companies from the queue, builds some of them at once, and reports how each ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { Claims } from './claims.ts'
import { type Ended, MOST_FINDINGS } from './ended.ts'
import { BUSY_SECONDS, type BuildQueue, type Queued } from './queue.ts'

const POLL_MS = 1_000
const SWEEP_MS = 5_000

export type WorkerEvent =
  | { readonly event: 'build-started'; readonly company: string; readonly attempt: number }
  | ({ readonly event: 'build-ended'; readonly company: string; readonly seconds: number } & Ended)
  /** The build was stopped with the worker, and waits in the queue again. */
  | { readonly event: 'build-put-back'; readonly company: string }
  /** The worker of this company ended in the middle; the company waits in the queue again. */
  | { readonly event: 'build-orphaned'; readonly company: string }
  | { readonly event: 'enqueued'; readonly companies: readonly string[] }
  | { readonly event: 'queue-lost'; readonly detail: string }
  | { readonly event: 'queue-back' }

/** Builds companies in processes of its own. */
export interface Builders {
  /** The end of the build with all its findings; null where it was stopped before anything was published. */
  build(company: string): Promise<Ended | null>
  /** Ends all builds; what one of them is publishing is finished. */
  stop(): void
}

interface WorkerOptions {
  /** The machine and process id. */
  readonly name: string
  /** How many companies are built at once. */
  readonly jobs: number
  makeBuilders(): Builders
  /** The companies of the workspace, for nightly builds. */
  companies(): readonly string[]
  /** The members of a group, and theirs; none for any other company. */
  membersOf(company: string): readonly string[]
  report(event: WorkerEvent): void
  /** Ends the worker; what was taken and not built waits in the queue again. */
  readonly signal: AbortSignal
}

/**
 * Works until the signal. While the database is away it tries again every second; builds under way are ended, since
 * another worker may take them.
 */
export async function runWorker(queue: BuildQueue, options: WorkerOptions): Promise<void> {
  const { report, signal } = options
  let isLost = false
  while (!signal.aborted)
    try {
      await workUntilLost(queue, options, () => {
        if (isLost) report({ event: 'queue-back' })
        isLost = false
      })
    } catch (problem) {
      if (!isLost && !signal.aborted) report({ event: 'queue-lost', detail: (problem as Error).message })
      isLost = true
      await pause(POLL_MS, undefined, { signal }).catch(() => {})
    }
}

async function workUntilLost(queue: BuildQueue, options: WorkerOptions, onBegin: () => void): Promise<void> {
  const lost = new AbortController()
  const claims = await Claims.open(queue.url, options.name, (problem) => lost.abort(problem))
  const builders = options.makeBuilders()
  const running = new Set<Promise<void>>()
  const over = AbortSignal.any([lost.signal, options.signal])
  over.addEventListener('abort', () => builders.stop(), { once: true })
  try {
    onBegin()
    let sweptAt = Number.NEGATIVE_INFINITY
    while (!over.aborted) {
      if (Date.now() - sweptAt >= SWEEP_MS) {
        await sweep(queue, options)
        sweptAt = Date.now()
      }
      const taken = running.size < options.jobs ? await queue.take() : null
      if (taken !== null) {
        const work = buildOne(queue, claims, builders, taken, options)
          .catch((problem) => lost.abort(problem))
          .finally(() => running.delete(work))
        running.add(work)
      } else await pause(POLL_MS, undefined, { signal: over }).catch(() => {})
    }
    if (lost.signal.aborted) throw lost.signal.reason
  } finally {
    builders.stop()
    await Promise.all(running)
    await claims.close()
  }
}

/** Does what any worker does for all of them: enqueues the nightly builds, and puts back those of workers that have ended. */
async function sweep(queue: BuildQueue, { companies, report }: WorkerOptions): Promise<void> {
  for (const company of await queue.giveBackUnclaimed()) report({ event: 'build-orphaned', company })
  if (await queue.takeNightly()) report({ event: 'enqueued', companies: await queue.enqueue(companies()) })
}

async function buildOne(
  queue: BuildQueue,
  claims: Claims,
  builders: Builders,
  taken: Queued,
  { membersOf, report }: WorkerOptions,
): Promise<void> {
  const { company, attempt } = taken
  if (await queue.isBusy(membersOf(company))) return queue.putBack(taken, BUSY_SECONDS)
  if (!(await claims.claim(company))) return queue.putBack(taken, BUSY_SECONDS)
  const startedAt = Date.now()
  report({ event: 'build-started', company, attempt })
  const built = await builders.build(company)
  if (built === null) {
    await queue.putBack(taken, 0)
    report({ event: 'build-put-back', company })
  } else {
    const ended = { ...built, findings: built.findings.slice(0, MOST_FINDINGS) }
    await queue.end(taken, ended)
    report({ event: 'build-ended', company, seconds: (Date.now() - startedAt) / 1000, ...ended })
  }
  await claims.release(company)
}
