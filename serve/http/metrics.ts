/**
 * Metrics for Prometheus: counts of everything that is logged, and gauges that are read when they are asked for.
 * Labels are route templates, names of events and ids of published companies, and never text of a caller.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Companies } from '../companies/companies.ts'
import type { BucketCounts } from '../companies/source.ts'
import { EVENTS } from './events.ts'
import type { Load } from './limits/load.ts'
import type { AccessEntry } from './request/request-context.ts'

export interface Metrics {
  /** Counts a line of the log. */
  observe(entry: AccessEntry | { readonly event: string }): void
  page(): Promise<string>
  readonly contentType: string
}

/** The sources of the gauges. */
interface Measured {
  readonly load: Pick<Load, 'underWay' | 'waiting'>
  readonly adhoc: { load(): { readonly waiting: number; readonly running: number } }
  readonly companies: Pick<Companies, 'list' | 'health'>
  readonly droppedLines: () => number
  /** Null where snapshots lie in a folder. */
  readonly bucket?: (() => BucketCounts) | null
  /** Null where the workspace has no queue. */
  readonly queue?: (() => Promise<QueueLoad>) | null
}

/** The number of companies in each state of the queue, of connected workers, and how long the first company has waited. */
export interface QueueLoad {
  readonly companies: Readonly<Record<'waiting' | 'running' | 'failed' | 'refused', number>>
  readonly workers: number
  readonly oldestSeconds: number
}

/**
 * Gauges of prom-client whose names end in `_total`, as only names of counters may. They are left out:
 * `nodejs_active_resources` and its like state the same by kind.
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** Upper bounds of the histogram of response times, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(measured: Measured): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered.',
    labelNames: ['route', 'status'],
    registers,
  })
  const aborted = new Counter({
    name: 'http_requests_aborted_total',
    help: 'Requests whose client left early.',
    labelNames: ['route'],
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to end of answer.',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers,
  })
  const events = new Counter({
    name: 'tieout_events_total',
    help: 'Lines of the log other than requests.',
    labelNames: ['event'],
    registers,
  })
  for (const event of EVENTS) events.inc({ event }, 0)
  addGauges(registry, measured)
  addCounter(
    registry,
    'tieout_log_lines_dropped_total',
    'Lines of the log that could not be written.',
    [],
    () => [[{}, measured.droppedLines()]],
  )
  if (measured.bucket) addBucket(registry, measured.bucket)
  if (measured.queue) addQueue(registry, measured.queue)
  // process_* and nodejs_*: memory, processor time, delay of the event loop, garbage collection.
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)

  function observeRequest({ route, status, ms, aborted: left }: AccessEntry): void {
    const at = { route: route ?? 'none' }
    requests.inc({ ...at, status })
    if (left) aborted.inc(at)
    durations.observe(at, ms / 1000)
  }

  return {
    observe: (entry) => {
      if (entry.event === 'request') observeRequest(entry as AccessEntry)
      else events.inc({ event: entry.event })
    },
    page: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

type Samples = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]

/** A metric that is read when the page is asked for, with one series for each sample. */
const readLater = (
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[],
  read: () => Samples | Promise<Samples>,
) => ({
  ...{ name, help, labelNames, registers: [registry] },
  async collect(this: Pick<Counter, 'reset' | 'remove' | 'inc'>) {
    const samples = await read()
    this.reset()
    // A metric without labels would be 0 where there is no sample, so it is removed.
    if (labelNames.length === 0) this.remove()
    for (const [labels, value] of samples) this.inc(labels, value)
  },
})
const addGauge = (...of: Parameters<typeof readLater>): Gauge => new Gauge(readLater(...of))
const addCounter = (...of: Parameters<typeof readLater>): Counter => new Counter(readLater(...of))

/** Requests to the bucket divided by looks is the number of requests that it takes to follow the bucket once. */
function addBucket(registry: Registry, counts: () => BucketCounts): void {
  addCounter(
    registry,
    'tieout_bucket_requests_total',
    'Requests to the bucket of snapshots, each attempt counted.',
    ['kind'],
    () => Object.entries(counts().requests).map(([kind, times]) => [{ kind }, times]),
  )
  addCounter(
    registry,
    'tieout_bucket_looks_total',
    'How often the bucket of snapshots was asked what changed.',
    [],
    () => [[{}, counts().looks]],
  )
}

function addGauges(registry: Registry, { load, adhoc, companies }: Measured): void {
  const one = (name: string, help: string, read: () => number) =>
    addGauge(registry, name, help, [], () => [[{}, read()]])
  one('http_requests_in_flight', 'Requests being answered.', () => load.underWay())
  one('http_requests_waiting', 'Requests waiting for room.', () => load.waiting())
  one('tieout_adhoc_running', 'Queries that the ad-hoc engine has.', () => adhoc.load().running)
  one('tieout_adhoc_waiting', 'Queries waiting for the ad-hoc engine.', () => adhoc.load().waiting)
  addGauge(
    registry,
    'tieout_company_available',
    '1 where the current snapshot of a company can be served; 0 where it is damaged or its disk fails.',
    ['company'],
    () => companies.health().map(({ id, available }) => [{ company: id }, available ? 1 : 0]),
  )
  addGauge(
    registry,
    'tieout_snapshot_age_seconds',
    'Time since the current snapshot of a company was built.',
    ['company'],
    () =>
      companies.list().map(({ id, builtAt }) => [{ company: id }, (Date.now() - Date.parse(builtAt)) / 1000]),
  )
  addGauge(
    registry,
    'tieout_snapshot_info',
    'The current snapshot of a company, by its id.',
    ['company', 'snapshot'],
    () => companies.list().map(({ id, snapshotId }) => [{ company: id, snapshot: snapshotId }, 1]),
  )
}

/** How long the page waits for the database of the queue; then it leaves these metrics out. */
const PATIENCE_MS = 3000

/** Adds the metrics of the queue, without samples where the database does not answer. */
function addQueue(registry: Registry, ask: () => Promise<QueueLoad>): void {
  let asked: Promise<QueueLoad | null> | null = null
  const load = (): Promise<QueueLoad | null> => {
    asked ??= ask()
      .catch(() => null)
      .finally(() => {
        asked = null
      })
    return Promise.race([asked, pause(PATIENCE_MS, null, { ref: false })])
  }
  addGauge(
    registry,
    'tieout_queue_companies',
    'Companies that wait in the queue, are being built, or whose last build failed or was refused.',
    ['state'],
    async () => Object.entries((await load())?.companies ?? {}).map(([state, number]) => [{ state }, number]),
  )
  const one = (name: string, help: string, read: (found: QueueLoad) => number) =>
    addGauge(registry, name, help, [], async () => {
      const found = await load()
      return found === null ? [] : [[{}, read(found)]]
    })
  one('tieout_queue_workers', 'Workers that are connected to the queue.', ({ workers }) => workers)
  one(
    'tieout_queue_oldest_waiting_seconds',
    'How long the company waits that has waited longest.',
    ({ oldestSeconds }) => oldestSeconds,
  )
}
