/** What is measured at the moment of asking: load, the ad-hoc engine, snapshots, the event loop, memory. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Companies } from '../companies/companies.ts'
import type { Load } from './load.ts'
import type { Gauge } from './metrics.ts'

interface Measured {
  readonly load: Load
  readonly adhoc: { load(): { readonly waiting: number; readonly running: number } }
  readonly companies: Pick<Companies, 'list' | 'health'>
  readonly droppedLines: () => number
}

export function createGauges({ load, adhoc, companies, droppedLines }: Measured): () => Gauge[] {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const one = (name: string, help: string, value: number): Gauge => ({ name, help, samples: [{ value }] })
  /** NaN before the first sample. */
  const seconds = (nanoseconds: number): number => (nanoseconds > 0 ? nanoseconds / 1e9 : 0)

  return () => {
    const [p50, p99, max] = [delay.percentile(50), delay.percentile(99), delay.max].map(seconds)
    delay.reset()
    const published = companies.list()
    return [
      one('http_requests_in_flight', 'Requests being answered.', load.underWay()),
      one('http_requests_waiting', 'Requests waiting for room.', load.waiting()),
      one('tieout_adhoc_running', 'Queries that the ad-hoc engine has.', adhoc.load().running),
      one('tieout_adhoc_waiting', 'Queries waiting for the ad-hoc engine.', adhoc.load().waiting),
      one('tieout_log_lines_dropped', 'Lines of the log that could not be written.', droppedLines()),
      {
        name: 'nodejs_eventloop_lag_seconds',
        help: 'Delay of the event loop since the last scrape.',
        samples: [
          { labels: { quantile: '0.5' }, value: p50! },
          { labels: { quantile: '0.99' }, value: p99! },
          { labels: { quantile: '1' }, value: max! },
        ],
      },
      one(
        'process_resident_memory_bytes',
        'Resident memory, without the ad-hoc child.',
        process.memoryUsage.rss(),
      ),
      one(
        'process_start_time_seconds',
        'When the process began.',
        (Date.now() - process.uptime() * 1000) / 1000,
      ),
      {
        name: 'tieout_company_available',
        help: '1 where the current snapshot of a company can be served; 0 where it is damaged or its disk fails.',
        samples: companies.health().map(({ id, available }) => ({
          labels: { company: id },
          value: available ? 1 : 0,
        })),
      },
      {
        name: 'tieout_snapshot_age_seconds',
        help: 'Time since the current snapshot of a company was built.',
        samples: published.map(({ id, builtAt }) => ({
          labels: { company: id },
          value: (Date.now() - Date.parse(builtAt)) / 1000,
        })),
      },
      {
        name: 'tieout_snapshot_info',
        help: 'The current snapshot of a company, by its id.',
        samples: published.map(({ id, snapshotId }) => ({
          labels: { company: id, snapshot: snapshotId },
          value: 1,
        })),
      },
    ]
  }
}
